"""What the service that runs at the configured address says of itself: asked from another process, by `doctor`."""

import asyncio
import http.client
import json
from dataclasses import dataclass
from typing import Final

from api.readiness import Reason
from api.settings import Settings

SECONDS: Final = 3.0
"""A service answers within one, whatever is the matter."""
REMEDIES: Final = {
    Reason.STARTING: "look again in half a minute",
    Reason.DATABASE_UNAVAILABLE: "Neo4j does not answer: see that it runs, its log tells more",
    Reason.OVERLOADED: "all connections to Neo4j are in use, it may be well: ask for less at once; "
    "impressions_database_connections_in_use in /metrics tells how it goes",
    Reason.DATABASE_RESTARTING: "the managed Neo4j is being started again: look again in half a minute",
    Reason.DATABASE_DOWN: "the managed Neo4j does not come back by itself: the log of the service tells why",
    Reason.REINDEXING: "a reindex runs, and the service goes on by itself after it",
    Reason.OTHER_MODEL: "set IMPRESSIONS_EMBEDDING_MODEL to that of the stored vectors, or run impressions reindex",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What `/readyz` said."""

    reason: Reason | None
    """Why it is not ready; None where it is."""


async def ask_ready(settings: Settings) -> Answer | None:
    """Return what the service at the configured address says of itself; None where none of ours answers there."""
    return await asyncio.to_thread(_ask, settings.host, settings.port)


def _ask(host: str, port: int) -> Answer | None:
    connection = http.client.HTTPConnection(host, port, timeout=SECONDS)
    try:
        connection.request("GET", "/readyz")
        told = json.loads(connection.getresponse().read(10_000))
        return Answer(None if told["ready"] else Reason(told["reason"]))
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError):
        return None  # somebody else listens there, or the port is taken and nobody answers
    finally:
        connection.close()
