"""How a start tells its caller what it is waiting for."""

from enum import StrEnum
from typing import Protocol


class Stage(StrEnum):
    """What is going on, in words fit for a progress bar."""

    WAIT = "Waiting for another process that starts or stops Neo4j"
    CHECK = "Checking the parts of Neo4j"
    DOWNLOAD = "Downloading Neo4j"
    START = "Starting Neo4j"
    STOP = "Stopping Neo4j"
    MODEL = "Loading the embedding model"


class Progress(Protocol):
    """Takes news from worker threads, several times a second; must return quickly."""

    def __call__(self, stage: Stage, fraction: float | None, /) -> None:
        """Take that `stage` is done to `fraction` (0 to 1, `None`: not known)."""


def silent(_stage: Stage, _fraction: float | None, /) -> None:
    """Tell nobody."""


class Abandoned(BaseException):
    """The caller was cancelled while a thread worked for it.

    Raised by the `Progress` that thread reports to, so that the work ends where it next reports. Not an error: nobody
    outside the managed server sees it.
    """
