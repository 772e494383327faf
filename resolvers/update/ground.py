"""Where a quote was really said: in one of the run's messages, or in active evidence.

A quote is looked for as a sequence of words, without regard to case, width, punctuation, spaces, diacritics and
Traditional forms, so that the small changes a language model makes while copying do no harm. Its first and last word
must be whole words of the text, it must stand in one text, and no word may be missing in between: `Alice … is married`
is not what "Alice says Bob is married" says.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Final

from graph.function_words import CHINESE_CHARACTERS, CHINESE_WORDS, ENGLISH
from graph.names import fold, identity_key, plain_letters
from graph.text import UNSPACED, WORD
from resolvers.update.seen import ActiveSource, DropCode, Role, Rolling, SourceText

LEAST_LETTERS: Final = 4
"""Letters of the shortest quote that proves anything; an ideograph counts two."""

_IDEOGRAPH: Final = re.compile("[\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_LONGEST_FUNCTION_WORD: Final = max(map(len, CHINESE_WORDS))
# "Alice: I moved": as a conversation is shown to an observer.
_PREFIXED: Final = re.compile(r"\s*([^:：\n]{1,60})[:：]\s*(.+)", re.DOTALL)
_ROLE_WORDS: Final = {
    Role.USER: frozenset("user human speaker 用户 使用者 说话人".split()),
    Role.ASSISTANT: frozenset("assistant ai bot 助手 助理 ai助手".split()),
}


@dataclass(frozen=True, slots=True)
class Grounding:
    """Where a quote was found, or why it does not count."""

    sources: frozenset[str] = frozenset()
    """Ids of the texts it stands in."""
    refused: DropCode | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class _Words:
    """A text as words without anything between them, and where words begin or end."""

    joined: str
    edges: frozenset[int]


@dataclass(slots=True)
class Grounds:
    """The texts that quotes may come from, searched as one. What was found once is remembered."""

    texts: tuple[SourceText, ...]
    """By id, each once."""
    _joined: str = field(init=False, repr=False)
    _starts: tuple[int, ...] = field(init=False, repr=False)
    _edges: tuple[int, ...] = field(init=False, repr=False)
    """Where words begin or end, in order."""
    _is_edge: frozenset[int] = field(init=False, repr=False)
    _found: dict[str, Grounding] = field(init=False, repr=False, default_factory=dict)
    _roles: dict[str, Role] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        words = [_words(text.text) for text in self.texts]
        # A line feed is no part of any word, so nothing is ever found across two texts.
        self._joined = "\n".join(each.joined for each in words)
        self._starts = tuple(accumulate((len(each.joined) + 1 for each in words), initial=0))
        self._is_edge = frozenset(
            start + edge for start, each in zip(self._starts, words, strict=False) for edge in each.edges
        )
        self._edges = tuple(sorted(self._is_edge))
        self._roles = {text.id: text.role for text in self.texts}

    def find(self, quote: str) -> Grounding:
        """Return the texts a quote stands in."""
        if quote not in self._found:
            self._found[quote] = self._find(quote)
        return self._found[quote]

    def said_by_assistant_alone(self, sources: Iterable[str]) -> bool:
        """Tell whether there are sources and the assistant said them all; texts of earlier runs count as the user's."""
        roles = {self._roles.get(source, Role.USER) for source in sources}
        return roles == {Role.ASSISTANT}

    def _find(self, quote: str) -> Grounding:
        words = WORD.findall(plain_letters(fold(quote)))
        if not words:
            return Grounding(refused=DropCode.QUOTE_MISSING, reason="there is no quote to support it")
        if not _says_something(words):
            reason = f"{quote!r} is too short a quote, or of function words only"
            return Grounding(refused=DropCode.QUOTE_TOO_SHORT, reason=reason)
        sources = frozenset(self.texts[place].id for place in self._places("".join(words)))
        if not sources and (prefixed := _PREFIXED.fullmatch(quote)):
            sources = self._said_by(prefixed[1], prefixed[2])
        if not sources:
            reason = f"{quote!r} stands in no message and no evidence of this run"
            return Grounding(refused=DropCode.QUOTE_INVENTED, reason=reason)
        return Grounding(sources)

    def _said_by(self, who: str, quote: str) -> frozenset[str]:
        words = WORD.findall(plain_letters(fold(quote)))
        if not _says_something(words):
            return frozenset()
        key = identity_key(who)
        said = (self.texts[place] for place in self._places("".join(words)))
        return frozenset(
            text.id
            for text in said
            if key in _ROLE_WORDS[text.role] or (text.speaker and key == identity_key(text.speaker))
        )

    def _places(self, joined: str) -> Iterator[int]:
        """Yield the number of each text in which the words stand, whole at both ends."""
        at = self._joined.find(joined)
        while at >= 0:
            place = bisect_right(self._starts, at) - 1
            if self._is_whole(joined, at, self._starts[place + 1]):
                yield place
            at = self._joined.find(joined, self._starts[place + 1])

    def _is_whole(self, joined: str, first: int, end: int) -> bool:
        """Tell whether the words stand whole in a text, from their first place in it on.

        Only word edges are tried: a long word may hold a quote at each of its letters.
        """
        edges = self._edges[bisect_left(self._edges, first) : bisect_left(self._edges, end)]
        return any(at + len(joined) in self._is_edge and self._joined.startswith(joined, at) for at in edges)


def grounds(rolling: Rolling | None, actives: Iterable[ActiveSource], *, summary: SourceText | None = None) -> Grounds:
    """Return the texts of a run.

    Args:
        rolling: its messages count.
        actives: their evidence counts.
        summary: the rolling's summary as a text of its own. The agent's own words prove nothing, so it counts only
            where there is neither a message nor evidence; give it the role USER, or it supports no fact.
    """
    texts = {text.id: text for text in (rolling.messages if rolling else ())}
    for active in actives:
        texts |= {text.id: text for text in active.evidence if text.id not in texts}
    if not texts and summary:
        texts[summary.id] = summary
    return Grounds(tuple(texts[each] for each in sorted(texts)))


def _words(text: str) -> _Words:
    joined: list[str] = []
    edges = {0}
    length = 0
    for word in WORD.findall(plain_letters(fold(text))):
        if UNSPACED.match(word):
            edges.update(range(length, length + len(word)))
        joined.append(word)
        length += len(word)
        edges.add(length)
    return _Words("".join(joined), frozenset(edges))


def _says_something(words: list[str]) -> bool:
    letters = sum(2 if _IDEOGRAPH.match(letter) else letter.isalpha() for word in words for letter in word)
    return letters >= LEAST_LETTERS and not all(map(_is_grammar, words))


def _is_grammar(word: str) -> bool:
    if not UNSPACED.match(word):
        return word in ENGLISH
    # Whether words of grammar, one after the other, make up the whole run: 好的谢谢, 我没有.
    reached = {0}
    for end in range(1, len(word) + 1):
        starts = range(max(0, end - _LONGEST_FUNCTION_WORD), end)
        if any(
            start in reached and (word[start:end] in CHINESE_WORDS or word[start:end] in CHINESE_CHARACTERS)
            for start in starts
        ):
            reached.add(end)
    return len(word) in reached
