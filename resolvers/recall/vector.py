"""VECTOR: statements, and live evidence of the conversation, whose meaning is near the text's."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime

from resolvers.recall import normalise
from resolvers.recall.collected import NearRow, VectorRow
from resolvers.recall.normalise import Calibration
from resolvers.recall.values import Channel, Found, LiveActive, Signal, Target, TargetType, VectorHit


def vector_signals(rows: Iterable[VectorRow], calibration: Calibration) -> Iterator[Found]:
    """Yield a VECTOR signal for every near statement that is nearer than unrelated texts are to each other."""
    for row in rows:
        normalised = normalise.vector(row.cosine, calibration)
        if normalised > 0:
            hit = VectorHit(row.statement, row.text, row.cosine)
            reason = f"means something near the {row.field.lower()} (cosine {row.cosine:.2f})"
            signal = Signal(Channel.VECTOR, row.cosine, normalised, reason, vector_hit=hit)
            yield Found(Target(TargetType.ENTITY, row.uuid), signal)


def near_signals(
    rows: Iterable[NearRow],
    actives: Mapping[str, LiveActive],
    calibration: Calibration,
    *,
    at: datetime,
    half_life: float,
) -> Iterator[Found]:
    """Yield a VECTOR signal for live evidence, weakened by how loosely and how long ago it was attached."""
    for row in rows:
        if row.runtime_id not in actives:
            continue
        weight = min(1.0, row.confidence * normalise.decay((at - row.last_at).total_seconds(), half_life))
        normalised = normalise.vector(row.cosine, calibration) * weight
        if normalised > 0:
            hit = VectorHit(row.evidence, row.text, row.cosine, is_evidence=True)
            reason = f"means something near what was said of it (cosine {row.cosine:.2f}), weighed {weight:.2f}"
            signal = Signal(Channel.VECTOR, row.cosine, normalised, reason, vector_hit=hit)
            yield Found(actives[row.runtime_id].target, signal)
