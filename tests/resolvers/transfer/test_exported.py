import json

from resolvers.transfer.exported import (
    ExportedAlias,
    ExportedEntity,
    ExportedRelation,
    ExportedStatement,
    lines_of,
)
from resolvers.transfer.rows import MAX_ITEMS, MAX_LINE, Row, read_row

ADA = ExportedEntity(
    id="u1",
    subject="Ada",
    aliases=(ExportedAlias("Lady", deprecated=True), ExportedAlias("Countess", deprecated=False)),
    impressions=(ExportedStatement("quick\u2028witted", 0.25), ExportedStatement("kind", 1.0)),
    features=(),
    relations=(ExportedRelation("friend", 0.5, "u2", "Babbage"), ExportedRelation("father", 1.0, "u3", "Byron")),
)


def test_sorted_short_and_readable() -> None:
    [line] = lines_of(ADA, ambiguous={"u3"})
    assert line == (
        '{"id": "u1", "subject": "Ada", "aliases": ["Countess", {"text": "Lady", "deprecated": true}], '
        '"impressions": ["kind", {"text": "quick\\u2028witted", "confidence": 0.25}], '
        '"relations": [{"relation": "father", "target": "u3"}, '
        '{"relation": "friend", "target": "Babbage", "strength": 0.5}]}'
    )


def test_nothing_known_but_the_name() -> None:
    assert list(lines_of(ExportedEntity("7", "刘备", (), (), (), ()), ambiguous=())) == [
        '{"id": "7", "subject": "刘备"}'
    ]


def test_much_is_told_in_several_lines_that_can_be_read() -> None:
    many = tuple(ExportedStatement(f"fact {number}", 1.0) for number in range(MAX_ITEMS + 5))
    long = tuple(ExportedStatement(f"{number} " + "长" * 1_990, 1.0) for number in range(1_000))
    lines = list(lines_of(ExportedEntity("7", "Ada", (), long, many, ()), ambiguous=()))
    assert len(lines) > 6
    rows = [read_row(number, line.encode(), "s") for number, line in enumerate(lines, start=1)]
    assert all(isinstance(row, Row) and row.id == "7" for row in rows)
    assert max(len(line.encode()) for line in lines) < MAX_LINE
    told = [json.loads(line) for line in lines]
    assert sum(len(each.get("features", [])) for each in told) == len(many)
    assert sum(len(each.get("impressions", [])) for each in told) == len(long)
