"""What the commands around updates do, on a real Neo4j: a plan seen, landed, taken back; what waits, decided."""

import json
from pathlib import Path

import pytest

from api.cli.exits import ExitCode
from graph.neo4j_ports import free_port
from tests.api.cli import Invoke, impressions, told, unchanged

__all__ = ["impressions", "unchanged"]

SAID = "Alice moved to Hangzhou last year"


@pytest.fixture
def rolling(tmp_path: Path) -> str:
    file = tmp_path / "rolling.json"
    file.write_text(
        json.dumps({"summary": "a talk", "conversation": "c", "messages": [{"role": "user", "text": SAID}]}),
        encoding="utf-8",
    )
    return str(file)


@pytest.fixture
def observed(tmp_path: Path) -> str:
    file = tmp_path / "plans.json"
    features = [{"text": "lives in Hangzhou", "evidence": SAID, "confidence": 0.8}]
    none = ("aliases", "impressions", "relations", "sourceActiveRuntimeIds", "evidenceSnippets")
    observation = {"proposedSubject": "Alice", "features": features, "confidence": 0.9, "reason": "she said so"}
    plan = {"observations": [{**observation, **{each: [] for each in none}}], "status": "PREPARED", "reason": ""}
    file.write_text(json.dumps(plan), encoding="utf-8")
    return str(file)


def test_a_preview_shows_the_plan_and_keeps_nothing(
    impressions: Invoke, space: str, rolling: str, observed: str
) -> None:
    shown = impressions("update", rolling, "--observations", observed, "--preview", "--space", space)

    assert shown.exit_code == 0, shown.output
    assert "create Alice" in shown.stdout
    assert "+ lives in Hangzhou (0.80)" in shown.stdout
    assert impressions("export", "-", "--space", space).stdout == ""
    assert told(impressions("runs", "--space", space, "--json")) == []


def test_a_preview_of_what_waits_for_a_word_leaves_it_waiting(
    impressions: Invoke, space: str, rolling: str, observed: str
) -> None:
    update = ("update", rolling, "--observations", observed, "--space", space)
    impressions(*update, "--manual")
    before = told(impressions("runs", "--space", space, "--json"))

    shown = impressions(*update, "--preview", "--json")

    assert shown.exit_code == 0, shown.output
    assert [step["subject"] for step in told(shown)["steps"]] == ["Alice"]
    assert told(impressions("runs", "--space", space, "--json")) == before
    assert [run["status"] for run in before] == ["PREPARED"]


def test_a_plan_is_confirmed_undone_and_forgotten(impressions: Invoke, space: str, rolling: str, observed: str) -> None:
    waiting = impressions("update", rolling, "--observations", observed, "--manual", "--space", space)
    [run] = told(impressions("runs", "--space", space, "--json"))
    confirm = f"next: impressions confirm {run['id']} --space {space}"
    assert confirm in " ".join(waiting.stdout.split())

    landed = impressions("confirm", run["id"], "--space", space)
    assert landed.exit_code == 0, landed.output
    assert "written: 1 entities" in landed.stdout
    assert "Alice" in impressions("export", "-", "--space", space).stdout
    assert told(impressions("run", run["id"], "--space", space, "--json"))["status"] == "APPLIED"

    assert "UNDONE" in impressions("undo", run["id"], "--space", space).stdout
    assert impressions("export", "-", "--space", space).stdout == ""
    assert impressions("confirm", run["id"], "--space", space).exit_code == ExitCode.NOT_FOUND

    impressions("update", rolling, "--observations", observed, "--space", space)
    [match] = told(impressions("recall", "Alice called", "--space", space, "--json"))["matches"]
    forgotten = impressions("forget", match["target"]["id"], "--yes", "--space", space)
    assert forgotten.exit_code == 0, forgotten.output
    assert told(impressions("recall", "Alice called", "--space", space, "--json"))["matches"] == []


def test_what_waits_is_listed_and_decided(
    impressions: Invoke, space: str, rolling: str, observed: str, tmp_path: Path
) -> None:
    memory = tmp_path / "alices.jsonl"
    memory.write_text(
        "".join(json.dumps({"id": id_, "subject": "Alice"}) + "\n" for id_ in ("a", "b")), encoding="utf-8"
    )
    impressions("import", str(memory), "--space", space)
    impressions("update", rolling, "--observations", observed, "--space", space)

    assert "Alice" in impressions("pending", "--space", space).stdout
    skipped = impressions("pending", "--space", space, "--skip", "1")
    assert "0 of 1 that wait" in skipped.stderr
    [pending] = told(impressions("pending", "--space", space, "--json"))
    decided = impressions("decide", pending["id"], "--create", "--space", space)
    assert decided.exit_code == 0, decided.output
    assert told(impressions("pending", "--space", space, "--json")) == []
    assert impressions("export", "-", "--space", space).stdout.count('"Alice"') == 3


def test_a_run_whose_model_failed_says_what_comes_next_and_fails(
    impressions: Invoke, space: str, rolling: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IMPRESSIONS_LLM_MODEL", "openai/nobody")
    monkeypatch.setenv("IMPRESSIONS_LLM_BASE_URL", f"http://127.0.0.1:{free_port()}/v1")
    monkeypatch.setenv("IMPRESSIONS_LLM_API_KEY", "none")
    impressions("project", SAID, "--mention", "Alice", "--conversation", "c", "--space", space)

    partial = impressions("update", rolling, "--space", space)

    assert partial.exit_code == ExitCode.UNAVAILABLE, partial.output
    [run] = told(impressions("runs", "--space", space, "--json"))
    assert f"nothing was written; next: impressions resume {run['id']} --space {space}" in " ".join(
        partial.stdout.split()
    )
    assert impressions("resume", run["id"], "--space", space).exit_code == ExitCode.UNAVAILABLE
