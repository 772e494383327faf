"""What in a text looks like a name though nobody is known by it: how an unmatched input may be called.

Cautious on purpose: a wrong guess becomes a name by which a conversation finds the active entity again, for as long as
it lives; it never becomes a name in long-term memory.
"""

import re
from collections.abc import Iterator
from typing import Final

from graph.function_words import CHINESE_CHARACTERS, ENGLISH
from graph.names import identity_key
from graph.text import UNSPACED

LONGEST: Final = 60
"""Characters of the longest guess."""

# 《三体》, 「小满」, "Blue Harbour": what a writer sets apart.
_QUOTED: Final = re.compile(
    '《([^《》]{1,40})》|「([^「」]{1,40})」|『([^『』]{1,40})』|“([^“”]{1,40})”|"([^"]{1,40})"'
)
# 叫林小雨, 名叫…, 姓名是…: after these a Chinese name follows; it ends at what cannot be part of it.
_CALLED: Final = re.compile("(?:名叫|叫做|叫作|叫|名字是|姓名是)([\u4e00-\u9fff·]{2,6})")
_GRAMMAR: Final = "".join(CHINESE_CHARACTERS - {"于", "何"})
"""These two are surnames as well."""
_SHORTEST_CHINESE: Final = 2

# A word with what may stand inside it: O'Brien, Jean-Luc, GPT-4o, J., U.S.
_WORD: Final = re.compile(rf"(?!{UNSPACED.pattern})[^\W_](?:(?!{UNSPACED.pattern})[\w'’.-])*")
_INSIDE: Final = frozenset("of de van von der da al bin".split())
"""Words in small letters that may stand between two of a name."""
_SENTENCE_END: Final = re.compile("[.!?。！？:：\n]")
_CALENDAR: Final = frozenset(
    """
    monday tuesday wednesday thursday friday saturday sunday january february march april may june july august
    september october november december mondays tuesdays wednesdays thursdays fridays saturdays sundays am pm
    """.split()
)
"""Written with a capital, but names of nothing a conversation is about."""
_LONGEST_TITLE: Final = 4
"""Letters of the longest word whose full stop does not end a sentence: J., Dr., Prof."""


def name_like(text: str) -> tuple[str, ...]:
    """Return the parts of a text that look like names, in order, each once."""
    found = [(match.start(), next(filter(None, match.groups()))) for match in _QUOTED.finditer(text)]
    found += [(match.start(), _called(match.group(1))) for match in _CALLED.finditer(text)]
    found += _capitalised(text)
    names: dict[str, str] = {}
    for _, name in sorted(found):
        clean = name.strip(" .'’-·")
        if (key := identity_key(clean)) and 1 < len(clean) <= LONGEST:
            names.setdefault(key, clean)
    return tuple(names.values())


def _called(characters: str) -> str:
    """Cut 林小雨的 to 林小雨 and 我小王吧 to 小王: a name begins and ends where grammar does not."""
    bare = characters.lstrip(_GRAMMAR)
    for place, character in enumerate(bare):
        if character in CHINESE_CHARACTERS and place >= _SHORTEST_CHINESE:
            return bare[:place]
    return bare


def _capitalised(text: str) -> Iterator[tuple[int, str]]:
    """Yield runs of words written with a capital letter, with the place of each.

    A run ends where a sentence does, and leaves grammar at its ends out. One capitalised word at the start of a
    sentence is any word; with a second one, or a digit in it, it is a name.
    """
    run: list[str] = []
    inside: list[str] = []
    begins, run_begins, start, end = True, False, 0, 0
    for word in _WORD.finditer(text):
        between, letters = text[end : word.start()], word.group()
        *ended, before = _SENTENCE_END.split(between)
        begins = (begins or bool(ended)) and not UNSPACED.search(before)
        capital = letters[0].isupper() and not _is_grammar(letters)
        particle = bool(run) and not inside and letters in _INSIDE
        if run and (begins or not between.isspace() or not (capital or particle)):
            yield from _run(run, start, begins=run_begins)
            run, inside = [], []
        if capital:
            if not run:
                start, run_begins = word.start(), begins
            run += [*inside, letters]
            inside = []
        elif particle and run:
            inside = [letters]
        begins = letters.endswith(".") and len(letters) > _LONGEST_TITLE + 1
        end = word.end()
    yield from _run(run, start, begins=run_begins)


def _run(words: list[str], start: int, *, begins: bool) -> Iterator[tuple[int, str]]:
    if all(identity_key(word).rstrip(".") in _CALENDAR for word in words):
        return
    if not begins or len(words) > 1 or any(map(str.isdigit, words[0])):
        yield start, " ".join(word.removesuffix("'s").removesuffix("’s") for word in words)


def _is_grammar(word: str) -> bool:
    return identity_key(word).split("'")[0].strip(".") in ENGLISH
