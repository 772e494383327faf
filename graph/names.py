"""What makes two spellings the same name.

`identity_key` decides identity; `loose_key` only casts doubt. Two names with one identity key are one name, two that
share no more than the loose key are possible variants of each other, for a person to decide.

    identity_key(name) = trim(fold(name))
    loose_key(name)    = the identity key, further without diacritics, separators and Traditional forms

`fold` is the part that works character by character, `trim` the part that looks at the two ends. So a caller with many
candidates from one text folds the text once and trims each slice: `trim(slice) == identity_key(slice)` holds for every
slice of a folded text.

Every function of keys is pure, defined for every `str` (lone surrogates included), linear in its length and idempotent.
Linear, because no more than `MAX_MARKS` combining marks in a row are compared.
"""

import re
import unicodedata
from functools import cache
from typing import Final

from opencc import OpenCC

from graph.errors import InvalidInput

MAX_NAME: Final = 200
"""Longest name in characters, as written and as a key: an index entry holds 8 kB at most."""

MAX_MARKS: Final = 30
"""Combining marks in a row that are compared, those of Unicode's Stream-Safe Text Format (UAX #15, section 13): no word
of any language has as many. To bring them into their canonical order takes time that grows with the square."""

# Format characters (category Cf of Unicode 14) and the others that have no shape of their own: joiners, fillers and
# variation selectors. Written down instead of asked of `unicodedata`: a newer Python must make the same stored keys.
_INVISIBLE: Final = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x0600, 0x0605), (0x061C, 0x061C), (0x06DD, 0x06DD), (0x070F, 0x070F),
    (0x0890, 0x0891), (0x08E2, 0x08E2), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB), (0x110BD, 0x110BD), (0x110CD, 0x110CD), (0x13430, 0x1343F), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip

# Code points by number: many of them look alike in an editor, which is the reason they are unified.
_DASHES: Final = (
    0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2043, 0x2212, 0x02D7, 0x058A, 0x05BE, 0x2E3A, 0x2E3B,
    0xFE31, 0xFE32, 0xFE58, 0xFE63, 0xFF0D,
)  # fmt: skip
_APOSTROPHES: Final = (
    0x0060, 0x00B4, 0x02B9, 0x02BB, 0x02BC, 0x02BD, 0x02C8, 0x02CA, 0x02CB, 0x055A, 0x05F3, 0x2018, 0x2019, 0x201A,
    0x201B, 0x2032, 0x2035, 0x2039, 0x203A, 0xA78B, 0xA78C, 0xFF07, 0xFF40,
)  # fmt: skip
_QUOTES: Final = (
    0x00AB, 0x00BB, 0x02BA, 0x02DD, 0x02EE, 0x05F4, 0x201C, 0x201D, 0x201E, 0x201F, 0x2033, 0x2036, 0x301D, 0x301E,
    0x301F, 0xFF02,
)  # fmt: skip
_MIDDLE_DOTS: Final = (
    0x0387, 0x16EB, 0x2022, 0x2023, 0x2027, 0x2219, 0x22C5, 0x2E31, 0x30FB, 0x318D, 0xA78F, 0xFF65,
)  # fmt: skip

_UNIFORM: Final[dict[int, str]] = {
    **{point: "" for first, last in _INVISIBLE for point in range(first, last + 1)},
    **dict.fromkeys(_DASHES, "-"),
    **dict.fromkeys(_APOSTROPHES, "'"),
    **dict.fromkeys(_QUOTES, '"'),
    **dict.fromkeys(_MIDDLE_DOTS, "·"),
}

# What stands behind a letter in canonical order, and what normalisation turns into such: classes of assigned characters
# never change (Unicode's stability policy), so this may be asked of `unicodedata`. There are none beyond Adlam.
_DECOMPOSED_MARKS: Final = "\u0f73\u0f75\u0f81\uff9e\uff9f"
_MARKS: Final = frozenset(_DECOMPOSED_MARKS).union(filter(unicodedata.combining, map(chr, range(0x0300, 0x1E94B))))
_LONG_MARKS: Final = re.compile("([{0}]{{{1}}})[{0}]+".format("".join(sorted(_MARKS)), MAX_MARKS))

_UNIFIED: Final = frozenset(map(chr, _UNIFORM))

_TRAILING: Final = ",:;、，：；。 "
_SAME_QUOTES: Final = "\"'"
_CLOSING: Final = dict(zip("([{「『《〈【〔〖〘〚⟨⟪", ")]}」』》〉】〕〗〙〛⟩⟫", strict=True))
_OPENING_ENDS: Final = frozenset(" " + _SAME_QUOTES + "".join(_CLOSING))
_CLOSING_ENDS: Final = frozenset(_TRAILING)

# Marks that a writer may leave out: Latin, Greek and Cyrillic diacritics, Hebrew points, Arabic vowels. The marks of
# other scripts (kana voicing, Indic and Thai vowels) spell another word and stay.
_DIACRITICS: Final = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f]+"
)
_PLAIN_LETTERS: Final = str.maketrans(
    {"ø": "o", "đ": "d", "ð": "d", "ł": "l", "ħ": "h", "ŧ": "t", "ı": "i", "æ": "ae", "œ": "oe"}
)
_SEPARATORS: Final = re.compile("[ .'·-]+")
_FIRST_IDEOGRAPH: Final = 0x2E80


def identity_key(name: str) -> str:
    """Return the form under which a name is stored and found; empty when there is no name in it.

    Width, case, invisible characters, kinds of dash, apostrophe, quote and middle dot, enclosing quotes or brackets,
    trailing commas, colons and semicolons, and the amount of whitespace make no difference. Everything else does: `C`,
    `C++`, `C#`, `.NET`, `GPT-4` and `GPT-4o` are six names, and look-alikes of other scripts stay apart.
    """
    return trim(fold(name))


def fold(text: str) -> str:
    """Return the text with every spelling of a character made the same, and single spaces.

    Slices of the result are folded, too: see `trim`. Of more than `MAX_MARKS` combining marks in a row the first are
    kept; `cut_marks` tells of it.
    """
    if text.isascii():
        folded = text.lower().replace("`", "'")
    else:
        folded = text
        # Dropping an invisible character can bring a letter and its accent together, so look again until it is still.
        while (again := _fold_once(folded)) != folded:
            folded = again
    return " ".join(folded.split())


def _fold_once(text: str) -> str:
    # Before: NFKC would take an acute accent that serves as apostrophe for a space with an accent. After: it also makes
    # some of these characters itself, from their wide and small forms.
    uniform = _unify(text)
    if not _MARKS.isdisjoint(uniform):
        uniform = _LONG_MARKS.sub(r"\1", uniform)
    return _unify(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", uniform).casefold()))


def _unify(text: str) -> str:
    # Most texts hold none of these characters, and to see that takes a tenth of the time.
    return text if _UNIFIED.isdisjoint(text) else text.translate(_UNIFORM)


def cut_marks(text: str) -> int:
    """Return how long the longest run of combining marks is that `fold` cuts; 0 where it cuts none."""
    if text.isascii() or _MARKS.isdisjoint(text):
        return 0
    return max((found.end() - found.start() for found in _LONG_MARKS.finditer(_unify(text))), default=0)


def trim(folded: str) -> str:
    """Return the identity key of a folded name, or of any slice of a folded text.

    Quotes and brackets go only where one pair encloses the whole: `柳如是(明末)` and `(G)I-DLE` keep theirs. A text
    longer than two names keeps them always, which bounds the work.
    """
    while folded and (folded[0] in _OPENING_ENDS or folded[-1] in _CLOSING_ENDS):
        bare = folded.strip(" ").rstrip(_TRAILING)
        if len(bare) <= 2 * MAX_NAME and _is_enclosed(bare):
            bare = bare.strip(bare[0]) if bare[0] in _SAME_QUOTES else bare[1:-1]
        if bare == folded:
            break
        folded = bare
    return folded


def _is_enclosed(name: str) -> bool:
    if len(name) < 2:  # noqa: PLR2004 -- a pair
        return False
    opening, closing = name[0], name[-1]
    if opening in _SAME_QUOTES:
        return opening == closing and opening not in name.strip(opening)
    if _CLOSING.get(opening) != closing:
        return False
    depth = 0
    for character in name[:-1]:
        depth += (character == opening) - (character == closing)
        if depth == 0:
            return False
    return depth == 1


def loose_key(name: str) -> str:
    """Return the form that possible variants of one name share; empty only when there is no name.

    Diacritics, Traditional Chinese forms, spaces, hyphens, dots, apostrophes and middle dots make no difference here.
    A separator between two digits stays: `GPT-3.5` is no variant of `GPT-35`. A name of separators alone is its own
    loose key. Works character by character, so that no part of a key depends on its neighbours.
    """
    key = identity_key(name)
    while True:
        looser = identity_key(_SEPARATORS.sub(_between_digits, plain_letters(key)))
        if looser in {key, ""}:
            return key
        key = looser


def plain_letters(key: str) -> str:
    if key.isascii():
        return key
    bare = _DIACRITICS.sub("", unicodedata.normalize("NFD", key)).translate(_PLAIN_LETTERS)
    return unicodedata.normalize("NFC", bare).translate(_simplified())


def _between_digits(separators: re.Match[str]) -> str:
    text, start, end = separators.string, separators.start(), separators.end()
    if start > 0 and end < len(text) and text[start - 1].isdecimal() and text[end].isdecimal():
        return separators[0].strip(" ")[:1] or " "
    return ""


class _Simplified(dict[int, int | str]):
    """Traditional ideographs and their Simplified forms, for `str.translate`; filled as characters are met."""

    def __init__(self, converter: OpenCC) -> None:
        super().__init__()
        self._converter = converter

    def __missing__(self, point: int) -> int | str:
        simplified: int | str = point
        if point >= _FIRST_IDEOGRAPH and unicodedata.category(chr(point)) == "Lo":
            simplified = self._converter.convert(chr(point))
        self[point] = simplified
        return simplified


@cache
def _simplified() -> _Simplified:
    return _Simplified(OpenCC("t2s"))


def check_name(name: str, path: str) -> str:
    """Return the name as it is to be shown, without surrounding whitespace.

    Raises:
        InvalidInput: `NAME_INVALID_CHARACTERS` for control characters, line breaks, lone surrogates and more than
            `MAX_MARKS` combining marks in a row, `NAME_EMPTY` when no name is left after normalisation,
            `NAME_TOO_LONG` above `MAX_NAME` characters, written or as a key.
    """
    shown = name.strip()
    if len(shown) > MAX_NAME:
        raise InvalidInput("NAME_TOO_LONG", path, f"a name has at most {MAX_NAME} characters, this one {len(shown)}")
    for character in shown:
        if unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"}:
            raise InvalidInput("NAME_INVALID_CHARACTERS", path, f"U+{ord(character):04X} cannot stand in a name")
    if marks := cut_marks(shown):
        message = f"{marks} combining marks in a row cannot stand in a name, {MAX_MARKS} can"
        raise InvalidInput("NAME_INVALID_CHARACTERS", path, message)
    key = identity_key(shown)
    if not key:
        raise InvalidInput("NAME_EMPTY", path, f"there is no name in {shown!r}")
    if len(key) > MAX_NAME:
        raise InvalidInput("NAME_TOO_LONG", path, f"a name has at most {MAX_NAME} characters, normalised {len(key)}")
    return shown
