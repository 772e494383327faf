import io
from collections.abc import AsyncIterator, Iterable

import pytest

from resolvers.transfer.lines import lines_of, read_rows
from resolvers.transfer.report import RefusedLine
from resolvers.transfer.rows import MAX_LINE, Row


def numbers(count: int) -> list[bytes]:
    return [b'{"subject": "%d"}\n' % number for number in range(1, count + 1)]


async def trickle(lines: Iterable[bytes]) -> AsyncIterator[bytes]:
    for line in lines:
        yield line


@pytest.mark.parametrize("count", [0, 1, 256, 600])
@pytest.mark.parametrize("trickled", [False, True])
async def test_every_line_comes_once_and_in_order(count: int, *, trickled: bool) -> None:
    lines = numbers(count)
    pieces = [piece async for piece in read_rows(trickle(lines) if trickled else iter(lines), "s")]
    rows = [read for piece in pieces for read in piece]
    assert [(row.line, row.subject.text) for row in rows if isinstance(row, Row)] == [
        (number, str(number)) for number in range(1, count + 1)
    ]
    assert all(pieces)


async def test_pieces_are_bounded_in_bytes() -> None:
    lines = [b'{"subject": "a", "note": "%b"}' % (b"x" * 3_000_000)] * 5
    assert [len(piece) async for piece in read_rows(lines, "s")] == [2, 2, 1]
    assert [len(piece) async for piece in read_rows(trickle(lines), "s")] == [2, 2, 1]


async def test_a_line_that_is_too_long_is_never_held_whole() -> None:
    file = io.BytesIO(b'{"subject": "a"}\n' + b"x" * (3 * MAX_LINE) + b'\n{"subject": "b"}')
    lines = list(lines_of(file))
    assert len(lines) == 3
    assert len(lines[1]) < MAX_LINE + 100
    read = [each async for piece in read_rows(lines, "s") for each in piece]
    assert [row.line for row in read if isinstance(row, Row)] == [1, 3]
    assert [(row.line, row.code) for row in read if isinstance(row, RefusedLine)] == [(2, "LINE_TOO_LONG")]
