"""What can be wrong with a plan."""

from collections.abc import Iterator
from enum import StrEnum

from graph.checks import check_statement, check_unit
from graph.errors import InvalidInput
from graph.names import check_name, identity_key
from resolvers.update.steps import Violation


class ViolationCode(StrEnum):
    """Why a plan cannot be applied; beside these the codes of `graph.names.check_name` and `graph.checks`."""

    TOO_MANY_STEPS = "TOO_MANY_STEPS"
    EMPTY_STEP = "EMPTY_STEP"
    ENTITY_UNKNOWN = "ENTITY_UNKNOWN"
    ENTITY_TWICE = "ENTITY_TWICE"
    """Two steps of the plan are about one entity, or one merges away what another is about."""
    NAME_TAKEN = "NAME_TAKEN"
    NAME_TWICE = "NAME_TWICE"
    """Two entities of the plan would get one name."""
    EXTERNAL_ID_TAKEN = "EXTERNAL_ID_TAKEN"
    ALIAS_UNKNOWN = "ALIAS_UNKNOWN"
    SUBJECT_NOT_REMOVABLE = "SUBJECT_NOT_REMOVABLE"
    STATEMENT_UNKNOWN = "STATEMENT_UNKNOWN"
    RELATION_UNKNOWN = "RELATION_UNKNOWN"
    TARGET_UNKNOWN = "TARGET_UNKNOWN"
    TARGET_AMBIGUOUS = "TARGET_AMBIGUOUS"
    SELF_RELATION = "SELF_RELATION"
    MERGE_WITH_ITSELF = "MERGE_WITH_ITSELF"
    PATCH_MISPLACED = "PATCH_MISPLACED"
    """A new entity has nothing yet to replace, remove or rename."""


def violation(code: ViolationCode, path: str, message: str) -> Violation:
    """Return one reason why a plan cannot be applied."""
    return Violation(code.value, path, message)


def path_order(each: Violation) -> tuple[tuple[str, ...], str, str]:
    """Return what orders violations by their place in the plan, steps by number."""
    parts = tuple(f"{int(part):09}" if part.isdecimal() else part for part in each.path.split("."))
    return parts, each.code, each.message


def name_refusal(name: str, path: str) -> Iterator[Violation]:
    """Yield why something is no name, if it is none."""
    try:
        check_name(name, path)
    except InvalidInput as refused:
        yield Violation(refused.code, refused.path, refused.message)


def text_refusal(text: str, path: str, *, longest: int) -> Iterator[Violation]:
    """Yield why a text cannot be kept, if it cannot: beside the general checks it needs a key."""
    try:
        check_statement(text, path, longest=longest)
    except InvalidInput as refused:
        yield Violation(refused.code, refused.path, refused.message)
    else:
        if not identity_key(text):
            yield Violation("TEXT_EMPTY", path, f"there is no word in {text!r}")


def unit_refusal(number: float, path: str) -> Iterator[Violation]:
    """Yield why something is no confidence or strength, if it is none."""
    try:
        check_unit(number, path)
    except InvalidInput as refused:
        yield Violation(refused.code, refused.path, refused.message)
