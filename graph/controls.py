"""Characters that do something to a terminal or to the order of a line instead of being seen, and how they are shown.

A text keeps them where it may; whoever shows one, shows them written out.
"""

import re
from typing import Final

# C0 but tab and line feed, DEL, C1; the bidirectional controls of Unicode (Bidi_Control): an override of the order of
# letters makes a line read as another one.
_UNSEEN: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# What JSON leaves as it is.
_UNSEEN_IN_JSON: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def written_out(text: str) -> str:
    r"""Return a text with its controls written out.

    >>> print(written_out("a\x1b[2Jb\u202ec"))
    a\x1b[2Jb\u202ec
    """
    return text if text.isprintable() else _UNSEEN.sub(_escape, text)


def written_out_json(document: str) -> str:
    """Return a JSON text that holds the same, with what JSON leaves of controls in its strings as escapes."""
    return (
        document if document.isprintable() else _UNSEEN_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", document)
    )


def _escape(found: re.Match[str]) -> str:
    point = ord(found[0])
    return f"\\x{point:02x}" if point < 0x100 else f"\\u{point:04x}"  # noqa: PLR2004 -- as Python's repr
