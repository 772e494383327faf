"""Each benchmark runs on a tiny folder of data and writes the figures it promises."""

import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from tests.servers import brief_server

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
async def server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[str, str]]:
    """Start a server of its own: the benchmarks' vectors are those of the packaged model."""
    managed = brief_server(tmp_path_factory.mktemp("neo4j"), page_cache="64m")
    address = await managed.start_pinned()
    yield {"NEO4J_URI": address.bolt_uri, "NEO4J_USER": address.user, "NEO4J_PASSWORD": address.password}
    await managed.stop(force=True)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data")
    entities = [
        {"subject": "Alice", "aliases": ["Al"], "impressions": ["likes green tea"], "features": [], "relations": []},
        {"subject": "Bob", "aliases": [], "impressions": [], "features": ["repairs old bicycles"], "relations": []},
        {"subject": "Carol", "aliases": [], "impressions": ["sings in a choir"], "features": [], "relations": []},
    ]
    queries = [
        {"text": "What does Alice drink?", "relevant": ["Alice"]},
        {"text": "Who could mend my bicycle?", "relevant": ["Bob"]},
    ]
    pool = {"id": "tiny-1", "lang": "en", "source": "here", "entities": entities, "queries": queries}
    other = {**pool, "id": "small-1", "queries": [{"text": "Which choir sings tonight?", "relevant": ["Carol"]}]}
    write_lines(folder / "recall" / "tiny_en.jsonl", pool)
    write_lines(folder / "recall" / "small_en.jsonl", other)
    write_lines(
        folder / "recall" / "negatives.jsonl",
        {"id": "n1", "lang": "en", "text": "ok, thanks", "pool_file": "recall/tiny_en.jsonl", "pool_id": "tiny-1"},
        {"id": "n2", "lang": "en", "text": "ok", "pool_file": "recall/gone_en.jsonl", "pool_id": "gone-1"},
    )
    write_lines(folder / "graphs" / "people.jsonl", {"subject": "Dave", "aliases": ["D"]})
    homonyms = [{"subject": "Sam", "aliases": []}, {"subject": "sam", "aliases": []}]
    write_lines(
        folder / "identity" / "identity_cases.jsonl",
        identity_case("u", homonyms[:1], "SAM", expect="update:Sam"),
        identity_case("c", homonyms[:1], "Tom", expect="create"),
        identity_case("a", homonyms, "Sam", expect="ambiguous"),
    )
    write_lines(
        folder / "identity" / "identity_policy_cases.jsonl",
        identity_case("p", [{"subject": "Zoë", "aliases": []}], "Zoe", policy="diacritics", expect_strict="create"),
    )
    return folder


def identity_case(name: str, known: list[dict[str, Any]], subject: str, **answer: str) -> dict[str, Any]:
    return {"id": name, "cat": "tiny", "known": known, "observed": {"subject": subject, "aliases": []}, **answer}


def write_lines(path: Path, *documents: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")


def run(script: str, *options: object, server: dict[str, str], figures: Path) -> dict[str, Any]:
    command = [sys.executable, f"benchmarks/{script}.py", "--json", figures, *options]
    done = subprocess.run(
        [str(part) for part in command], cwd=ROOT, env=os.environ | server, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    written: dict[str, Any] = json.loads(figures.read_text(encoding="utf-8"))
    return written


def test_recall_quality(data: Path, server: dict[str, str], tmp_path: Path) -> None:
    figures = run("recall_quality", "--data", data, server=server, figures=tmp_path / "figures.json")

    assert set(figures["sets"]) == {"tiny_en", "small_en"}
    tiny = figures["sets"]["tiny_en"]
    assert tiny["queries"] == 2
    assert tiny["R@1"] == tiny["R@5"] == tiny["R@10"] == tiny["MRR@10"] == tiny["nDCG@10"] == 1.0
    assert figures["negatives"]["queries"] == 1
    assert figures["negatives"]["attached"] == 0
    assert figures["negatives"]["skipped"] == 1


def test_identity(data: Path, server: dict[str, str], tmp_path: Path) -> None:
    figures = run("identity", "--data", data, server=server, figures=tmp_path / "figures.json")

    assert (figures["cases"], figures["correct"], figures["wrong"]) == (3, 3, [])
    assert figures["policy"]["cases"] == 1
    assert figures["policy"]["wrong_merges"] == []
    assert figures["policy"]["decisions"] == {"diacritics": {"postponed": 1}}


def test_latency(server: dict[str, str], tmp_path: Path) -> None:
    few = ("--sizes", "50", "--rounds", "25", "--warm-up", "5")
    figures = run("latency", *few, server=server, figures=tmp_path / "figures.json")

    measured = figures["sizes"]["50"]
    for name in ("recall", "project"):
        assert 0 < measured[f"{name}_p50_ms"] <= measured[f"{name}_p95_ms"]
    for floor in ("return1", "text", "vector", "calls", "write"):
        assert measured[f"floor_{floor}_p50_ms"] > 0


def test_other_spaces(data: Path, server: dict[str, str], tmp_path: Path) -> None:
    given = ("--data", data, "--set", "tiny_en", "--beside", "small_en,people")
    figures = run("other_spaces", *given, server=server, figures=tmp_path / "figures.json")

    assert figures["asked_beside"]["queries"] == 2
    assert figures["asked_beside"]["largest_signal_move"] == 0.0
