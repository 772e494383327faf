"""Values to recall with, by hand and by hypothesis."""

from dataclasses import fields
from datetime import datetime, timedelta
from typing import Any

from hypothesis import strategies as st

from resolvers.recall import normalise
from resolvers.recall.collected import Collected
from resolvers.recall.values import Channel, Found, LiveActive, Signal, Target, TargetType, TextHit
from tests.fakes import NOON

ALICE = Target(TargetType.ENTITY, "alice")
BOB = Target(TargetType.ENTITY, "bob")
THERE = Target(TargetType.ACTIVE_ENTITY, "000000000001")

WEAKEST_DIRECT = normalise.name(normalise.DIRECT_UNITS, 0.0)
WEAK_CHANNELS = tuple(channel for channel in Channel if channel is not Channel.NAME)

targets = st.builds(Target, st.sampled_from(TargetType), st.sampled_from(["a", "b", "c"]))
unit = st.floats(0, 1)
flags = st.booleans()


def signals(channels: tuple[Channel, ...] = tuple(Channel)) -> st.SearchStrategy[Signal]:
    hits = st.builds(
        TextHit, st.sampled_from(["subject", "feature"]), st.sampled_from(["x", "y"]), st.just(("x",)), flags
    )
    return st.builds(
        Signal,
        st.sampled_from(channels),
        st.floats(-1, 100),
        unit,
        st.sampled_from(["because", "why not"]),
        text_hit=st.none() | hits,
    )


found = st.lists(st.builds(Found, targets, signals()), max_size=30)


def signal(channel: Channel, normalised: float, **changed: Any) -> Signal:
    return Signal(channel, normalised, normalised, changed.pop("reason", "because"), **changed)


def direct(normalised: float = WEAKEST_DIRECT) -> Signal:
    return signal(Channel.NAME, normalised, direct=True)


def active(
    runtime_id: str = "000000000001",
    *,
    bound: str | None = None,
    mentions: tuple[str, ...] = (),
    age: timedelta = timedelta(0),
    confidence: float = 1.0,
    live: bool = True,
    at: datetime = NOON,
) -> LiveActive:
    return LiveActive(
        runtime_id=runtime_id,
        subject=mentions[0] if mentions else None,
        bound_uuid=bound,
        bound_subject=bound,
        mention_keys=frozenset(mentions),
        created_at=at - age,
        last_mentioned_at=at - age,
        last_confidence=confidence,
        live=live,
    )


def collected(**given: Any) -> Collected:
    empty: dict[str, Any] = {column.name: () for column in fields(Collected)}
    return Collected(**{**empty, "documents": {}, **given})
