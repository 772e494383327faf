"""Fuse a target's signals into one score whose shares add up.

A noisy-or over the strongest signal of each channel:

    score = 1 - product over channels of (1 - weight * normalised)

and each of those signals' share is `score * ln(1 - a_i) / sum of ln(1 - a_j)` with `a = weight * normalised`. The
product does not care about order, every further source adds, and the weights keep the promise that a direct name hit
beats all other channels together: 1 - .6 * .7 * .8 * .95 * .95 = .697 < .706 = .9 * (weakest direct hit).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from resolvers.recall.values import Channel, Found, Match, Signal, Target

WEIGHTS: Final[Mapping[Channel, float]] = {
    Channel.NAME: 0.9,
    Channel.TEXT: 0.4,
    Channel.VECTOR: 0.3,
    Channel.PHRASE: 0.2,
    Channel.NEIGHBOUR: 0.05,
    Channel.RECENCY: 0.05,
}
SCORE_DIGITS: Final = 9
"""Scores closer than this are ties: sums of floats must not decide an order."""


def fuse(found: Iterable[Found]) -> tuple[Match, ...]:
    """Return one match a target, best first; ties by target type, then id."""
    by_target: dict[Target, list[Signal]] = {}
    for each in found:
        by_target.setdefault(each.target, []).append(each.signal)
    matches = (_match(target, signals) for target, signals in by_target.items())
    return tuple(sorted(matches, key=lambda match: (-round(match.score, SCORE_DIGITS), match.target)))


def _match(target: Target, signals: list[Signal]) -> Match:
    # Most targets have one signal, and telling apart is costly.
    ordered = sorted(signals, key=_strength) if len(signals) > 1 else signals
    strongest: dict[Channel, Signal] = {}
    for signal in ordered:
        strongest.setdefault(signal.channel, signal)
    logs = {id(signal): math.log1p(-WEIGHTS[channel] * signal.normalised) for channel, signal in strongest.items()}
    # In a fixed order: a sum of floats depends on it.
    total = math.fsum(logs.values())
    score = -math.expm1(total) + 0.0  # not -0.0 where nothing counts
    shares = (
        replace(signal, contribution=score * logs[id(signal)] / total) if total and id(signal) in logs else signal
        for signal in ordered
    )
    return Match(target, score, tuple(sorted(shares, key=lambda signal: -signal.contribution)))


def _strength(signal: Signal) -> tuple[object, ...]:
    """Order signals totally: of two that are equally strong the same one counts, in whatever order they came."""
    hits = repr((signal.text_hit, signal.vector_hit, signal.path))
    return signal.channel, -signal.normalised, signal.reason, signal.raw, signal.direct, hits
