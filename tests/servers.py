"""Servers that live as long as a test or a run of them."""

from pathlib import Path
from typing import Any, Final

from graph.neo4j_server import ManagedServer

_SOON_GONE: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Without the second compiler and the collector's threads: on two cores a start takes half of the processor's time.
What they are for, a server that runs for minutes beside its tests does not get back."""


def brief_server(home: Path, **options: Any) -> ManagedServer:
    """Return a small server that is quick to start; `options` as of `ManagedServer`."""
    return ManagedServer(home, **{"heap": "512m", "page_cache": "32m", "jvm_options": _SOON_GONE, **options})
