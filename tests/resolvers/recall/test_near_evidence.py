"""Active evidence vectors: what was said in the conversation is found again by its meaning."""

from datetime import UTC, datetime, timedelta

import pytest

from resolvers.recall.collected import NearRow
from resolvers.recall.normalise import Calibration
from resolvers.recall.values import Channel, LiveActive, TargetType
from resolvers.recall.vector import near_signals

NOW = datetime(2026, 9, 1, 12, tzinfo=UTC)
CALIBRATION = Calibration(0.10, 0.50)
DAY = 86_400.0


def active(bound: str | None = None) -> LiveActive:
    return LiveActive("a1", None, bound, None, frozenset(), NOW, NOW, 1.0, live=True)


def near(*, cosine: float = 0.6, confidence: float = 1.0, age: timedelta = timedelta(0)) -> NearRow:
    return NearRow("a1", "e1", "what was said", cosine, confidence, NOW - age)


def strength(row: NearRow) -> float:
    (found,) = near_signals([row], {"a1": active()}, CALIBRATION, at=NOW, half_life=DAY)
    return found.signal.normalised


def test_a_hit_leads_to_the_evidences_active_entity_or_what_it_is_bound_to() -> None:
    (unbound,) = near_signals([near()], {"a1": active()}, CALIBRATION, at=NOW, half_life=DAY)
    (bound,) = near_signals([near()], {"a1": active("u1")}, CALIBRATION, at=NOW, half_life=DAY)
    assert (unbound.target.type, unbound.target.id) == (TargetType.ACTIVE_ENTITY, "a1")
    assert (bound.target.type, bound.target.id) == (TargetType.ENTITY, "u1")
    assert unbound.signal.channel is Channel.VECTOR


def test_it_is_weakened_by_how_loosely_and_how_long_ago_it_was_attached() -> None:
    assert strength(near()) == pytest.approx(1.0)
    assert strength(near(confidence=0.5)) == pytest.approx(0.5)
    assert strength(near(age=timedelta(days=1))) == pytest.approx(0.5)


def test_what_is_no_nearer_than_unrelated_texts_are_gives_no_signal() -> None:
    assert not list(near_signals([near(cosine=0.1)], {"a1": active()}, CALIBRATION, at=NOW, half_life=DAY))


def test_evidence_of_an_active_entity_that_lives_no_more_gives_no_signal() -> None:
    assert not list(near_signals([near()], {}, CALIBRATION, at=NOW, half_life=DAY))
