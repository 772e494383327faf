"""Where the database is, how long to wait for it, and the driver that is made of this."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from neo4j import Address, AsyncDriver, AsyncGraphDatabase, NotificationMinimumSeverity
from neo4j.exceptions import ConfigurationError

from graph.errors import SetupError
from graph.store.unit_of_work import SECONDS_TO_END

MOST_CONNECTIONS: Final = 100
"""Connections to one server, the driver's own default."""
SECONDS_TO_CONNECT: Final = 4.0
"""How long a call may wait for a connection, a new one or one that another call gives back."""
LANDING_SECONDS: Final = 30.0
"""Time limit for what writes many things at once: a plan of the largest size, a batch of an import."""
UPKEEP_SECONDS: Final = 300.0
"""Time limit for work on a whole database or space, which nobody waits for in a conversation."""
assert SECONDS_TO_CONNECT < SECONDS_TO_END


@dataclass(frozen=True, slots=True)
class Connection:
    """Where the database is and how long to wait for it."""

    uri: str
    user: str
    password: str
    database: str | None = None
    """None means the user's home database."""
    time_limit: float = 10.0
    """Seconds until a caller has its answer, or is told that there is none: waiting for a connection, work on the
    server and retries together. The work itself is ended, too."""
    retry_time: float = 5.0
    """Seconds over which a transaction is retried when the server is busy or restarting."""
    most_connections: int = MOST_CONNECTIONS
    """As many may be open to one server."""
    located: Callable[[], tuple[str, int]] | None = None
    """Tells host and port of the moment, where they may change: a managed server may come back on other ports."""

    def __repr__(self) -> str:
        return f"Connection({self.uri!r}, user={self.user!r}, database={self.database!r})"


@dataclass(frozen=True, slots=True)
class PoolUse:
    """The connections to the database at one moment."""

    in_use: int
    open: int
    """Those that wait for work included."""
    most: int
    """As many may be open to one server."""

    @property
    def is_exhausted(self) -> bool:
        """Whether the next call has to wait until another gives its connection back."""
        return self.in_use >= self.most


def _resolver(connection: Connection) -> Callable[[Address], Iterable[Address]]:
    located = connection.located
    return (lambda _: [Address(located())]) if located else (lambda address: [address])


def open_driver(connection: Connection, *, strict: bool, most_connections: int) -> AsyncDriver:
    """Return a driver; nothing is connected yet.

    Raises:
        SetupError: the address is malformed.
    """
    try:
        return AsyncGraphDatabase.driver(
            connection.uri,
            resolver=_resolver(connection),
            auth=(connection.user, connection.password),
            max_connection_pool_size=most_connections,
            max_transaction_retry_time=connection.retry_time,
            connection_timeout=SECONDS_TO_CONNECT,
            connection_acquisition_timeout=SECONDS_TO_CONNECT,
            # No liveness check (neo4j 6.1): where a server hangs, the check runs out of time by an error that its pool
            # does not expect, and the place of that connection is lost for ever. A connection that was cut while
            # nobody looked costs its first transaction one retry instead.
            liveness_check_timeout=None,
            # An empty database does not know our labels and properties yet; nothing to warn of.
            notifications_disabled_classifications=["UNRECOGNIZED"],
            notifications_min_severity=(
                NotificationMinimumSeverity.INFORMATION if strict else NotificationMinimumSeverity.WARNING
            ),
        )
    except (ConfigurationError, ValueError) as error:
        raise SetupError(f"cannot use the address {connection.uri!r}: {error}") from error
