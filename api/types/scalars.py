"""DateTime: ISO 8601 with an offset, in and out."""

from datetime import UTC, datetime
from typing import Any, Final

import strawberry
from strawberry.types.scalar import ScalarDefinition


def parse(value: Any) -> datetime:
    """Read a moment; one without an offset is refused.

    Raises:
        TypeError, ValueError: becomes a GraphQL error with the code BAD_USER_INPUT.
    """
    if not isinstance(value, str):
        raise TypeError("a moment is a string in ISO 8601 with an offset, e.g. 2026-09-01T12:00:00Z")
    at = datetime.fromisoformat(value)
    if at.utcoffset() is None:
        raise ValueError(f"{value!r} lacks an offset: add Z or +hh:mm")
    return at


def serialize(value: datetime) -> str:
    """Write a moment in UTC."""
    return value.astimezone(UTC).isoformat().replace("+00:00", "Z")


DATE_TIME: Final[ScalarDefinition] = strawberry.scalar(
    name="DateTime",
    description="ISO 8601 with an offset; values without one are refused.",
    parse_value=parse,
    serialize=serialize,
)
