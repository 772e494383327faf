"""Expected failures as members of result unions."""

from typing import assert_never

import strawberry

from api.sizes import sized
from graph import errors


@strawberry.type(description="The caller's value was refused; nothing was read or written.")
class InvalidInput:
    code: str = strawberry.field(description="Machine-readable, e.g. TEXT_TOO_LONG.")
    path: str = strawberry.field(description="Where in the arguments, dotted; empty for them as a whole.")
    message: str


@strawberry.type(description="The named thing does not exist in this space.")
class NotFound:
    message: str


@strawberry.type(description="The stored state no longer allows what was asked for.")
class Conflict:
    message: str
    conflicts: list[str] = strawberry.field(metadata=sized(100))


@strawberry.type(description="A setting is missing.")
class NotConfigured:
    setting: str
    message: str


@strawberry.type(description="The database or the model does not answer; nothing was decided: ask again.")
class Unavailable:
    message: str
    retry_after_ms: int


ExpectedError = errors.InvalidInput | errors.NotFound | errors.Conflict | errors.NotConfigured | errors.Unavailable
EXPECTED = (errors.InvalidInput, errors.NotFound, errors.Conflict, errors.NotConfigured, errors.Unavailable)


def failure(error: ExpectedError) -> InvalidInput | NotFound | Conflict | NotConfigured | Unavailable:
    """Return the result type of any expected error."""
    match error:
        case errors.InvalidInput():
            return refused(error)
        case errors.NotFound():
            return missing(error)
        case errors.Conflict():
            return Conflict(message=error.message, conflicts=list(error.conflicts))
        case errors.NotConfigured():
            return NotConfigured(setting=error.setting, message=error.message)
        case errors.Unavailable():
            return unavailable(error)
        case _:
            assert_never(error)


def refused(error: errors.InvalidInput) -> InvalidInput:
    """Return the result type of a refused input."""
    return InvalidInput(code=error.code, path=error.path, message=error.message)


def missing(error: errors.NotFound) -> NotFound:
    """Return the result type of a thing that is not there."""
    return NotFound(message=error.message)


def unavailable(error: errors.Unavailable) -> Unavailable:
    """Return the result type of an outage."""
    return Unavailable(message=error.message, retry_after_ms=error.retry_after_ms)
