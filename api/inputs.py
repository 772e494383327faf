"""Lists of inputs are counted as they were sent: coercing them first would take seconds."""

from collections.abc import Mapping
from typing import Any, Final

from graphql import GraphQLError

MOST_IN_LIST: Final = 2_000
"""Items of one list. What is a little over its own bound, which none has as high, gets the code of that bound."""
MOST_IN_ALL: Final = 50_000
"""Items of all lists of one request."""
DEEPEST: Final = 16
"""Lists and objects inside one another; the inputs of the schema need 7."""


def check_inputs(variables: Mapping[str, Any]) -> None:
    """See that the variables of a request are within the bounds.

    Raises:
        GraphQLError: `INPUT_LIMIT`, with the dotted path of the list in the message and in `extensions.argument`.
    """
    counted = 0
    pending: list[tuple[str, Any, int]] = [(name, value, 1) for name, value in variables.items()]
    while pending:
        path, value, depth = pending.pop()
        if not isinstance(value, dict | list):
            continue
        if depth > DEEPEST:
            raise _refusal(path, f"{path} holds lists and objects more than {DEEPEST} deep")
        if isinstance(value, dict):
            pending += ((f"{path}.{name}", each, depth + 1) for name, each in value.items() if _holds(each))
            continue
        if len(value) > MOST_IN_LIST:
            raise _refusal(path, f"{path} has {len(value)} items, no list has more than {MOST_IN_LIST}")
        if (counted := counted + len(value)) > MOST_IN_ALL:
            raise _refusal(path, f"with {path} the lists have more than {MOST_IN_ALL} items together: send it in parts")
        pending += ((f"{path}.{place}", each, depth + 1) for place, each in enumerate(value) if _holds(each))


def _holds(value: Any) -> bool:
    return isinstance(value, dict | list)


def _refusal(path: str, message: str) -> GraphQLError:
    return GraphQLError(message, extensions={"code": "INPUT_LIMIT", "argument": path})
