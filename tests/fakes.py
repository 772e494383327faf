"""Written implementations of the ports, deterministic and free of weight."""

import asyncio
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import blake2s

from graph.ports import Vector
from graph.text import search_terms
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.observer_port import ObservationFailed, Observed
from resolvers.update.seen import ActiveSource, Rolling

NOON = datetime.now(UTC).replace(hour=12, minute=0, second=0, microsecond=0)
"""Today's, as a service that another test runs lets go what nobody has mentioned for days, whosever it is."""


class FakeEmbedder:
    """Hashes search terms into dimensions: texts that share terms are near each other, others are orthogonal.

    As many dimensions as the packaged model has: both can fill one vector index.
    """

    def __init__(self, *, name: str = "fake", dimensions: int = 512, local: bool = True) -> None:
        self.name = name
        self.dimensions = dimensions
        self.local = local
        self.embedded: list[str] = []
        """Every text it was asked for, in order."""

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += texts
        return await asyncio.to_thread(lambda: [self._vector(text) for text in texts])

    async def embed_query(self, text: str) -> Vector:
        self.embedded.append(text)
        return self._vector(text)

    def _vector(self, text: str) -> Vector:
        numbers = [0.0] * self.dimensions
        for term in search_terms(text) or (text,):
            digest = blake2s(term.encode("utf-8", "surrogatepass"), digest_size=5).digest()
            numbers[int.from_bytes(digest[:4]) % self.dimensions] += 1.0 if digest[4] % 2 else -1.0
        length = math.hypot(*numbers)
        if not length:  # two terms that cancel each other
            return (1.0, *numbers[1:])
        return tuple(number / length for number in numbers)


class FixedClock:
    """Stands still until it is moved."""

    def __init__(self, now: datetime = NOON) -> None:
        self.now = now

    def __call__(self) -> datetime:
        return self.now


Labelled = Sequence[tuple[str, ActiveSource]]
ScriptedObservation = (
    ImpressionObservationPlan | ObservationFailed | Callable[[Rolling, Labelled], ImpressionObservationPlan]
)


class ScriptedObserver:
    """Sees what a test wrote down, in the order of the calls; a function writes its plan from what it is shown."""

    name = "scripted/observer"

    def __init__(self, *script: ScriptedObservation, always: ScriptedObservation | None = None) -> None:
        self._script = list(script)
        self._always = always
        self.asked: list[tuple[Rolling, tuple[tuple[str, ActiveSource], ...]]] = []
        """What each call was shown."""

    async def observe(self, rolling: Rolling, labelled: Labelled) -> Observed:
        self.asked.append((rolling, tuple(labelled)))
        scripted = self._script.pop(0) if self._script else self._always
        if scripted is None:
            raise AssertionError(f"observed {len(self.asked)} times, more often than the script says")
        if isinstance(scripted, ObservationFailed):
            raise scripted
        plan = scripted if isinstance(scripted, ImpressionObservationPlan) else scripted(rolling, labelled)
        return Observed(plan, prompt_tokens=100, completion_tokens=20, seconds=0.25, attempts=1)
