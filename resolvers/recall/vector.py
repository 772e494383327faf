"""VECTOR: statements whose meaning is near the text's."""

from collections.abc import Iterable, Iterator

from resolvers.recall import normalise
from resolvers.recall.collected import VectorRow
from resolvers.recall.normalise import Calibration
from resolvers.recall.values import Channel, Found, Signal, Target, TargetType, VectorHit


def vector_signals(rows: Iterable[VectorRow], calibration: Calibration) -> Iterator[Found]:
    """Yield a VECTOR signal for every near statement that is nearer than unrelated texts are to each other."""
    for row in rows:
        normalised = normalise.vector(row.cosine, calibration)
        if normalised > 0:
            hit = VectorHit(row.statement, row.text, row.cosine)
            reason = f"means something near the {row.field.lower()} (cosine {row.cosine:.2f})"
            signal = Signal(Channel.VECTOR, row.cosine, normalised, reason, vector_hit=hit)
            yield Found(Target(TargetType.ENTITY, row.uuid), signal)
