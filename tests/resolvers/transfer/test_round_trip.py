"""Exported, imported into an empty space and exported again: the same bytes."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from graph.errors import InvalidInput
from graph.names import check_name, identity_key
from graph.store import Store
from resolvers.transfer import exporting
from tests.fakes import FakeEmbedder, FixedClock
from tests.resolvers.transfer.conftest import Space

SHARED = Path(os.environ.get("IMPRESSIONS_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data"))

NAMES = [
    "Ada",
    "ADA",
    "刘备",
    "劉備",
    "北京大学",
    "C++",
    "👩‍🚀 Team",
    "x·y",
    "“Bo”",
    "null",
    "ß",
    "Ǆ",
    "한국",
    "a\u2028b",
    "3",
]

REFUSALS = {
    "INVALID_JSON",
    "NAME_EMPTY",
    "NAME_INVALID_CHARACTERS",
    "NAME_TOO_LONG",
    "RELATION_TO_SELF",
    "TARGET_AMBIGUOUS",
    "TARGET_UNKNOWN",
    "TEXT_EMPTY",
    "TEXT_INVALID_CHARACTERS",
    "TEXT_TOO_LONG",
}


def is_name(text: str) -> bool:
    try:
        check_name(text, "")
    except InvalidInput:
        return False
    return True


def is_statement(text: str) -> bool:
    return bool(text.strip() and identity_key(text)) and not any(ord(letter) < 32 for letter in text)


letters = st.characters(exclude_categories=["Cs", "Cc"])
names = st.sampled_from(NAMES).filter(is_name) | st.text(letters, min_size=1, max_size=8).filter(is_name)
texts = st.sampled_from(["北京人 ", "likes\ttea", "🙂", '"quoted"']) | st.text(letters, min_size=1, max_size=30).filter(
    is_statement
)
numbers = st.sampled_from([0, 1, 0.5]) | st.floats(0, 1)
statements = st.lists(texts | st.fixed_dictionaries({"text": texts, "confidence": numbers}), max_size=3)
aliases = st.lists(names | st.fixed_dictionaries({"text": names, "deprecated": st.booleans()}), max_size=3)
ids = st.sampled_from(["1", "2", "Ada", "刘备", "id of nobody"])
relations = st.lists(
    st.fixed_dictionaries(
        {"relation": texts.map(lambda text: text[:100]).filter(is_statement), "target": names | ids},
        optional={"strength": numbers},
    ),
    max_size=3,
)
rows = st.fixed_dictionaries(
    {"subject": names},
    optional={
        "id": ids,
        "aliases": aliases,
        "impressions": statements,
        "features": statements,
        "relations": relations,
    },
)


async def assert_round_trip(memory: Space) -> list[str]:
    told = await memory.dump()
    copy = memory.another()
    report = await copy.load(*told, strict=True)
    assert report.entities_created == len({line.split(", ", 1)[0] for line in told})
    assert await copy.dump() == told
    await memory.load(*told, strict=True)
    assert await memory.dump() == told
    return told


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(memory_rows=st.lists(rows, max_size=7))
async def test_any_memory(store: Store, embedder: FakeEmbedder, memory_rows: list[dict[str, Any]]) -> None:
    memory = Space(store, "unused", embedder, FixedClock()).another()
    await memory.load(*memory_rows)
    await assert_round_trip(memory)


async def test_homonyms_and_names_that_are_ids(memory: Space) -> None:
    await memory.load(
        {"id": "1", "subject": "Ada", "relations": [{"relation": "r", "target": "2"}]},
        {"id": "2", "subject": "ada", "aliases": [{"text": "Countess", "deprecated": True}]},
        {"id": "Bo", "subject": "Cy", "relations": [{"relation": "r", "target": "3"}]},
        {"id": "3", "subject": "Bo", "relations": [{"relation": "r", "target": "Bo"}]},
        {"subject": "Di", "relations": [{"relation": "r", "target": "Cy"}, {"relation": "r", "target": "Di's"}]},
        strict=False,
    )
    told = await assert_round_trip(memory)
    assert told[0] == '{"id": "1", "subject": "Ada", "relations": [{"relation": "r", "target": "2"}]}'
    assert told[1] == '{"id": "3", "subject": "Bo", "relations": [{"relation": "r", "target": "Cy"}]}'
    assert '"relations": [{"relation": "r", "target": "3"}]' in told[2]


async def test_many_pages_of_homonyms(memory: Space, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "ENTITIES_A_PAGE", 3)
    await memory.load(*({"id": f"{number:02}", "subject": "A" if number % 3 else "B"} for number in range(21)))
    assert [(each["subject"], each["id"]) for each in (await memory.told()).values()] == sorted(
        ("A" if number % 3 else "B", f"{number:02}") for number in range(21)
    )
    await assert_round_trip(memory)


async def test_an_unknown_space_has_nothing_to_tell(memory: Space) -> None:
    assert await memory.dump() == []


@pytest.mark.slow
@pytest.mark.parametrize("graph", ["honglou_zh", "sanguo_zh"])
async def test_a_large_graph(memory: Space, graph: str) -> None:
    file = SHARED / "graphs" / f"{graph}.jsonl"
    if not file.exists():
        pytest.skip(f"development data is not here: {file}")
    lines = file.read_bytes().splitlines()
    report = await memory.load(*lines)
    assert report.entities_created == len(lines)
    await assert_round_trip(memory)


@pytest.mark.slow
async def test_any_text_is_an_ordinary_string(memory: Space) -> None:
    file = SHARED / "hostile" / "hostile_strings.jsonl"
    if not file.exists():
        pytest.skip(f"development data is not here: {file}")
    texts_ = [json.loads(line)["text"] for line in file.read_bytes().splitlines()]
    lines = [
        {
            "id": str(number),
            "subject": f"E{number}",
            "features": [text],
            "relations": [{"relation": "r", "target": text}],
        }
        for number, text in enumerate(texts_)
    ]
    named = [{"id": str(number), "subject": f"E{number}", "aliases": [text]} for number, text in enumerate(texts_)]
    report = await memory.load(*lines, *named)
    assert {each.code for each in report.refused} <= REFUSALS
    told = {id_: each for id_, each in (await memory.told()).items() if "features" in each}
    assert len(told) > len(texts_) / 2
    assert all(each["features"] == [texts_[int(id_)]] for id_, each in told.items())
    await assert_round_trip(memory)
