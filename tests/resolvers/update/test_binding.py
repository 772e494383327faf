"""Which active entity turns out to be whom."""

from graph.values import StatementKind
from resolvers.linking import live_key
from resolvers.update.binding import PlannedBinding, binding_changes, plan_bindings
from resolvers.update.changes import Binding, BindingChange, EntityChange, EntityRecord
from resolvers.update.realise import RealisedStep
from resolvers.update.state import BoundActive, PlanState, StoredEntity
from resolvers.update.steps import AddAlias, AddStatement, CreateEntityStep, UpdateExistingStep, UpdatePlan
from tests.fakes import NOON
from tests.resolvers.update.given import active

TEA = AddStatement(StatementKind.FEATURE, "drinks tea", 0.8)
NEW = CreateEntityStep("Alice", (TEA, AddAlias("Ally")), sources=frozenset({"a1"}))
OLD = UpdateExistingStep("e1", "Bob", (TEA,), sources=frozenset({"a2"}))


def test_a_source_is_bound_to_the_one_step_that_names_it() -> None:
    sources = [active("a1", subject="Alice"), active("a2", subject="Bob"), active("a3", subject="Carol")]
    assert plan_bindings(UpdatePlan((NEW, OLD)), sources) == (
        PlannedBinding("a1", None, "alice"),
        PlannedBinding("a2", "e1", None),
    )


def test_an_alias_or_a_mention_names_it_too() -> None:
    assert plan_bindings(UpdatePlan((NEW,)), [active("a9", mentions=["ALLY"])]) == (
        PlannedBinding("a9", None, "alice"),
    )


def test_who_is_bound_already_stays_so() -> None:
    assert plan_bindings(UpdatePlan((NEW,)), [active("a1", subject="Alice", bound="e7")]) == ()


def test_claimed_by_several_its_names_alone_tell() -> None:
    both = UpdateExistingStep("e1", "Bob", (TEA,), sources=frozenset({"a1"}))
    plan = UpdatePlan((NEW, both))
    assert plan_bindings(plan, [active("a1", subject="Alice")]) == (PlannedBinding("a1", None, "alice"),)
    assert plan_bindings(plan, [active("a1", subject="somebody")]) == ()


def state(*bound: BoundActive) -> PlanState:
    bob = StoredEntity("e1", "Bob", None, 1, NOON, NOON, (), (), (), bound)
    return PlanState({"e1": bob}, {}, {}, {}, {})


def changes(planned: PlannedBinding, now: Binding | None, *bound: BoundActive) -> tuple[BindingChange, ...]:
    actives = {planned.runtime_id: now} if now else {}
    created = RealisedStep(NEW, "e9", (EntityChange("e9", None, EntityRecord("Alice", None, NOON, NOON)),))
    return binding_changes((planned,), actives, (created,), state(*bound), space="s", conversation="c")


def key(uuid: str) -> str:
    return live_key("s", "c", "entity", uuid)


def test_it_lives_on_under_its_entity() -> None:
    now = Binding(None, "k")
    assert changes(PlannedBinding("a2", "e1", None), now) == (BindingChange("a2", now, Binding("e1", key("e1"))),)
    assert changes(PlannedBinding("a1", None, "alice"), now) == (BindingChange("a1", now, Binding("e9", key("e9"))),)


def test_where_one_lives_already_that_one_takes_over() -> None:
    now = Binding(None, "k")
    (change,) = changes(PlannedBinding("a2", "e1", None), now, BoundActive("a5", "c", key("e1")))
    assert change.after == Binding("e1", None, takes_over=key("e1"))


def test_one_of_another_conversation_or_expired_takes_nothing_over() -> None:
    now = Binding(None, "k")
    for other in (BoundActive("a5", "d", key("e1")), BoundActive("a5", "c", None)):
        (change,) = changes(PlannedBinding("a2", "e1", None), now, other)
        assert change.after == Binding("e1", key("e1"))


def test_an_expired_one_is_bound_and_stays_expired() -> None:
    now = Binding(None, None)
    assert changes(PlannedBinding("a2", "e1", None), now) == (BindingChange("a2", now, Binding("e1", None)),)


def test_one_that_is_gone_or_was_bound_meanwhile_is_left_alone() -> None:
    assert changes(PlannedBinding("a2", "e1", None), None) == ()
    assert changes(PlannedBinding("a2", "e1", None), Binding("e7", "k")) == ()
