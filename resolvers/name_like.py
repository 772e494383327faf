"""What in a text looks like a name though nobody is known by it: how an unmatched input may be called.

Cautious on purpose: a wrong guess becomes a name by which a conversation finds the active entity again, for as long as
it lives; it never becomes a name in long-term memory.
"""

import re
from typing import Final

from graph.function_words import CHINESE_CHARACTERS, ENGLISH
from graph.names import identity_key

LONGEST: Final = 60
"""Characters of the longest guess."""

# 《三体》, 「小满」, "Blue Harbour": what a writer sets apart.
_QUOTED: Final = re.compile(
    '《([^《》]{1,40})》|「([^「」]{1,40})」|『([^『』]{1,40})』|“([^“”]{1,40})”|"([^"]{1,40})"'
)
# 叫林小雨, 名叫…, 姓名是…: after these a Chinese name follows; it ends at what cannot be part of it.
_CALLED: Final = re.compile("(?:名叫|叫做|叫作|叫|名字是|姓名是)([\u4e00-\u9fff·]{2,6})")
# Words written with a capital letter, joined by blanks, hyphens or an apostrophe; also GPT-4o and the like.
_CAPITALISED: Final = re.compile(
    r"(?<![\w'])[^\W\d_a-z][\w'.-]*(?:\s+(?:(?:of|de|van|von|der|da|al|bin)\s+)?[^\W\d_a-z][\w'.-]*)*"
)
_SENTENCE_END: Final = re.compile(r"(?:^|[.!?。！？:：\n]\s*[\"'“‘(]?)$")
_CJK: Final = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def name_like(text: str) -> tuple[str, ...]:
    """Return the parts of a text that look like names, in order, each once."""
    found = [(match.start(), next(filter(None, match.groups()))) for match in _QUOTED.finditer(text)]
    found += [(match.start(), _until_grammar(match.group(1))) for match in _CALLED.finditer(text)]
    found += [(match.start(), name) for match in _CAPITALISED.finditer(text) if (name := _capitalised(match, text))]
    names: dict[str, str] = {}
    for _, name in sorted(found):
        clean = name.strip(" .'-·")
        if (key := identity_key(clean)) and 1 < len(clean) <= LONGEST:
            names.setdefault(key, clean)
    return tuple(names.values())


def _until_grammar(characters: str) -> str:
    """Cut 林小雨的 to 林小雨; a name has two characters or more before the first that is grammar."""
    for place, character in enumerate(characters):
        if character in CHINESE_CHARACTERS and place >= 2:  # noqa: PLR2004 -- shortest name
            return characters[:place]
    return characters if characters[0] not in CHINESE_CHARACTERS else ""


def _capitalised(match: re.Match[str], text: str) -> str:
    """Return the name without a leading word that is capitalised only because a sentence begins, or is grammar."""
    words = [word.removesuffix("'s").removesuffix("’s") for word in match.group().split()]
    while words and identity_key(words[0]).split("'")[0] in ENGLISH:
        words.pop(0)
    if not words or (_CJK.match(words[0]) is not None):
        return ""
    at_start = len(words) == len(match.group().split()) and _SENTENCE_END.search(text[: match.start()]) is not None
    # One capitalised word at the start of a sentence is any word; with a second one, or a digit, it is a name.
    if at_start and len(words) == 1 and not any(character.isdigit() for character in words[0]):
        return ""
    return " ".join(words)
