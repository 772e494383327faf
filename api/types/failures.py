"""Expected failures as members of result unions."""

import strawberry

from graph import errors


@strawberry.type(description="The caller's value was refused; nothing was read or written.")
class InvalidInput:
    code: str = strawberry.field(description="Machine-readable, e.g. TEXT_TOO_LONG.")
    path: str = strawberry.field(description="Where in the arguments, dotted; empty for them as a whole.")
    message: str


@strawberry.type(description="The named thing does not exist in this space.")
class NotFound:
    message: str


@strawberry.type(description="The database or the model does not answer; nothing was decided: ask again.")
class Unavailable:
    message: str
    retry_after_ms: int


def refused(error: errors.InvalidInput) -> InvalidInput:
    """Return the result type of a refused input."""
    return InvalidInput(code=error.code, path=error.path, message=error.message)


def missing(error: errors.NotFound) -> NotFound:
    """Return the result type of a thing that is not there."""
    return NotFound(message=error.message)


def unavailable(error: errors.Unavailable) -> Unavailable:
    """Return the result type of an outage."""
    return Unavailable(message=error.message, retry_after_ms=error.retry_after_ms)
