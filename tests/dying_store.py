"""A store that dies where a test says, as a process that is killed: nothing it had in hand is brought to an end."""

from cypher import Query
from graph.rows import Rows
from graph.store import Store


class Killed(BaseException):
    """What no code survives."""


class DyingStore(Store):
    """Works until a given write, and never again."""

    dies_at = ("", 0)
    before = True
    """Whether that write is still sent."""
    _dead = False

    async def write(self, query: Query, /, **parameters: object) -> Rows:
        name, left = self.dies_at
        if name == query.name:
            self.dies_at = (name, left - 1)
        if self._dead or self.dies_at == (query.name, -1):
            if not self._dead and not self.before:
                await super().write(query, **parameters)
            self._dead = True
            raise Killed
        return await super().write(query, **parameters)
