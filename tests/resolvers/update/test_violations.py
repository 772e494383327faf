from resolvers.update.steps import Violation
from resolvers.update.violations import ViolationCode, path_order, violation


def test_steps_come_by_number() -> None:
    found = [violation(ViolationCode.EMPTY_STEP, f"steps.{number}", "") for number in (10, 9, 1)]

    assert [each.path for each in sorted(found, key=path_order)] == ["steps.1", "steps.9", "steps.10"]


def test_the_code_is_its_value() -> None:
    assert violation(ViolationCode.EMPTY_STEP, "steps.0", "why") == Violation("EMPTY_STEP", "steps.0", "why")
