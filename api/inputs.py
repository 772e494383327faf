"""Lists of inputs are counted as they were sent: coercing them first would take seconds."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, Optional

from graphql import GraphQLError

MOST_IN_LIST: Final = 2_000
"""Items of one list. What is a little over its own bound, which none has as high, gets the code of that bound."""
MOST_IN_ALL: Final = 100_000
"""Items of all lists of one request, and lists and objects in objects: they are coerced in a third of a second, and 64
plans of 64 observations, with two of each kind of statement, have 80,000."""
DEEPEST: Final = 16
"""Lists and objects inside one another; the inputs of the schema need 7."""
_LONGEST_PATH: Final = 200
"""Characters of a path that are said: names are the client's."""


class _Place(NamedTuple):
    """Where a value stands; written out only where it is refused."""

    above: Optional["_Place"]
    name: str | int
    depth: int

    @property
    def path(self) -> str:
        parts: list[str] = []
        place: _Place | None = self
        while place is not None:
            parts.append(str(place.name)[:_LONGEST_PATH])
            place = place.above
        return ".".join(reversed(parts))[:_LONGEST_PATH]


def check_inputs(variables: Mapping[str, Any]) -> None:
    """See that the variables of a request are within the bounds.

    Raises:
        GraphQLError: `INPUT_LIMIT`, with the dotted path of the list in the message and in `extensions.argument`.
    """
    counted = 0
    pending = [(_Place(None, name, 1), value) for name, value in variables.items() if isinstance(value, dict | list)]
    while pending:
        place, value = pending.pop()
        if place.depth > DEEPEST:
            raise _refusal(place, f"lists and objects more than {DEEPEST} deep")
        if isinstance(value, list) and len(value) > MOST_IN_LIST:
            raise _refusal(place, f"{len(value)} items, no list has more than {MOST_IN_LIST}")
        held = [(name, each) for name, each in _named(value) if isinstance(each, dict | list)]
        counted += len(value) if isinstance(value, list) else len(held)
        if counted > MOST_IN_ALL:
            raise _refusal(place, f"with what was read before more than {MOST_IN_ALL} items: send them in parts")
        pending += ((_Place(place, name, place.depth + 1), each) for name, each in held)


def _named(value: dict[str, Any] | list[Any]) -> Iterable[tuple[str | int, Any]]:
    return value.items() if isinstance(value, dict) else enumerate(value)


def _refusal(place: _Place, what: str) -> GraphQLError:
    path = place.path
    return GraphQLError(f"{path} holds {what}", extensions={"code": "INPUT_LIMIT", "argument": path})
