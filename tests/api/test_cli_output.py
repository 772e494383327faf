"""Pure parts of the command line: documents, exit codes, matches as lines."""

import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

from api.cli.exits import MEANINGS, ExitCode, exit_code
from api.cli.matches import match_document, render_briefly, render_recall
from api.cli.output import Output, plain
from graph import errors
from resolvers.recall.values import (
    AmbiguousName,
    Candidate,
    Channel,
    Match,
    Recall,
    Rule,
    Signal,
    Target,
    TargetType,
    VectorHit,
)

MATCH = Match(
    Target(TargetType.ENTITY, "u1"),
    0.75,
    (
        Signal(Channel.NAME, 2.5, 0.9, "subject '刘备' stands in the text", 0.5),
        Signal(
            Channel.VECTOR, 0.4, 0.7, "means something near the feature", 0.25, vector_hit=VectorHit("s", "称帝", 0.4)
        ),
    ),
    subject="刘备",
    attached=True,
    rule=Rule.SCORE,
    reason="its score 0.75 reaches 0.23",
)
CUT = Match(Target(TargetType.ENTITY, "u2"), 0.1, (), "吕布", rule=Rule.BELOW_THRESHOLD, reason="too weak")
RECALL = Recall(
    (CUT, MATCH), (AmbiguousName("丞相", (Candidate("u3", "曹操"), Candidate("u4", "诸葛亮"))),), ("capped",)
)


def lines(*shown: object) -> list[str]:
    console = Console(width=200, no_color=True)
    with console.capture() as captured:
        for each in shown:
            console.print(each)
    return [line.rstrip() for line in captured.get().splitlines()]


@dataclass(frozen=True)
class _Told:
    some_path: Path
    at: datetime
    channel: Channel


def test_frozen_values_become_camel_case_documents() -> None:
    told = _Told(Path("a"), datetime(2026, 9, 1, tzinfo=UTC), Channel.NAME)
    assert plain({"x": (told,)}) == {"x": [{"somePath": "a", "at": "2026-09-01T00:00:00+00:00", "channel": "NAME"}]}


def test_a_match_as_a_document_names_the_source_of_its_signals() -> None:
    document = match_document(MATCH)
    assert [signal["source"] for signal in document["signals"]] == ["TEXT", "VECTOR"]
    assert document["target"] == {"type": "ENTITY", "id": "u1"}


def test_matches_as_lines_attached_ones_first() -> None:
    assert lines(render_recall(RECALL)) == [
        "● 刘备                      0.75 ━━━━━━━━━━━━     name 0.50 + vector 0.25",
        "  attached: its score 0.75 reaches 0.23",
        "  name: subject '刘备' stands in the text",
        "  vector: means something near the feature: “称帝”",
        "○ 吕布                      0.10",
        "  not attached: too weak",
        "? 丞相 may be 曹操 or 诸葛亮",
        "note: capped",
    ]


def test_briefly_the_signals_stand_for_the_score() -> None:
    shown = lines(*render_briefly(RECALL, others=0))
    assert shown[1] == "  subject '刘备' stands in the text; means something near the feature: “称帝”"
    assert not any("吕布" in line for line in shown)


def test_nothing_is_said_as_such() -> None:
    assert lines(render_recall(Recall(()))) == ["about nothing that is remembered"]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidInput("C", "p", "m"), 1),
        (errors.NotFound("m"), 3),
        (errors.Conflict("m"), 3),
        (errors.Unavailable("m"), 4),
        (errors.ServerNotStarted("m"), 4),
        (errors.NotConfigured("S", "m"), 5),
        (errors.ModelMismatch("m"), 5),
        (errors.ImpressionsError(), 1),
    ],
)
def test_each_error_has_its_exit_code(error: errors.ImpressionsError, code: int) -> None:
    assert exit_code(error) == code


def test_help_tells_every_exit_code() -> None:
    assert all(f"{code.value} " in MEANINGS for code in ExitCode)


def test_stored_text_steers_no_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    evil = "a\x1b[2J\x9b2J\u202ec"
    for as_json in (False, True):
        output = Output(as_json=as_json)
        output.result({"text": evil}, lambda: Text(evil, "bold"))
        output.say(evil)
        output.fail(errors.NotFound(evil))
    told = capsys.readouterr()
    assert not {"\x1b", "\x9b", "\u202e"} & {*told.out, *told.err}
    assert told.out.splitlines()[0] == r"a\x1b[2J\x9b2J\u202ec"
    assert json.loads(told.out.splitlines()[1])["text"] == evil
