"""Where names may stand in a text: every sequence of words, and of ideographs, as the key it would have as a name.

A text of L words has about L · `LONGEST` sequences, more where symbols stand next to its words. The number of those
looked at and the number of different keys are capped; the longest are left out first, since most names are short, and
the cap is reported.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from typing import Final, NamedTuple

from graph.function_words import CHINESE_WORDS, ENGLISH
from graph.names import MAX_NAME, fold, trim
from graph.text import UNSPACED

MAX_KEYS: Final = 2_000
"""Keys one query looks up: about 20 ms among 100,000 names."""
MAX_SLICES: Final = 100_000
"""Sequences of one text that are looked at: a tenth of a second at most, while everybody else waits."""
LONGEST: Final = 16
"""Words, or ideographs, of the longest sequence looked at."""
_SYMBOLS: Final = 3
"""Symbols next to a word that may belong to the name: C++, .NET, Yahoo!"""

_WORD_UNITS: Final = 2.5
_PIECE: Final = re.compile(f"{UNSPACED.pattern}|(?:(?!{UNSPACED.pattern})[^\\W_])+|[^\\s\\w]+|_+")
_WORDLIKE: Final = re.compile(r"[^\W_]")


class Span(NamedTuple):
    """A slice of the folded text."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class NameCandidates:
    """The keys of a text and where each stands."""

    folded: str
    spans: Mapping[str, tuple[Span, ...]]
    left_out: int
    """Sequences beyond the cap."""


@dataclass(frozen=True, slots=True)
class _Edges:
    """Where a sequence may begin or end around one piece of text."""

    starts: tuple[int, ...]
    ends: tuple[int, ...]


def name_candidates(text: str) -> NameCandidates:
    """Return what in a text could be a name, as identity keys."""
    return folded_candidates(fold(text))


def folded_candidates(folded: str) -> NameCandidates:
    """Return what in a folded text could be a name; see `name_candidates`."""
    edges = list(_edges(folded))
    spans: defaultdict[str, list[Span]] = defaultdict(list)
    left_out = max(0, sum(_slices(edges, length) for length in range(1, LONGEST + 1)) - MAX_SLICES)
    for start, end in islice(_places(edges), MAX_SLICES):
        if not start < end <= start + 2 * MAX_NAME or not (key := trim(folded[start:end])):
            continue
        if key in spans or len(spans) < MAX_KEYS:
            spans[key].append(_tight(folded, start, end))
        else:
            left_out += 1
    return NameCandidates(folded, {key: tuple(dict.fromkeys(each)) for key, each in spans.items()}, left_out)


def _slices(edges: list[_Edges], length: int) -> int:
    return sum(len(first.starts) * len(last.ends) for first, last in zip(edges, edges[length - 1 :], strict=False))


def _places(edges: list[_Edges]) -> Iterator[tuple[int, int]]:
    """Yield where a name may begin and end, the shortest sequences first."""
    for length in range(1, LONGEST + 1):
        for first, last in zip(edges, edges[length - 1 :], strict=False):
            yield from product(first.starts, last.ends)


def _tight(folded: str, start: int, end: int) -> Span:
    while start < end and folded[start] == " ":
        start += 1
    while start < end and folded[end - 1] == " ":
        end -= 1
    return Span(start, end)


def _edges(folded: str) -> Iterator[_Edges]:
    pieces = list(_PIECE.finditer(folded))
    for number, piece in enumerate(pieces):
        if not _WORDLIKE.search(piece.group()):
            alone = (number == 0 or pieces[number - 1].end() < piece.start()) and (
                number + 1 == len(pieces) or piece.end() < pieces[number + 1].start()
            )
            if alone:  # symbols between blanks may be a name of their own, an emoji for one
                yield _Edges((piece.start(),), (piece.end(),))
            continue
        before = pieces[number - 1] if number else None
        after = pieces[number + 1] if number + 1 < len(pieces) else None
        reach_back = reach_on = 0
        if before and before.end() == piece.start() and not _WORDLIKE.search(before.group()):
            reach_back = min(_SYMBOLS, len(before.group()))
        if after and after.start() == piece.end() and not _WORDLIKE.search(after.group()):
            reach_on = min(_SYMBOLS, len(after.group()))
        yield _Edges(
            tuple(piece.start() - back for back in range(reach_back + 1)),
            tuple(piece.end() + on for on in range(reach_on + 1)),
        )


def longest_only(spans: Mapping[str, tuple[Span, ...]], known: set[str]) -> dict[str, tuple[Span, ...]]:
    """Keep, of the keys somebody bears, those that stand somewhere outside every longer one."""
    borne = sorted(
        ((span, key) for key in known for span in spans.get(key, ())),
        key=lambda each: (each[0].start, -each[0].end, each[1]),
    )
    kept: defaultdict[str, list[Span]] = defaultdict(list)
    # Whatever covers a span comes before it; of what came before, only the farthest end of another key matters.
    farthest, of_key, of_others = -1, "", -1
    for span, key in borne:
        if span.end > (of_others if key == of_key else farthest):
            kept[key].append(span)
        if key == of_key:
            farthest = max(farthest, span.end)
        elif span.end > farthest:
            farthest, of_key, of_others = span.end, key, farthest
        else:
            of_others = max(of_others, span.end)
    return {key: tuple(sorted(each)) for key, each in kept.items()}


def units(key: str) -> float:
    """Measure a name: an ideograph or a symbol counts 1, a word 2.5, a lone letter or digit 1."""
    return sum(
        1.0 if len(piece) == 1 else _WORD_UNITS if _WORDLIKE.search(piece) else float(len(piece))
        for piece in _PIECE.findall(key)
    )


def is_function_name(key: str) -> bool:
    """Tell whether a name consists of function words alone: no direct hit."""
    return key in CHINESE_WORDS or all(word in ENGLISH for word in key.split(" "))
