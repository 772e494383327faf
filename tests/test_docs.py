"""The documents say what is: tables match the code, links lead somewhere, GraphQL examples give the answers shown."""

import json
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from api.app import create_app
from api.settings import Settings
from api.wiring import Service, assemble
from graph.neo4j_server import ServerAddress
from resolvers.transfer.importing import import_entities
from tests.fakes import FakeEmbedder
from tests.prepared import prepared_store

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md"), ROOT / "examples" / "README.md"]
EXAMPLE = re.compile(r"```graphql\n(?P<query>.*?)```(?:\s*```json\n(?P<answer>.*?)```)?", re.DOTALL)
GRAPHQL = ROOT / "docs" / "graphql.md"
MEMORIES = {"example-en": "sherlock_holmes.jsonl", "example-zh": "three_kingdoms.jsonl"}


def test_settings_commands_and_queries_are_told_as_they_are() -> None:
    ended = subprocess.run(
        [sys.executable, ROOT / "docs" / "reference.py", "--check"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"\]\((?!https?://)([^)#]*)(#[^)]*)?\)", text):
        path, anchor = target
        linked = (page.parent / path).resolve() if path else page
        assert linked.exists(), path
        if anchor:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor[1:] in {heading.lower().replace(" ", "-") for heading in headings}


def test_every_verb_of_make_that_the_readme_names_exists() -> None:
    verbs = set(re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", (ROOT / "README.md").read_text(encoding="utf-8")))
    assert {"demo", "test"} <= named <= verbs


@pytest.fixture(scope="module")
async def service(neo4j_address: ServerAddress) -> AsyncIterator[Service]:
    async with prepared_store(neo4j_address) as store:
        yield assemble(Settings(), store, FakeEmbedder(), browser_url=None, bolt_uri=neo4j_address.bolt_uri)


@pytest.fixture(scope="module")
async def spaces(service: Service) -> dict[str, str]:
    """Return spaces nobody else uses, filled as the demo fills its own."""
    filled = {}
    for name, memory in MEMORIES.items():
        filled[name] = f"docs-{name}-{id(service):x}"
        lines = (ROOT / "examples" / memory).read_bytes().splitlines()
        await import_entities(service.store, service.embedder, service.clock, lines, space=filled[name])
    return filled


async def test_graphql_examples_give_the_answers_shown(service: Service, spaces: dict[str, str]) -> None:
    """They run in their order, as a reader would: later ones ask for what earlier ones did."""
    examples = EXAMPLE.findall(GRAPHQL.read_text(encoding="utf-8"))
    assert examples
    transport = httpx.ASGITransport(app=create_app(service))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8321") as client:
        for shown, answer in examples:
            query = shown
            for name, filled in spaces.items():
                query = query.replace(f'"{name}"', f'"{filled}"')
            told = (await client.post("/graphql", json={"query": query})).json()
            assert "errors" not in told, query
            assert all(told["data"].values()), query
            if answer:
                assert_holds(told["data"], json.loads(answer))


def assert_holds(told: Any, shown: Any) -> None:
    """See that all that is shown was told; lists may go on."""
    if isinstance(shown, dict):
        assert shown.keys() <= told.keys()
        for name, value in shown.items():
            assert_holds(told[name], value)
    elif isinstance(shown, list):
        assert len(told) >= len(shown)
        for one, other in zip(told, shown, strict=False):
            assert_holds(one, other)
    else:
        assert told == shown
