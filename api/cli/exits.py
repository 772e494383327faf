"""What a command's exit code says."""

from enum import IntEnum
from typing import Final

from graph.errors import Conflict, ImpressionsError, InvalidInput, NotConfigured, NotFound, SetupError, Unavailable


class ExitCode(IntEnum):
    """A script may rely on these."""

    DONE = 0
    REFUSED = 1
    """An input was refused, or a part of it; also any failure that has no code of its own."""
    USAGE = 2
    """The command line itself was wrong."""
    NOT_FOUND = 3
    """The named thing is not there, or it changed meanwhile."""
    UNAVAILABLE = 4
    """The database or the model does not answer: try again."""
    SET_UP = 5
    """A setting, the database or this machine needs mending first."""
    INTERRUPTED = 130
    """Ended by Ctrl-C, SIGTERM or a closed terminal before it was done."""


MEANINGS: Final = (
    "Exit codes: 0 done, 1 refused (an input, or part of it), 2 wrong usage, 3 not found or changed meanwhile, "
    "4 unavailable (try again), 5 set-up needed, 130 interrupted."
)

_CODES: Final[tuple[tuple[type[ImpressionsError], ExitCode], ...]] = (
    (InvalidInput, ExitCode.REFUSED),
    (NotFound, ExitCode.NOT_FOUND),
    (Conflict, ExitCode.NOT_FOUND),
    (Unavailable, ExitCode.UNAVAILABLE),
    (NotConfigured, ExitCode.SET_UP),
    (SetupError, ExitCode.SET_UP),
)


def exit_code(error: ImpressionsError) -> ExitCode:
    """Return the code of an error."""
    return next((code for kind, code in _CODES if isinstance(error, kind)), ExitCode.REFUSED)
