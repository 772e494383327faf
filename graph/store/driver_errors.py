"""What the driver and the server raise, as this service's errors, the query's name in the message."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from neo4j.exceptions import (
    AuthError,
    ConfigurationError,
    ConnectionAcquisitionTimeoutError,
    ConstraintError,
    DriverError,
    Neo4jError,
    ServiceUnavailable,
    SessionExpired,
    TransientError,
)

from graph.errors import Conflict, ImpressionsError, LoginRefused, Panicked, PoolExhausted, SetupError, Unavailable

_TIMED_OUT: Final = "TransactionTimedOut"
_ENTITY_GONE: Final = "Neo.ClientError.Statement.EntityNotFound"
_PANICKED: Final = "Neo.DatabaseError.Transaction.TransactionStartFailed"
"""What a database answers to everything once it could not write its log: it must be restarted."""
_NO_INDEX: Final = "Neo.ClientError.Schema.IndexNotFound"
_NO_FULLTEXT_INDEX: Final = "There is no such fulltext schema index"
"""The procedure that is asked has no code of its own for it."""


@contextmanager
def translated(query: str, *, is_exhausted: Callable[[], bool] = lambda: False) -> Iterator[None]:
    """Turn what the driver raises into this service's errors.

    Args:
        query: its name, for the message.
        is_exhausted: tells whether all connections are in use.
    """
    try:
        yield
    except ConnectionAcquisitionTimeoutError as error:
        # The driver says the same where a server does not answer to a new connection, or to the check of an old one.
        if is_exhausted():
            message = f"all connections to Neo4j are in use ({query}): too much is asked at once"
            raise PoolExhausted(message, 2_000) from error
        raise Unavailable(f"Neo4j did not answer ({query}): no connection within the time for one") from error
    except (TimeoutError, ServiceUnavailable, SessionExpired) as error:
        raise Unavailable(f"Neo4j did not answer ({query}): {str(error) or 'time is up'}") from error
    except ConstraintError as error:
        raise Conflict(f"the graph changed meanwhile ({query}): {error.message}") from error
    except AuthError as error:
        raise LoginRefused(
            f"Neo4j refused the user or password: {error.message}. Check NEO4J_USER and NEO4J_PASSWORD"
        ) from (error)
    except (TransientError, ConfigurationError) as error:
        raise Unavailable(f"Neo4j is busy or changing hands ({query}): {error}") from error
    except Neo4jError as error:
        raise _refusal(query, error) from error
    except DriverError as error:
        raise Unavailable(f"the connection to Neo4j failed ({query}): {error}") from error


def _refusal(query: str, error: Neo4jError) -> ImpressionsError:
    """Return our error for one that the server gave its reason for."""
    code, message = error.code or "", error.message or ""
    if code == _ENTITY_GONE:
        return Conflict(f"what {query} writes to was deleted meanwhile: {message}")
    if code == _NO_INDEX or _NO_FULLTEXT_INDEX in message:
        return Unavailable(
            f"Neo4j has no such index as {query} asks for: a reindex may be running; else start the service again, "
            f"which makes what is missing: {message}"
        )
    if _TIMED_OUT in code:
        return Unavailable(f"Neo4j ran out of time ({query})")
    if "DatabaseNotFound" in code:
        return SetupError(f"{message} Check NEO4J_DATABASE")
    if code.startswith("Neo.DatabaseError"):
        return _failure(query, code, message)
    return SetupError(f"Neo4j refused {query}: {message}")


def _failure(query: str, code: str, message: str) -> Unavailable:
    if code == _PANICKED:
        return Panicked(
            f"the database refuses {query} until its server is restarted, after a full disk for instance: make room. "
            "The service restarts a managed Neo4j by itself; your own one is yours to restart"
        )
    return Unavailable(f"Neo4j failed at {query}, its log says more: {message}")
