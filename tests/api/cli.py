"""The command line in this process, on the server all tests share, with an embedder without weight."""

import json
import logging
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from typer.testing import CliRunner, Result

from api.cli.app import app
from graph.neo4j_server import ServerAddress
from tests.fakes import FakeEmbedder

Invoke = Callable[..., Result]


class ClosableFakeEmbedder(FakeEmbedder):
    async def close(self) -> None:
        pass


async def load_fake(_name: str) -> ClosableFakeEmbedder:
    return ClosableFakeEmbedder()


@pytest.fixture
def unchanged(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Put back what a command sets for its process: logs, warnings, signals, hooks; take every setting away."""
    root, config = logging.getLogger(), structlog.get_config()
    handlers, level, term = root.handlers[:], root.level, signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    for name in ("URI", "USER", "PASSWORD", "DATABASE"):
        monkeypatch.delenv(f"NEO4J_{name}", raising=False)
    yield
    assert signal.getsignal(signal.SIGTERM) == term
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(capture=False)
    structlog.configure(**config)


@pytest.fixture
def alone(unchanged: None, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Invoke:  # noqa: ARG001
    """Return what runs a command that must not need a database."""
    monkeypatch.setenv("IMPRESSIONS_HOME", str(tmp_path / "home"))
    return lambda *words, **options: CliRunner().invoke(app, words, **options)


@pytest.fixture
def impressions(unchanged: None, neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch) -> Invoke:  # noqa: ARG001
    """Return what runs a command on the shared server."""
    monkeypatch.setattr("api.wiring.load_embedder", load_fake)
    monkeypatch.setenv("NEO4J_URI", neo4j_address.bolt_uri)
    monkeypatch.setenv("NEO4J_PASSWORD", neo4j_address.password)
    monkeypatch.setenv("IMPRESSIONS_PORT", "0")
    return lambda *words, **options: CliRunner().invoke(app, words, **options)


def told(result: Result) -> Any:
    """Return the one JSON document of a command."""
    return json.loads(result.stdout)
