"""One line of a file as a row: read by pydantic, checked like any other input, its keys and search terms made.

    {"id": "liu-bei", "subject": "刘备", "aliases": ["玄德", {"text": "阿备", "deprecated": true}],
     "impressions": ["待人宽厚", {"text": "心事很少写在脸上", "confidence": 0.6}], "features": [...],
     "relations": [{"relation": "弟弟", "target": "关羽", "strength": 0.9}]}

(on one line.) Only `subject` is required. Confidences and strengths are 1 where they are not given, `type` is another
word for `relation`, ids may be numbers. Within a row, the same statement twice is one, with the higher confidence;
the same name twice is one, deprecated only if it is so everywhere.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Final, TypeVar

from pydantic import AliasChoices, BaseModel, ConfigDict, Field, ValidationError, model_validator

from graph.checks import MAX_RELATION, check_statement, check_text, check_unit
from graph.errors import InvalidInput
from graph.names import MAX_NAME, check_name, identity_key, loose_key
from graph.text import scoped, search_terms
from graph.values import StatementKind
from resolvers.transfer.report import RefusedLine

MAX_ITEMS: Final = 10_000
"""Most aliases, impressions, features and relations (each) in one line. An entity with more takes several lines."""
MAX_LINE: Final = 8 * 1024 * 1024
"""Longest line in bytes, its end not counted."""
MAX_ID: Final = 200
"""Longest id in characters: it is kept in an index."""

_BOM: Final = b"\xef\xbb\xbf"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Name:
    """A name with everything that is stored for it."""

    text: str
    key: str
    loose_key: str
    terms: str
    deprecated: bool = False


@dataclass(frozen=True, slots=True)
class RowStatement:
    """An impression or feature with everything that is stored for it but its vector."""

    kind: StatementKind
    text: str
    key: str
    terms: str
    confidence: float


@dataclass(frozen=True, slots=True)
class RowRelation:
    """A relation to whoever the target will turn out to be."""

    relation: str
    target: str
    """A name or an id."""
    strength: float


@dataclass(frozen=True, slots=True)
class Row:
    """What one line says about one entity."""

    line: int
    id: str | None
    subject: Name
    aliases: tuple[Name, ...] = ()
    """Of distinct keys, none of them the subject's."""
    statements: tuple[RowStatement, ...] = ()
    """Of distinct keys within their kind."""
    relations: tuple[RowRelation, ...] = ()
    unused: frozenset[str] = frozenset()
    """Fields that nothing is made of, dotted."""


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", frozen=True)


class _Text(_Strict):
    text: str

    @model_validator(mode="before")
    @classmethod
    def _from_text(cls, given: Any) -> Any:
        return {"text": given} if isinstance(given, str) else given


class _Alias(_Text):
    deprecated: bool = False


class _Statement(_Text):
    confidence: float | None = None


class _Relation(_Strict):
    relation: str = Field(validation_alias=AliasChoices("relation", "type"))
    target: str | int
    strength: float | None = None


class _Line(_Strict):
    id: str | int | None = None
    subject: str
    aliases: Annotated[list[_Alias], Field(max_length=MAX_ITEMS)] | None = None
    impressions: Annotated[list[_Statement], Field(max_length=MAX_ITEMS)] | None = None
    features: Annotated[list[_Statement], Field(max_length=MAX_ITEMS)] | None = None
    relations: Annotated[list[_Relation], Field(max_length=MAX_ITEMS)] | None = None


def read_row(number: int, line: bytes, token: str) -> Row | RefusedLine | None:
    """Return what a line says, or why it cannot be taken; None for a blank one.

    Codes: `LINE_TOO_LONG`, `INVALID_UTF8`, `INVALID_JSON`, `NOT_AN_OBJECT`, `MISSING_FIELD`, `TOO_MANY`,
    `INVALID_FIELD`, and those of `graph.checks` and `graph.names.check_name`.

    Args:
        number: of the line, from 1; the first one may open with a byte order mark.
        line: with or without its end.
        token: of the space the row is for.
    """
    if len(line.rstrip(b"\r\n")) > MAX_LINE:
        return RefusedLine(number, "LINE_TOO_LONG", f"a line has at most {MAX_LINE} bytes: use several, with one id")
    content = (line.removeprefix(_BOM) if number == 1 else line).strip()
    if not content:
        return None
    try:
        content.decode()
        return _row(number, _Line.model_validate_json(content), token)
    except UnicodeDecodeError as error:
        return RefusedLine(number, "INVALID_UTF8", f"byte {error.start + 1} is not UTF-8")
    except ValidationError as error:
        return _refused(number, error)
    except InvalidInput as error:
        return RefusedLine(number, error.code, str(error))


def _refused(number: int, error: ValidationError) -> RefusedLine:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    path = _dotted(part for part in first["loc"] if part not in {"str", "int"})
    reason = f"{path}: {first['msg']}" if path else first["msg"]
    match first["type"]:
        case "json_invalid":
            code = "INVALID_JSON"
        case "model_type" if not path:
            code = "NOT_AN_OBJECT"
        case "missing":
            code = "MISSING_FIELD"
        case "too_long":
            code, reason = "TOO_MANY", f"{path}: at most {MAX_ITEMS} stand in one line: use several, with one id"
        case _:
            code = "INVALID_FIELD"
    return RefusedLine(number, code, reason)


def _dotted(location: Iterable[str | int]) -> str:
    return ".".join(str(part) for part in location)


def _row(number: int, line: _Line, token: str) -> Row:
    subject = name(line.subject, "subject", token)
    aliases: dict[str, Name] = {}
    for path, alias in _numbered("aliases", line.aliases):
        new = name(alias.text, path, token, deprecated=alias.deprecated)
        known = aliases.setdefault(new.key, new)
        if known.deprecated and not new.deprecated:
            aliases[new.key] = new
    aliases.pop(subject.key, None)
    impressions = _statements(StatementKind.IMPRESSION, "impressions", line.impressions, token)
    features = _statements(StatementKind.FEATURE, "features", line.features, token)
    return Row(
        line=number,
        id=None if line.id is None else check_text(str(line.id), "id", longest=MAX_ID),
        subject=subject,
        aliases=tuple(aliases.values()),
        statements=(*impressions, *features),
        relations=tuple(_relation(path, relation) for path, relation in _numbered("relations", line.relations)),
        unused=frozenset(_unused(line)),
    )


def name(text: str, path: str, token: str, *, deprecated: bool = False) -> Name:
    """Return a name with what is stored for it.

    Raises:
        InvalidInput: see `graph.names.check_name`.
    """
    shown = check_name(text, path)
    return Name(shown, identity_key(shown), loose_key(shown), scoped(search_terms(shown), token), deprecated)


def _statements(
    kind: StatementKind, field: str, statements: list[_Statement] | None, token: str
) -> Iterable[RowStatement]:
    distinct: dict[str, RowStatement] = {}
    for path, statement in _numbered(field, statements):
        text = check_statement(statement.text, path)
        key = _key(text, path)
        confidence = 1.0 if statement.confidence is None else check_unit(statement.confidence, f"{path}.confidence")
        known = distinct.get(key)
        if known is None:
            distinct[key] = RowStatement(kind, text, key, scoped(search_terms(text), token), confidence)
        elif confidence > known.confidence:
            distinct[key] = RowStatement(kind, known.text, key, known.terms, confidence)
    return distinct.values()


def _relation(path: str, relation: _Relation) -> RowRelation:
    text = check_statement(relation.relation, f"{path}.relation", longest=MAX_RELATION)
    _key(text, f"{path}.relation")
    return RowRelation(
        relation=text,
        target=check_text(str(relation.target), f"{path}.target", longest=max(MAX_NAME, MAX_ID)),
        strength=1.0 if relation.strength is None else check_unit(relation.strength, f"{path}.strength"),
    )


def _key(text: str, path: str) -> str:
    key = identity_key(text)
    if not key:
        raise InvalidInput("TEXT_EMPTY", path, f"there is nothing said in {text!r}")
    return key


def _numbered(field: str, entries: list[T] | None) -> Iterator[tuple[str, T]]:
    for position, entry in enumerate(entries or ()):
        yield f"{field}.{position}", entry


def _unused(line: _Line) -> Iterator[str]:
    yield from line.model_extra or ()
    for field in ("aliases", "impressions", "features", "relations"):
        for entry in getattr(line, field) or ():
            for unused in entry.model_extra or ():
                yield f"{field}.{unused}"
