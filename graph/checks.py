"""What a caller may hand in. Each check returns the value as it will be used, or raises `InvalidInput` with a code.

Codes: `SPACE_INVALID`, `CONVERSATION_INVALID`, `TEXT_EMPTY`, `TEXT_TOO_LONG`, `TEXT_INVALID_CHARACTERS`,
`NUMBER_OUT_OF_RANGE`, `TIME_NAIVE`, `TIME_IN_FUTURE`, and those of `graph.names.check_name`.
"""

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Final

from graph.errors import InvalidInput
from graph.names import MAX_MARKS, cut_marks

MAX_TEXT: Final = 20_000
"""Longest input text in characters: a few pages; a conversation's turn is a hundredth of it."""
MAX_STATEMENT: Final = 2_000
"""Longest impression or feature in characters."""
MAX_RELATION: Final = 100
"""Longest relation name in characters."""
MAX_CONVERSATION: Final = 200
MAX_AHEAD: Final = timedelta(minutes=5)
"""How far a caller's clock may be ahead of ours."""
EARLIEST: Final = datetime(1000, 1, 1, tzinfo=UTC)
"""Moments well before it leave nothing to subtract a time-to-live from."""

_SPACE: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}")
# NUL and the other controls that no text needs; tab, line feed and carriage return stay. Surrogates cannot be stored.
_FORBIDDEN: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# What is known, and what names a conversation, is shown again and again: C1 controls steer a terminal as ESC does.
_FORBIDDEN_IN_KNOWLEDGE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def check_space(space: str, path: str = "space") -> str:
    """Return the name of a space: 1 to 64 letters, digits, `-`, `_` or `.`."""
    if not _SPACE.fullmatch(space):
        raise InvalidInput("SPACE_INVALID", path, "a space is named by 1 to 64 letters, digits, '-', '_' or '.'")
    return space


def check_conversation(conversation: str, path: str = "conversation") -> str:
    """Return the name of a conversation: any text of 1 to `MAX_CONVERSATION` characters on one line."""
    if (
        not 1 <= len(conversation) <= MAX_CONVERSATION
        or _FORBIDDEN_IN_KNOWLEDGE.search(conversation)
        or "\n" in conversation
    ):
        message = f"a conversation is named by 1 to {MAX_CONVERSATION} characters without control characters"
        raise InvalidInput("CONVERSATION_INVALID", path, message)
    return conversation


def check_text(text: str, path: str, *, longest: int = MAX_TEXT) -> str:
    """Return a text unchanged, having seen that it can be stored and says something."""
    if len(text) > longest:
        message = f"at most {longest} characters are taken, these are {len(text)}: send it in parts"
        raise InvalidInput("TEXT_TOO_LONG", path, message)
    if not text.strip():
        raise InvalidInput("TEXT_EMPTY", path, "the text is empty")
    if found := _FORBIDDEN.search(text):
        message = f"U+{ord(found.group()):04X} at position {found.start()} cannot be stored: remove it"
        raise InvalidInput("TEXT_INVALID_CHARACTERS", path, message)
    return text


def check_statement(text: str, path: str, *, longest: int = MAX_STATEMENT) -> str:
    """Return a statement, or the name of a relation, unchanged: a text without controls of a terminal.

    Nor does it hold more than `MAX_MARKS` combining marks in a row: two of them could not be told apart.
    """
    check_text(text, path, longest=longest)
    if found := _FORBIDDEN_IN_KNOWLEDGE.search(text):
        message = f"U+{ord(found.group()):04X} at position {found.start()} steers a terminal: remove it"
        raise InvalidInput("TEXT_INVALID_CHARACTERS", path, message)
    if marks := cut_marks(text):
        message = f"{marks} combining marks in a row are too many, {MAX_MARKS} can be compared"
        raise InvalidInput("TEXT_INVALID_CHARACTERS", path, message)
    return text


def check_unit(number: float, path: str) -> float:
    """Return a confidence or strength: finite and in [0, 1]."""
    if not math.isfinite(number) or not 0.0 <= number <= 1.0:
        raise InvalidInput("NUMBER_OUT_OF_RANGE", path, f"a number from 0 to 1 is needed, not {number!r}")
    return float(number)


def check_count(number: int, path: str, *, least: int = 1, most: int) -> int:
    """Return a number of things asked for."""
    if not least <= number <= most:
        raise InvalidInput(
            "NUMBER_OUT_OF_RANGE", path, f"a whole number from {least} to {most} is needed, not {number}"
        )
    return number


def check_time(at: datetime | None, path: str, *, now: datetime) -> datetime:
    """Return a moment in UTC; None means now. Refuses naive moments, and any beyond `EARLIEST` or `MAX_AHEAD`."""
    if at is None:
        return now
    if at.tzinfo is None or at.utcoffset() is None:
        raise InvalidInput("TIME_NAIVE", path, f"{at.isoformat()} lacks an offset: add Z or +hh:mm")
    if at < EARLIEST:
        raise InvalidInput("TIME_OUT_OF_RANGE", path, f"{at.isoformat()} is before the year {EARLIEST.year}")
    if at - now > MAX_AHEAD:
        raise InvalidInput("TIME_IN_FUTURE", path, f"{at.isoformat()} is more than five minutes ahead of the service")
    return at.astimezone(UTC)
