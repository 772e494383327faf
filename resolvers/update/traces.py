"""What betrays somebody in a stored record: an id anywhere, a name in a text that people or a model wrote.

Never a key, a code or a phrase of our own: a dog called "Patch" is not in every plan.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from graph.names import identity_key
from resolvers.recall.spans import units

TELLING_UNITS: Final = 2.0
"""Units from which a name inside another text is more than chance."""

_WORDS_OF_OURS: Final = frozenset(
    "change code conversation decision kind labels part patch path role status step".split()
)
"""Keys of what no person and no model wrote."""
_SENTENCES_OF_OURS: Final = frozenset({"reason", "message"})
"""Keys of what our code says where there is a code as well: what others wrote stands in quotes in it."""
_QUOTED: Final = re.compile(r"""(?<!\w)(['"])((?:\\.|(?!\1).)*)(?:\1|\Z)""", re.DOTALL)
_PHRASE_OF_OURS: Final = re.compile(
    "rejected by a person|an entity was forgotten; this cannot be undone|a person's edit|observed as another name"
    "|[0-9]+ of [0-9]+ batches failed: |internal error .*"
    "|the memory changed [0-9]+ times while the plan was being applied.*"
)
# Ids and moments: a name may be spelt like a part of one.
_NO_TEXT: Final = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{12}|[0-9a-f]{32}"
    r"|[0-9]{4}-[0-9]{2}-[0-9]{2}t[0-9:.]+(?:z|[+-][0-9:]+)?",
)


@dataclass(frozen=True, slots=True)
class Traces:
    """The ids and names of somebody."""

    ids: tuple[str, ...]
    names: tuple[str, ...]

    def parts(self) -> list[str]:
        """Return what stored JSON that betrays them contains, in lower case; it may contain it for another reason."""
        return [*self.ids, *(part if _is_telling(name) else f'"{part}"' for name, part in self._written())]

    def in_json(self, stored: str) -> bool:
        """Tell whether a stored JSON value betrays them."""
        return any(each in stored for each in self.ids) or any(map(self._names, _texts(json.loads(stored))))

    def in_reason(self, reason: str) -> bool:
        """Tell whether the reason of a run, which a person may have given, betrays them."""
        return any(map(self._names, _without_ours(reason)))

    def _written(self) -> Iterator[tuple[str, str]]:
        for name in self.names:
            yield name, json.dumps(name, ensure_ascii=False).lower()[1:-1]

    def _names(self, text: str) -> bool:
        """Tell whether a text is a name, or holds one as words of its own; a short one is found everywhere."""
        lower = text.lower()
        return any(
            lower == name.lower()
            or (_is_telling(name) and not _NO_TEXT.fullmatch(lower) and _stands_in(lower, name.lower()))
            for name in self.names
        )


def pattern(text: str) -> dict[str, str]:
    """Return what finds a text inside a longer one in the database, in lower case: as words of its own."""
    part = text.lower()
    before = r"(?<![\p{L}\p{N}])" if _is_letter(part[0]) else ""
    after = r"(?![\p{L}\p{N}])" if _is_letter(part[-1]) else ""
    literally = "\\Q" + part.replace("\\E", "\\E\\\\E\\Q") + "\\E"
    return {"part": part, "pattern": f"(?s).*{before}{literally}{after}.*"}


def _is_telling(name: str) -> bool:
    return units(identity_key(name)) >= TELLING_UNITS


def _stands_in(text: str, name: str) -> bool:
    before = r"(?<![^\W_])" if _is_letter(name[0]) else ""
    after = r"(?![^\W_])" if _is_letter(name[-1]) else ""
    return name in text and re.search(f"{before}{re.escape(name)}{after}", text) is not None


def _is_letter(character: str) -> bool:
    """Tell whether words of its script are told apart by what stands around them."""
    return character.isalnum() and character < "\u2e80" and not "\u0e00" <= character <= "\u0eff"


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value that is not ours alone."""
    match value:
        case str():
            yield value
        case list():
            for each in value:
                yield from _texts(each)
        case dict():
            for key in value.keys() - _WORDS_OF_OURS:
                if key not in _SENTENCES_OF_OURS or not isinstance(value[key], str):
                    yield from _texts(value[key])
                else:
                    yield from _quoted(value[key]) if _is_ours(value) else _without_ours(value[key])
        case _:
            pass


def _is_ours(record: Mapping[str, Any]) -> bool:
    """Tell whether a record says by its code, or by the part of a diff it is, that its reason is a sentence of ours.

    The reason of a diff's line may be a quote as well: then it stands in the step's payload, too.
    """
    return not record.keys().isdisjoint({"code", "part"})


def _quoted(sentence: str) -> Iterable[str]:
    """Yield what stands in quotes; the last may have lost its end, since sentences are cut."""
    return (found[2] for found in _QUOTED.finditer(sentence))


def _without_ours(reason: str) -> Iterator[str]:
    ours = _PHRASE_OF_OURS.match(reason)
    yield reason[ours.end() :] if ours else reason
