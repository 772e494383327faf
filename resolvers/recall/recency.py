"""RECENCY: what the conversation was about a moment ago."""

from collections.abc import Iterable, Iterator
from datetime import datetime

from resolvers.recall import normalise
from resolvers.recall.values import Channel, Found, LiveActive, Signal


def recency_signals(actives: Iterable[LiveActive], *, at: datetime, half_life: float) -> Iterator[Found]:
    """Yield a signal for every live active entity; `half_life` in seconds, ages are relative to `at`."""
    for active in actives:
        if active.live:
            age = max(0.0, (at - active.last_mentioned_at).total_seconds())
            reason = f"the conversation was about it {_ago(age)}"
            yield Found(active.target, Signal(Channel.RECENCY, age, normalise.decay(age, half_life), reason))


def _ago(seconds: float) -> str:
    if seconds < 1:
        return "just now"
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:.0f} {unit} ago"
    return f"{seconds:.0f} s ago"
