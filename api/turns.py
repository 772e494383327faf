"""The loop is shared: whatever one document asks for, what resolves it gives way to everybody else's every few ms.

graphql-core completes the values of lists in one go, and wakes all that wait for one query at once; together that may
take seconds. Here each long list, and each field that waited, takes turns with everything else: no more than
`TURN_SECONDS` of one pass of the loop are spent on answers, however many are being made. What comes to more values than
the budget of a document is ended, so that an estimate that was wrong costs no more than one that was right.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Awaitable, Collection, Iterable
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

from graphql import ExecutionResult, GraphQLError, GraphQLObjectType, GraphQLOutputType, GraphQLResolveInfo
from graphql.pyutils import Path
from strawberry.schema.schema import StrawberryGraphQLCoreExecutionContext

from api.cost import BUDGET, beyond_budget

TURN_SECONDS: Final = 0.01
"""Of a pass of the loop; everything else, short as it is, comes on top."""
LONG_LIST: Final = 20
"""Items. Shorter lists are completed in one go, which costs less."""
WOKEN_AT_ONCE: Final = 32
"""Fields of one answer that go on in the next pass, as far as there is time."""
MOST_CHARACTERS: Final = 5_000_000
"""Of all texts of an answer: a hundred of the longest, or all that an agent can read."""

T = TypeVar("T")


class Turns:
    """The time of one event loop, given out to the answers that are being made; each gets its share in turn."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._waiting: OrderedDict[int, deque[asyncio.Future[None]]] = OrderedDict()
        self._began = 0.0
        self._ticks = False

    @property
    def has_time(self) -> bool:
        """Tell whether there is time left in this pass of the loop."""
        if not self._ticks:
            self._ticks = True
            self._began = time.perf_counter()
            self._loop.call_soon(self._tick)
            return True
        return time.perf_counter() - self._began < TURN_SECONDS

    async def take(self, whose: int) -> None:
        """Return when there is time for the work of an answer, which a number stands for."""
        while not self.has_time:
            turn = self._loop.create_future()
            self._waiting.setdefault(whose, deque()).append(turn)
            await turn

    def _tick(self) -> None:
        self._began = time.perf_counter()
        if not self._waiting:
            self._ticks = False
            return
        self._loop.call_soon(self._tick)
        whose, waiting = self._waiting.popitem(last=False)
        for _ in range(min(WOKEN_AT_ONCE, len(waiting))):
            if not (turn := waiting.popleft()).done():
                turn.set_result(None)
        if waiting:
            self._waiting[whose] = waiting


_TURNS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, Turns]] = WeakKeyDictionary()


def _turns() -> Turns | None:
    """Return the turns of the running loop; None where an answer is made without one, and holds up nobody."""
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:
        return None
    if (found := _TURNS.get(loop)) is None:
        found = _TURNS[loop] = Turns(loop)
    return found


class SharedExecution(StrawberryGraphQLCoreExecutionContext):
    """Executes one operation, or answers one event of a subscription, in turns and within the budget."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._turns = _turns()
        self._values = 0
        self._characters = 0
        self._ended: GraphQLError | None = None

    def execute_fields(
        self,
        parent_type: GraphQLObjectType,
        source_value: Any,
        path: Path | None,
        grouped_field_set: dict[str, Any],
        position_context: Any,
    ) -> Any:
        self._values += len(grouped_field_set)
        if self._values > BUDGET:
            self._end(f"the answer came to more than {BUDGET} values")
        return super().execute_fields(parent_type, source_value, path, grouped_field_set, position_context)

    def complete_leaf_value(self, return_type: Any, result: Any) -> Any:  # type: ignore[override]
        # Static in graphql-core, which calls it on the instance all the same.
        value = StrawberryGraphQLCoreExecutionContext.complete_leaf_value(return_type, result)
        if type(value) is str:
            self._characters += len(value)
            if self._characters > MOST_CHARACTERS:
                self._end(f"the answer came to more than {MOST_CHARACTERS} characters")
        return value

    async def complete_awaitable_value(  # noqa: PLR0917 -- as in graphql-core
        self,
        return_type: GraphQLOutputType,
        field_details_list: list[Any],
        info: GraphQLResolveInfo[Any],
        path: Path,
        result: Any,
        position_context: Any,
    ) -> Any:
        waited = self._in_turn(result)
        return await super().complete_awaitable_value(
            return_type, field_details_list, info, path, waited, position_context
        )

    def complete_iterable_value(  # noqa: PLR0917 -- as in graphql-core
        self,
        item_type: GraphQLOutputType,
        field_details_list: list[Any],
        info: GraphQLResolveInfo[Any],
        path: Path,
        items: Iterable[Any],
        position_context: Any,
    ) -> Any:
        if self._turns is not None and isinstance(items, Collection) and len(items) > LONG_LIST:
            paced = self._paced(items, self._turns)
            return self.complete_async_iterator_value(
                item_type, field_details_list, info, path, paced, position_context
            )
        return super().complete_iterable_value(item_type, field_details_list, info, path, items, position_context)

    def build_response(self, data: dict[str, Any] | None) -> Any:
        if self._ended is not None:
            return ExecutionResult(None, [self._ended])
        return super().build_response(data)

    async def _in_turn(self, waited: Awaitable[T]) -> T:
        value = await waited
        if self._turns is not None and not self._turns.has_time:
            await self._turns.take(id(self))
        self._go_on()
        return value

    async def _paced(self, items: Iterable[T], turns: Turns) -> AsyncIterator[T]:
        for item in items:
            if not turns.has_time:
                await turns.take(id(self))
                self._go_on()
            yield item

    def _go_on(self) -> None:
        if self._ended is not None:
            raise self._ended

    def _end(self, message: str) -> None:
        if self._ended is None:
            self._ended = beyond_budget(
                f"{message}, and was ended: ask for fewer at a time, or for fewer lists in lists"
            )
        raise self._ended
