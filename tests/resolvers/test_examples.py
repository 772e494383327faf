"""The examples, turn by turn, with the packaged model: what stands beside each turn is the test."""

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import resolvers
from graph.embedding import SentenceTransformerEmbedder
from graph.ports import Vector
from graph.store import Store
from graph.values import EvidenceSource
from resolvers.project import Projection
from resolvers.recall.normalise import CALIBRATIONS
from resolvers.recall.pipeline import RecallSettings
from tests.prepared import VECTORS
from tests.resolvers.world import World, attached, later

pytestmark = pytest.mark.slow

EXAMPLES = Path(resolvers.__file__).parent.parent / "examples"


def read(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@dataclass(frozen=True)
class Posing:
    """The packaged model under the name of the one whose vectors the shared database holds."""

    model: SentenceTransformerEmbedder
    name: str = VECTORS.model
    dimensions: int = VECTORS.dimensions
    local: bool = True

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        return await self.model.embed(texts)

    async def embed_query(self, text: str) -> Vector:
        return await self.model.embed_query(text)


@pytest.fixture(scope="module")
async def model() -> AsyncIterator[Posing]:
    model = await SentenceTransformerEmbedder.load()
    assert model.dimensions == VECTORS.dimensions
    yield Posing(model)
    await model.close()


@pytest.mark.parametrize(
    ("memory", "conversation"), [("sherlock_holmes", "conversation_en"), ("three_kingdoms", "conversation_zh")]
)
async def test_every_turn_of_a_conversation_is_about_what_stands_beside_it(
    store: Store, model: Posing, space: str, memory: str, conversation: str
) -> None:
    world = World(store, model, space, recalling=RecallSettings(calibration=CALIBRATIONS[model.model.name]))
    await world.load(*read(memory))

    wrong: list[str] = []
    for number, turn in enumerate(read(conversation), start=1):
        projection = await world.project(
            turn["text"],
            source=EvidenceSource(turn["source"]),
            speaker=turn.get("speaker"),
            mentions=tuple(turn.get("mentions", ())),
            at=later(seconds=30 * number),
        )
        wrong += [f"{number}. {turn['text']!r}: {each}" for each in disagreements(turn["expect"], projection)]
        opened = turn["expect"].get("opens")
        if opened and opened not in {active["subject"] for active in await world.actives()}:
            wrong.append(f"{number}. {turn['text']!r}: {opened!r} was not opened")

    assert wrong == []


def disagreements(expected: dict[str, Any], projection: Projection) -> list[str]:
    found = attached(projection.recall)
    ambiguous = {each.name for each in projection.recall.ambiguous_names}
    wrong = [f"{each!r} is missing" for each in expected["attached"] if each not in found]
    wrong += [f"{each!r} is attached" for each in expected.get("not_attached", ()) if each in found]
    wrong += [f"{each!r} is not ambiguous" for each in expected.get("ambiguous", ()) if each not in ambiguous]
    if expected.get("nothing") and projection.linked:
        wrong.append(f"linked to something: {projection.reason}")
    if expected.get("opens") and not projection.created:
        wrong.append("nothing was opened")
    if not expected.get("opens") and projection.created and not found:
        wrong.append("something was opened")
    return wrong
