"""Labels, relationship types and properties of every query file exist in the neomodel classes."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from neomodel import AsyncStructuredNode, AsyncStructuredRel

import cypher
from cypher import load
from graph import nodes

CLASSES: Final = {
    cls.__label__: cls
    for cls in vars(nodes).values()
    if isinstance(cls, type) and issubclass(cls, AsyncStructuredNode) and cls is not AsyncStructuredNode
}
TYPES: Final = {
    definition.definition["relation_type"]: definition.definition["model"]
    for cls in CLASSES.values()
    for definition in cls.defined_properties(aliases=False, properties=False).values()
}
PROPERTIES: Final = {
    name
    for cls in [*CLASSES.values(), *(model for model in TYPES.values() if model)]
    for name in cls.defined_properties(aliases=False, rels=False)
}
_TEXT: Final = re.compile(r"//[^\n]*|/\*.*?\*/|'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\"", re.DOTALL)
_NODE: Final = re.compile(r"\(\s*(?P<name>[a-z]\w*)?\s*(?::(?P<labels>\w+(?:[|&:]\w+)*))?\s*(?P<map>\{[^{}]*\})?\s*\)")
_EDGE: Final = re.compile(r"\[\s*(?P<name>[a-z]\w*)?\s*:(?P<types>\w+(?:\|\w+)*)\s*(?P<map>\{[^{}]*\})?\s*\]")
_KEY: Final = re.compile(r"(?:\{|,)\s*([a-zA-Z]\w*)\s*:")
_ACCESS: Final = re.compile(r"(?<![\w.$`])([a-z]\w*)\.([a-zA-Z]\w*)(?!\s*\()(?!\.)")
_SET_LABEL: Final = re.compile(r"(?:SET|REMOVE)\s+[a-z]\w*:(\w+)")


def code(name: str) -> str:
    return _TEXT.sub(" ", load(name).text)


def labels(text: str) -> Iterator[str]:
    for node in _NODE.finditer(text):
        if node["labels"]:
            yield from re.split("[|&:]", node["labels"])
    yield from _SET_LABEL.findall(text)


def types(text: str) -> Iterator[str]:
    for edge in _EDGE.finditer(text):
        yield from edge["types"].split("|")


def bound_names(text: str) -> set[str]:
    """Return the variables that stand for nodes or relationships with a label or type in a pattern."""
    found = {edge["name"] for edge in _EDGE.finditer(text) if edge["name"]}
    return found | {node["name"] for node in _NODE.finditer(text) if node["name"] and node["labels"]}


def properties(text: str) -> Iterator[str]:
    """Yield the properties a text gives in patterns and reads of the variables bound in them."""
    for pattern in (*_NODE.finditer(text), *_EDGE.finditer(text)):
        # A map alone in brackets is an argument: collect({…}).
        if pattern["map"] and pattern["map"] != pattern.group().strip("() "):
            yield from _KEY.findall(pattern["map"])
    names = bound_names(text)
    for variable, name in _ACCESS.findall(text):
        if variable in names:
            yield name


def test_the_tokenizer_sees_what_is_there() -> None:
    text = """
        MATCH (a:Entity|Alias {space: $space})-[r:RELATES_TO|KNOWN_AS {uuid: 1}]->(:Term) WHERE a.nope = r.text
        SET a:LiveEvidence REMOVE a.gone RETURN {made: a.subject, up: other.thing, f: g.text(1)}, collect({no: 1})
    """

    assert set(labels(text)) == {"Entity", "Alias", "Term", "LiveEvidence"}
    assert set(types(text)) == {"RELATES_TO", "KNOWN_AS"}
    assert set(properties(text)) == {"space", "uuid", "nope", "text", "gone", "subject"}


def test_the_classes_hold_what_the_design_names() -> None:
    assert {"Entity", "Alias", "Impression", "Feature", "ActiveEntity", "Evidence", "ServiceMeta"} <= CLASSES.keys()
    assert {"KNOWN_AS", "RELATES_TO", "HAS_EVIDENCE", "BOUND_TO", "PROJECTS"} <= TYPES.keys()
    assert {"spaceKey", "associationConfidence", "revision"} - PROPERTIES == {"spaceKey"}, "terms carry the token"
    assert all(issubclass(model, AsyncStructuredRel) for model in TYPES.values() if model)


@pytest.mark.parametrize("name", cypher.names())
def test_a_query_uses_only_words_of_the_graph(name: str) -> None:
    text = code(name)

    assert set(labels(text)) <= CLASSES.keys()
    assert set(types(text)) <= TYPES.keys()
    assert set(properties(text)) <= PROPERTIES


def test_every_label_and_type_is_used_by_some_query() -> None:
    texts = [code(name) for name in cypher.names()]

    assert {label for text in texts for label in labels(text)} == CLASSES.keys()
    assert {each for text in texts for each in types(text)} == TYPES.keys()
