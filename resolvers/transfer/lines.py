"""Lines of a file, in pieces small enough to hold, read and analysed off the event loop."""

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from itertools import islice
from typing import BinaryIO, Final

from resolvers.transfer.report import RefusedLine
from resolvers.transfer.rows import MAX_LINE, Row, read_row

_PIECE_LINES: Final = 256
_PIECE_BYTES: Final = 4 * 1024 * 1024
_MARGIN: Final = 64
"""More than a byte order mark and a line end: a line cut here is still seen to be too long."""

Read = Row | RefusedLine | None


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file opened in binary mode, never holding more of one than can be taken."""
    while line := file.readline(MAX_LINE + _MARGIN):
        yield line
        while line and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE)


async def read_rows(lines: Iterable[bytes] | AsyncIterable[bytes], token: str) -> AsyncIterator[list[Read]]:
    """Yield what the lines say, in order, piece by piece. A plain iterable is advanced in a thread."""
    number = 1
    if isinstance(lines, AsyncIterable):
        async for piece in _gathered(lines):
            yield await asyncio.to_thread(_read, number, piece, token)
            number += len(piece)
    else:
        iterator = iter(lines)
        while read := await asyncio.to_thread(_read_next, number, iterator, token):
            yield read
            number += len(read)


async def _gathered(lines: AsyncIterable[bytes]) -> AsyncIterator[list[bytes]]:
    piece: list[bytes] = []
    size = 0
    async for line in lines:
        piece.append(line)
        size += len(line)
        if len(piece) >= _PIECE_LINES or size >= _PIECE_BYTES:
            yield piece
            piece, size = [], 0
    if piece:
        yield piece


def _read_next(first: int, lines: Iterator[bytes], token: str) -> list[Read]:
    read: list[Read] = []
    size = 0
    for number, line in enumerate(islice(lines, _PIECE_LINES), start=first):
        read.append(read_row(number, line, token))
        size += len(line)
        if size >= _PIECE_BYTES:
            break
    return read


def _read(first: int, piece: list[bytes], token: str) -> list[Read]:
    return [read_row(number, line, token) for number, line in enumerate(piece, start=first)]
