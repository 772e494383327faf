"""Texts that mean harm are ordinary strings, or refused with a code; never another error."""

import json
import os
import uuid
from pathlib import Path
from typing import Any

import pytest

from graph.checks import MAX_TEXT, check_statement
from graph.errors import InvalidInput
from graph.names import check_name, identity_key
from graph.store import Store
from graph.text import scope_token
from resolvers.recall.values import VectorPolicy
from resolvers.requests import projection_input, question
from tests.fakes import NOON, FakeEmbedder
from tests.resolvers.world import World, attached, entity, later

_DEFAULT = Path(__file__).resolve().parents[3].parent / "shared" / "data"
DATA = Path(os.environ.get("IMPRESSIONS_TEST_DATA", _DEFAULT)) / "hostile" / "hostile_strings.jsonl"


def rows() -> list[str]:
    if not DATA.is_file():
        return []
    return [json.loads(line)["text"] for line in DATA.read_bytes().splitlines()]


TEXTS = rows()
BY_HAND = [
    "+alice -bob", "alice AND bob", "OR", "NOT", "AND OR NOT", "alice && bob || carol", "(alice", "alice)", "[a TO b]",
    "{a TO *}", '"alice', "alice~2", "alice*", "*", "?", "al?ce", "terms:alice", "/al.*/", "\\", "alice\\", "^5",
    "alice^0", "!alice", "<alice>",
    "a", "龙", ".", "!!!", "???", "。。。", "—", "🙂", "👩‍👩‍👧‍👦", "\u200b", "\u202e\u202d",
    "\u0301", "\ufeff", "\u3164", "é" * 3000, "字" * MAX_TEXT,
    "x " * (MAX_TEXT // 2), "a!!!" * (MAX_TEXT // 4), "'" * 500,
    "'; DROP TABLE x; --", "{{7*7}}", "$space", "`Entity`", "//", "MATCH (n) DETACH DELETE n", "\u0000", "\ud800",
    "\x1b[31m",
    "x" * 100_000, "", " ", "\n", "s" + "0" * 10, scope_token("default"),
]  # fmt: skip
needs_data = pytest.mark.skipif(not TEXTS, reason=f"the hostile strings are not here: {DATA}")


def chunks(texts: list[str], size: int) -> list[list[str]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]


@pytest.fixture(scope="module")
async def memory(store: Store) -> World:
    world = World(store, FakeEmbedder(), f"test-{uuid.uuid4().hex}")
    friends = [{"type": "friend", "target": "Bob"}]
    await world.load(entity("Alice", features=["plays the cello"], relations=friends), entity("Bob"))
    return world


@pytest.fixture
def known(memory: World) -> World:
    """Return a conversation of its own about what is known."""
    return memory.but(conversation=uuid.uuid4().hex)


async def survives(world: World, text: str) -> bool:
    """Project a text, which recalls it first; tell whether it was taken at all."""
    where: dict[str, Any] = {"now": NOON, "space": world.space, "conversation": world.conversation}
    try:
        given = projection_input(text, **where)
    except InvalidInput:
        return False
    projection = await world.projector.project(given)
    recall = projection.recall
    if not recall.vector_used:  # it says too little for a vector, unless that is insisted on
        recall = await world.pipeline.recall(question(text, **where, vector=VectorPolicy.ALWAYS))
    assert all(0 <= match.score <= 1 for match in recall.matches)
    if projection.evidence_uuid:
        (stored,) = await world.rows(
            "MATCH (e:Evidence {uuid: $uuid}) WHERE e.space = $space RETURN e.content AS content",
            uuid=projection.evidence_uuid,
        )
        assert stored["content"] == text
    return True


async def names_survive(world: World, name: str) -> bool:
    try:
        given = projection_input(
            "I said so", now=NOON, space=world.space, conversation=world.conversation, speaker=name, mentions=[name]
        )
    except InvalidInput:
        return False
    projection = await world.projector.project(given)
    assert projection.linked or projection.recall.ambiguous_names
    return True


@pytest.mark.parametrize("text", BY_HAND, ids=[str(place) for place in range(len(BY_HAND))])
async def test_a_text_by_hand_is_an_ordinary_string_or_refused(known: World, text: str) -> None:
    taken = await survives(known, text)
    await names_survive(known, text)

    assert taken == (bool(text.strip()) and len(text) <= MAX_TEXT and not set(text) & {"\x00", "\ud800", "\x1b"})
    assert attached(await known.recall("Alice?")) == {"Alice"}, "what was there is there"


async def test_text_of_a_hundred_thousand_characters_is_refused() -> None:
    with pytest.raises(InvalidInput) as refused:
        question("x" * 100_000, now=NOON)

    assert (refused.value.code, refused.value.path) == ("TEXT_TOO_LONG", "text")


@pytest.mark.parametrize(
    "text", ["+Alice -cello", "Alice AND", "(Alice", '"Alice', "Alice~", "Alice*?", "Alice\\", "Alice:^0"]
)
async def test_operators_beside_a_name_do_not_hide_it(known: World, text: str) -> None:
    assert attached(await known.recall(text)) == {"Alice"}


async def test_a_space_token_in_a_text_leads_nowhere(known: World) -> None:
    """Who knew the token of another space could still not look into it."""
    other = known.another_space()

    recall = await other.recall(f"{scope_token(known.space)}alic {scope_token(known.space)}cello")

    assert recall.matches == ()


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("texts", chunks(TEXTS, 40), ids=lambda texts: f"from {TEXTS.index(texts[0])}")
async def test_hostile_texts_are_ordinary_strings(known: World, texts: list[str]) -> None:
    memory = "MATCH (e:Entity) WHERE e.space = $space RETURN e.subject AS subject ORDER BY subject"
    before = await known.rows(memory)

    for place, text in enumerate(texts):
        # In a conversation of its own: texts that differ in their letters' shape only are one input.
        await survives(known.but(conversation=f"{known.conversation} {place}"), text)

    assert await known.rows(memory) == before


@pytest.mark.slow
@needs_data
@pytest.mark.parametrize("texts", chunks(TEXTS, 80), ids=lambda texts: f"from {TEXTS.index(texts[0])}")
async def test_hostile_texts_are_ordinary_names(known: World, texts: list[str]) -> None:
    for text in texts:
        await names_survive(known, text)


@pytest.mark.slow
@needs_data
async def test_hostile_texts_are_remembered_and_found_like_any_other(world: World) -> None:
    names: list[str] = []
    for text in TEXTS:
        try:
            names.append(check_name(text, "name"))
        except InvalidInput:
            continue
    statements: list[str] = []
    for text in TEXTS:
        try:
            statements.append(check_statement(text, "statement"))
        except InvalidInput:
            continue
    sayable = [text for text in statements if identity_key(text)]
    assert len(names) > 250
    assert len(sayable) > 300

    subjects = await world.load(*(entity(name, id=f"n{place}") for place, name in enumerate(names)))
    await world.load(*(entity(f"Holder{place}", features=[text]) for place, text in enumerate(sayable)))

    assert set(names) <= set(subjects), "byte for byte"
    stored = await world.rows("MATCH (f:Feature) WHERE f.space = $space RETURN f.text AS text")
    assert sorted(row["text"] for row in stored) == sorted(sayable)
    for name in names[::25]:
        projection = await world.project("said", mentions=(name,), at=later(seconds=1))
        assert projection.linked or projection.recall.ambiguous_names
