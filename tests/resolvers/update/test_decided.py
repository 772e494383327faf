from resolvers.update.decided import (
    DecidedCreate,
    DecidedDiscard,
    DecidedUpdate,
    decision_on,
    resolve_as_decided,
)
from resolvers.update.seen import Decision, KnownBearer, ResolutionCode
from tests.resolvers.update.given import whole

ALICE = KnownBearer("e1", "Alice")


def test_what_was_decided_about_one_of_its_parts() -> None:
    assert decision_on(whole("Al", pending={"p2", "p1"}), {"p2": DecidedCreate()}) == DecidedCreate()
    assert decision_on(whole("Al"), {"p2": DecidedCreate()}) is None


def test_an_update() -> None:
    found = resolve_as_decided(whole("Al"), DecidedUpdate(ALICE))

    assert (found.decision, found.code, found.entity_uuid) == (Decision.UPDATE, ResolutionCode.DECIDED, "e1")
    assert found.candidates == (ALICE,)


def test_a_create() -> None:
    found = resolve_as_decided(whole("Al"), DecidedCreate())

    assert (found.decision, found.code, found.observation.subject) == (Decision.CREATE, ResolutionCode.DECIDED, "Al")


def test_a_discard() -> None:
    assert resolve_as_decided(whole("Al"), DecidedDiscard()).decision is Decision.DISCARDED


def test_nobody_is_created_under_a_word_that_names_nobody() -> None:
    found = resolve_as_decided(whole("用户", generic=True), DecidedCreate())
    named = resolve_as_decided(whole("用户", generic=True, aliases=["小雨", "Rain"]), DecidedCreate())

    assert (found.decision, found.code) == (Decision.POSTPONED, ResolutionCode.GENERIC_SUBJECT)
    assert (named.decision, named.observation.subject, named.observation.key) == (Decision.CREATE, "小雨", "小雨")
    assert named.observation.aliases == ("Rain",)
