"""What commands do, on a real Neo4j: for people, for programs, and when something is wrong."""

import json
from pathlib import Path

import pytest

from tests.api.cli import Invoke, alone, impressions, told, unchanged

__all__ = ["alone", "impressions", "unchanged"]

WATSON = {
    "subject": "Dr. John Watson",
    "aliases": ["Watson"],
    "features": ["former army surgeon"],
    "relations": [{"relation": "friend", "target": "Sherlock Holmes"}],
}
HOLMES = {"subject": "Sherlock Holmes", "features": ["consulting detective in London"]}


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    file = tmp_path / "memory.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in (WATSON, HOLMES)), encoding="utf-8")
    return file


def test_import_recall_and_why_not(impressions: Invoke, space: str, memory: Path) -> None:
    imported = impressions("import", str(memory), "--space", space)
    assert imported.exit_code == 0, imported.output
    assert "2 entities created" in imported.stdout
    assert told(impressions("import", str(memory), "--space", space, "--json"))["entitiesCreated"] == 0

    recalled = impressions("recall", "Watson's friend was late", "--space", space)
    assert recalled.exit_code == 0
    assert recalled.stdout.startswith("● Dr. John Watson")
    assert "name: alias 'Watson' stands in the text" in recalled.stdout

    matches = told(impressions("recall", "Watson's friend was late", "-s", space, "--json"))["matches"]
    assert matches[0]["subject"] == "Dr. John Watson"
    assert matches[0]["score"] == pytest.approx(sum(each["contribution"] for each in matches[0]["signals"]))

    asked = impressions("why-not", "a rainy day", "Sherlock Holmes", "--space", space)
    assert asked.exit_code == 0
    assert "○ Sherlock Holmes" in asked.stdout


def test_project_twice_is_one_evidence(impressions: Invoke, space: str, memory: Path) -> None:
    impressions("import", str(memory), "--space", space)
    first, second = (
        told(impressions("project", "Watson called.", "--space", space, "-c", "chat", "--json")) for _ in range(2)
    )
    assert first["evidenceUuid"] == second["evidenceUuid"]
    assert (first["created"], second["created"]) == (True, False)
    shown = impressions("project", "Priya is new here.", "--space", space, "--mention", "Priya")
    assert "→ evidence of 1 active entity, 1 of them new" in shown.stdout


def test_an_export_is_what_was_imported(impressions: Invoke, space: str, memory: Path, tmp_path: Path) -> None:
    impressions("import", str(memory), "--space", space)
    target = tmp_path / "export.jsonl"
    assert told(impressions("export", str(target), "--space", space, "--json")) == {"file": str(target), "lines": 2}
    printed = impressions("export", "--space", space)
    assert printed.stdout == target.read_text(encoding="utf-8")
    assert {json.loads(line)["subject"] for line in printed.stdout.splitlines()} == {
        "Dr. John Watson",
        "Sherlock Holmes",
    }

    empty = impressions("export", str(tmp_path / "empty.jsonl"), "--space", f"{space}-nobody")
    assert empty.exit_code == 0
    assert "holds nothing" in empty.stderr


def test_a_partly_refused_import_says_which_lines_and_fails(impressions: Invoke, space: str) -> None:
    result = impressions("import", "-", "--space", space, input=f"{json.dumps(HOLMES)}\nnot json\n")
    assert result.exit_code == 1
    assert "1 entities created" in result.stdout
    assert "line 2: " in result.stderr

    strict = impressions("import", "-", "--space", space, "--strict", "--json", input="not json\n")
    assert strict.exit_code == 1
    assert told(strict)["error"]["path"] == "line 1"


def test_relation_targets_are_made_on_demand(impressions: Invoke, space: str) -> None:
    row = json.dumps(WATSON)
    assert told(impressions("import", "-", "-s", space, "--json", input=row))["refusedCount"] == 1
    made = told(impressions("import", "-", "-s", space, "--create-targets", "--json", input=row))
    assert (made["entitiesCreated"], made["refusedCount"]) == (1, 0)


def test_what_is_not_there_is_said_with_its_code(impressions: Invoke, space: str) -> None:
    result = impressions("why-not", "hello", "Nobody", "--space", space, "--json")
    assert result.exit_code == 3
    assert told(result)["error"]["kind"] == "NotFound"


def test_one_name_of_several_asks_for_the_uuid(impressions: Invoke, space: str) -> None:
    rows = [{"id": "1", "subject": "James"}, {"id": "2", "subject": "James"}]
    impressions("import", "-", "--space", space, input="\n".join(map(json.dumps, rows)))
    result = impressions("why-not", "James", "James", "--space", space)
    assert result.exit_code == 1
    assert "several bear this name" in result.stderr


@pytest.mark.slow
def test_the_demo_says_the_same_again_and_ends(impressions: Invoke) -> None:
    first = told(impressions("demo", "--exit", "--json"))["scenes"]
    assert [len(scene["turns"]) for scene in first] == [14, 14]
    assert all(
        scene["memory"]["entitiesCreated"] + scene["memory"]["entitiesChanged"] in {0, 31, 32} for scene in first
    )

    again = impressions("demo", "--exit").stdout
    assert again.count("known already") == 2
    talk, rolled, _ = again.partition("is rolled into long-term memory")
    assert rolled
    headlines = [line.strip() for line in talk.splitlines() if line.startswith("   ●")]
    attached = [
        match["subject"] for scene in first for turn in scene["turns"] for match in turn["matches"] if match["attached"]
    ]
    assert [line.startswith(f"● {subject}") for line, subject in zip(headlines, attached, strict=True)] == [True] * len(
        attached
    )


def test_doctor_looks_at_the_server_and_its_indexes(impressions: Invoke, space: str, memory: Path) -> None:
    impressions("import", str(memory), "--space", space)
    result = impressions("doctor", "--json")
    verdicts = {check["name"]: check["verdict"] for check in told(result)["checks"]}
    assert (verdicts["server"], verdicts["indexes"]) == ("FINE", "FINE")
    lines = impressions("doctor").stdout
    assert "Neo4j 20" in lines


@pytest.mark.parametrize(
    "words",
    [
        ["recall", " "],
        ["recall", "hello", "--space", "not a space"],
        ["recall", "hello", "--limit", "0"],
        ["project", "hello", "--conversation", ""],
        ["export", "--space", "not a space"],
        ["import", "no-such-file.jsonl"],
        ["export", "no-such-folder/file.jsonl"],
    ],
)
def test_bad_input_is_refused_in_a_line_before_anything_starts(alone: Invoke, words: list[str], tmp_path: Path) -> None:
    result = alone(*words)
    assert result.exit_code == 1, result.output
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "home").exists()


def test_json_and_standard_output_are_for_one_of_both(alone: Invoke) -> None:
    assert alone("export", "--json").exit_code == 2
    assert alone("no-such-command").exit_code == 2


def test_a_database_that_does_not_answer(alone: Invoke, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("NEO4J_PASSWORD", "x")
    result = alone("export", "--json", "file.jsonl")
    assert result.exit_code == 4
    assert told(result)["error"]["retryable"] is True
    assert "impressions doctor" in result.stderr
    assert alone("neo4j", "start").exit_code == 5


def test_the_managed_server_before_its_first_start(alone: Invoke, tmp_path: Path) -> None:
    found = told(alone("neo4j", "status", "--password", "--json"))
    assert (found["running"], found["password"]) == (False, None)
    assert alone("neo4j", "stop").exit_code == 0
    assert "not running" in alone("neo4j", "status").stdout
    assert not (tmp_path / "home").exists()


def test_the_schema_is_printed_and_compared(alone: Invoke) -> None:
    printed = alone("schema")
    assert printed.stdout == Path("api/schema.graphql").read_text(encoding="utf-8")
    assert alone("schema", "--check").exit_code == 0
