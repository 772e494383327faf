import json
from typing import Any

import pytest

from graph.names import MAX_NAME
from graph.values import StatementKind
from resolvers.transfer.report import RefusedLine
from resolvers.transfer.rows import MAX_ITEMS, MAX_LINE, Row, read_row


def read(line: bytes | str | dict[str, Any], *, number: int = 1) -> Row | RefusedLine | None:
    raw = line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
    return read_row(number, raw, "s00")


def row(line: dict[str, Any]) -> Row:
    read_ = read(line)
    assert isinstance(read_, Row), read_
    return read_


def test_a_full_row() -> None:
    full = row(
        {
            "id": 7,
            "subject": " Dr. Watson ",
            "aliases": ["Watson", {"text": "Ormond Sacker", "deprecated": True}],
            "impressions": ["brave", {"text": "loyal", "confidence": 0.5}],
            "features": [{"text": "army surgeon", "confidence": None}],
            "relations": [{"type": "friend", "target": "Holmes", "strength": 1}, {"relation": "wife", "target": 12}],
        }
    )
    assert (full.id, full.subject.text, full.subject.key) == ("7", "Dr. Watson", "dr. watson")
    assert full.subject.terms == "s00dr s00watson"
    assert [(alias.text, alias.deprecated) for alias in full.aliases] == [("Watson", False), ("Ormond Sacker", True)]
    assert [(each.kind, each.text, each.confidence) for each in full.statements] == [
        (StatementKind.IMPRESSION, "brave", 1.0),
        (StatementKind.IMPRESSION, "loyal", 0.5),
        (StatementKind.FEATURE, "army surgeon", 1.0),
    ]
    assert [(each.relation, each.target, each.strength) for each in full.relations] == [
        ("friend", "Holmes", 1.0),
        ("wife", "12", 1.0),
    ]


def test_only_the_subject_is_needed() -> None:
    assert row({"subject": "刘备", "aliases": None, "relations": None, "id": None}) == row({"subject": "刘备"})


def test_repeated_names_and_statements_are_one() -> None:
    repeated = row(
        {
            "subject": "Ada",
            "aliases": ["ADA", {"text": "Countess", "deprecated": True}, "countess", "COUNTESS"],
            "features": [{"text": "Wrote programs", "confidence": 0.4}, {"text": "wrote  programs", "confidence": 0.6}],
            "impressions": ["wrote programs"],
        }
    )
    assert [(alias.text, alias.deprecated) for alias in repeated.aliases] == [("countess", False)]
    assert [(each.text, each.confidence) for each in repeated.statements] == [
        ("wrote programs", 1.0),
        ("Wrote programs", 0.6),
    ]


def test_unknown_fields_are_noted() -> None:
    noted = row({"subject": "a", "stub": 1, "relations": [{"relation": "r", "target": "b", "since": 3}]})
    assert noted.unused == {"stub", "relations.since"}


@pytest.mark.parametrize("line", [b"", b"\n", b"  \r\n", b"\xef\xbb\xbf\n"])
def test_blank_lines_are_no_rows(line: bytes) -> None:
    assert read(line) is None


def test_a_byte_order_mark_may_open_the_file_only() -> None:
    line = b'\xef\xbb\xbf{"subject": "a"}\r\n'
    assert isinstance(read(line), Row)
    assert isinstance(read(line, number=2), RefusedLine)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ('{"subject": "a"', "INVALID_JSON"),
        ("[" * 100_000, "INVALID_JSON"),
        (r'{"subject": "\ud800"}', "INVALID_JSON"),
        ('{"subject": "a", "id": ' + "9" * 6_000 + "}", "INVALID_JSON"),
        (b'{"subject": "\xff"}', "INVALID_UTF8"),
        (b'{"subject": "\xed\xa0\x80"}', "INVALID_UTF8"),
        ("[]", "NOT_AN_OBJECT"),
        ("null", "NOT_AN_OBJECT"),
        ("{}", "MISSING_FIELD"),
        ({"subject": "a", "relations": [{"target": "b"}]}, "MISSING_FIELD"),
        ({"subject": 5}, "INVALID_FIELD"),
        ({"subject": "a", "id": True}, "INVALID_FIELD"),
        ({"subject": "a", "features": [{"text": "x", "confidence": True}]}, "INVALID_FIELD"),
        ({"subject": "a", "features": "x"}, "INVALID_FIELD"),
        ({"subject": "a", "features": [5]}, "INVALID_FIELD"),
        ({"subject": " "}, "NAME_EMPTY"),
        ({"subject": "a\nb"}, "NAME_INVALID_CHARACTERS"),
        ({"subject": "a", "aliases": ["x" * (MAX_NAME + 1)]}, "NAME_TOO_LONG"),
        ({"subject": "a", "features": [""]}, "TEXT_EMPTY"),
        ({"subject": "a", "features": [" ; "]}, "TEXT_EMPTY"),
        ({"subject": "a", "features": ["x" * 2_001]}, "TEXT_TOO_LONG"),
        ({"subject": "a", "features": ["x\0"]}, "TEXT_INVALID_CHARACTERS"),
        ({"subject": "a", "id": ""}, "TEXT_EMPTY"),
        ({"subject": "a", "id": "x" * 201}, "TEXT_TOO_LONG"),
        ({"subject": "a", "relations": [{"relation": "x" * 101, "target": "b"}]}, "TEXT_TOO_LONG"),
        ({"subject": "a", "relations": [{"relation": ",", "target": "b"}]}, "TEXT_EMPTY"),
        ({"subject": "a", "relations": [{"relation": "r", "target": " "}]}, "TEXT_EMPTY"),
        ({"subject": "a", "relations": [{"relation": "r", "target": "b", "strength": 1.1}]}, "NUMBER_OUT_OF_RANGE"),
        ({"subject": "a", "features": [{"text": "x", "confidence": -0.1}]}, "NUMBER_OUT_OF_RANGE"),
        ('{"subject": "a", "features": [{"text": "x", "confidence": NaN}]}', "NUMBER_OUT_OF_RANGE"),
        ('{"subject": "a", "features": [{"text": "x", "confidence": 1e999}]}', "NUMBER_OUT_OF_RANGE"),
        ({"subject": "a", "features": ["x"] * (MAX_ITEMS + 1)}, "TOO_MANY"),
        ('{"subject": "' + "x" * MAX_LINE + '"}', "LINE_TOO_LONG"),
    ],
)
def test_what_cannot_be_taken(line: Any, code: str) -> None:
    refused = read(line, number=3)
    assert isinstance(refused, RefusedLine)
    assert (refused.line, refused.code) == (3, code)


def test_the_reason_says_where() -> None:
    refused = read({"subject": "a", "impressions": ["x", {"confidence": 1}]})
    assert isinstance(refused, RefusedLine)
    assert refused.reason == "impressions.1.text: Field required"
