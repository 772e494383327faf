"""What can go wrong, in one tree.

    ImpressionsError
    ├── InvalidInput          the caller's value cannot be taken; says which and why
    ├── NotFound              the named thing is not in this space
    ├── Conflict              the world changed, or a key is taken, since the caller looked
    ├── NotConfigured         a setting is missing; names it
    ├── Unavailable           could not look: the database (or the model) does not answer; retryable
    │   ├── DatabaseGone      nothing is asked of the database before it answers again
    │   ├── PoolExhausted     the database may be well: all connections to it are in use
    │   ├── Panicked          the database gave up, after a full disk for instance: its server must be restarted
    │   └── ServerNotStarted  the managed Neo4j did not come up; carries the tail of its log
    │       └── DiskFull      there is no room for it to start
    └── SetupError            the database is not usable as it is; says the way out
        ├── LoginRefused      not with this user and password
        ├── ModelMismatch     its vectors were made by another embedding model
        └── UnsupportedServer its release or edition cannot serve this schema

Only `api` turns these into GraphQL results, HTTP statuses and exit codes.
"""

from dataclasses import dataclass
from typing import ClassVar


class ImpressionsError(Exception):
    """Root of every error this service raises on purpose."""

    retryable: ClassVar[bool] = False


@dataclass(eq=False)
class InvalidInput(ImpressionsError):
    """A caller's value was refused before anything was read or written."""

    code: str
    """Machine-readable, upper snake case, e.g. `TEXT_TOO_LONG`."""
    path: str
    """Where in the input, dotted, e.g. `input.text`; empty for the input as a whole."""
    message: str

    def __str__(self) -> str:
        return f"{self.path}: {self.message}" if self.path else self.message


@dataclass(eq=False)
class NotFound(ImpressionsError):
    """The named thing does not exist in the caller's space."""

    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(eq=False)
class Conflict(ImpressionsError):
    """The stored state no longer allows what the caller asked for."""

    message: str
    conflicts: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.message


@dataclass(eq=False)
class NotConfigured(ImpressionsError):
    """A feature was asked for whose setting is missing."""

    setting: str
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(eq=False)
class Unavailable(ImpressionsError):
    """A collaborator did not answer in bounded time. Nothing was decided: ask again."""

    retryable: ClassVar[bool] = True

    message: str
    retry_after_ms: int = 1000

    def __str__(self) -> str:
        return self.message


class DatabaseGone(Unavailable):
    """The database was asked for nothing, twice, and did not answer: until it does, nobody waits for it."""


class PoolExhausted(Unavailable):
    """All connections to the database are in use: too much is asked at once."""


@dataclass(eq=False)
class ServerNotStarted(Unavailable):
    """The managed Neo4j did not come up; `log_tail` holds the last lines it wrote."""

    log_tail: str = ""

    def __str__(self) -> str:
        return f"{self.message}\n{self.log_tail}" if self.log_tail else self.message


class DiskFull(ServerNotStarted):
    """The managed Neo4j has no room on its disk to start."""


class Panicked(Unavailable):
    """The database refuses everything until its server is restarted."""


@dataclass(eq=False)
class SetupError(ImpressionsError):
    """The database cannot be used as it stands; the message names the way out."""

    message: str

    def __str__(self) -> str:
        return self.message


class LoginRefused(SetupError):
    """The server knows no such user, or another password."""


class ModelMismatch(SetupError):
    """The stored vectors come from another embedding model or dimension."""


class UnsupportedServer(SetupError):
    """The server's release cannot hold this schema."""
