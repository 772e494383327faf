"""What the resolvers need from heavy libraries, in our words. Fakes implement these, too."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

Vector = tuple[float, ...]
"""A unit vector of the embedder's dimensions."""


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def name(self) -> str:
        """Name of the model: vectors of different names are not comparable."""
        ...

    @property
    def dimensions(self) -> int:
        """Numbers in each vector."""
        ...

    @property
    def local(self) -> bool:
        """Whether a vector costs about a millisecond here, rather than a call over a network."""
        ...

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a stored text, in order.

        Raises:
            Unavailable: the model does not answer.
        """
        ...

    async def embed_query(self, text: str) -> Vector:
        """Return the unit vector of a text that is asked for; some models embed questions in another way.

        Raises:
            Unavailable: the model does not answer.
        """
        ...


class Clock(Protocol):
    """Tells the time, in UTC with its offset."""

    def __call__(self) -> datetime: ...
