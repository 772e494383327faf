"""The page's dictionaries: no code of the service is without words in either language."""

import re
from collections.abc import Collection
from enum import StrEnum
from pathlib import Path
from typing import Final

import pytest
from graphql import GraphQLEnumType, GraphQLObjectType, build_schema

from resolvers.recall.values import Channel, Rule
from resolvers.update.diff import ChangeKind, Part, StepKind
from resolvers.update.observer_port import FailureCode
from resolvers.update.runs import Origin
from resolvers.update.seen import Decision, DropCode, ResolutionCode
from resolvers.update.violations import ViolationCode

ROOT: Final = Path(__file__).parents[2]
SCHEMA: Final = build_schema((ROOT / "api" / "schema.graphql").read_text(encoding="utf-8"))
LANGUAGES: Final = ROOT / "api" / "web" / "src" / "language"
TEXTS: Final = {
    tongue: "\n".join((LANGUAGES / name).read_text(encoding="utf-8") for name in (f"{tongue}.ts", f"codes.{tongue}.ts"))
    for tongue in ("en", "zh")
}


def of_schema(name: str) -> list[str]:
    enum = SCHEMA.type_map[name]
    assert isinstance(enum, GraphQLEnumType)
    return list(enum.values)


def of(codes: type[StrEnum]) -> list[str]:
    return [code.value for code in codes]


def of_checks() -> list[str]:
    """Return the codes with which names, texts and numbers are refused."""
    sources = [(ROOT / "graph" / name).read_text(encoding="utf-8") for name in ("checks.py", "names.py")]
    return re.findall(r'InvalidInput\(\s*"([A-Z_]+)"', "\n".join(sources))


def of_hits() -> list[str]:
    """Return the fields of a text hit, as the schema tells them."""
    told = re.search(r'"""([a-z, ]+)\."""\s*field: String!', (ROOT / "api" / "schema.graphql").read_text())
    assert told
    return re.split(r", | or ", told[1])


CODES: Final[dict[str, Collection[str]]] = {
    "channels": of(Channel),
    "fields": of_hits(),
    "rules": of(Rule),
    "statuses": of_schema("RunStatus"),
    "sources": of_schema("EvidenceSource"),
    "origins": of(Origin),
    "steps": of(StepKind),
    "parts": of(Part),
    "changes": of(ChangeKind),
    "decisions": of(Decision),
    "resolutions": of(ResolutionCode),
    "dropped": of(DropCode),
    "failures": of(FailureCode),
    "refused": {*of(ViolationCode), *of_checks()},
}


def words(tongue: str, block: str) -> set[str]:
    """Return the keys of one block of a dictionary."""
    text = TEXTS[tongue]
    started = re.search(rf"^ +{block}: \{{", text, re.MULTILINE)
    assert started, (tongue, block)
    depth, end = 1, started.end()
    while depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return set(re.findall(r"\b(\w+):", text[started.end() : end]))


@pytest.mark.parametrize("tongue", TEXTS)
@pytest.mark.parametrize("block", CODES)
def test_every_code_has_words(tongue: str, block: str) -> None:
    assert sorted(set(CODES[block]) - words(tongue, block)) == []


@pytest.mark.parametrize(
    ("type_name", "field", "codes"),
    [
        ("EntityMatch", "rule", of(Rule)),
        ("Resolution", "code", of(ResolutionCode)),
        ("Dropped", "code", of(DropCode)),
        ("Violation", "code", of(ViolationCode)),
        ("AssociationSignal", "channel", of(Channel)),
        ("UpdateRun", "origin", of(Origin)),
        ("UpdateStep", "kind", of(StepKind)),
        ("Change", "kind", of(ChangeKind)),
    ],
)
def test_the_schema_lists_the_codes_of_its_string_fields(type_name: str, field: str, codes: list[str]) -> None:
    owner = SCHEMA.type_map[type_name]
    assert isinstance(owner, GraphQLObjectType)
    told = owner.fields[field].description or ""
    assert sorted(set(codes) - set(re.findall(r"[A-Z_]{2,}", told))) == []
