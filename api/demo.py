"""The demo: the two example memories, and a conversation about each, projected turn by turn.

Every run plays the same conversation in the same spaces: what the run before left of it is removed first, and importing
the memories again changes nothing. So a second run says what the first said, and nothing piles up.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final, Protocol

from api.wiring import Service
from cypher import load
from graph.errors import SetupError
from graph.values import EvidenceSource
from resolvers.linking import Input
from resolvers.project import Projection
from resolvers.requests import projection_input
from resolvers.transfer.importing import import_entities
from resolvers.transfer.report import ImportReport

EXAMPLES: Final = Path(__file__).parents[1] / "examples"
CONVERSATION: Final = "demo"
BETWEEN_TURNS: Final = timedelta(seconds=20)


@dataclass(frozen=True, slots=True)
class Scene:
    """A memory and a conversation about it."""

    space: str
    memory: str
    """File of entities in the examples."""
    conversation: str
    """File of turns in the examples."""


SCENES: Final = (
    Scene("example-en", "sherlock_holmes.jsonl", "conversation_en.jsonl"),
    Scene("example-zh", "three_kingdoms.jsonl", "conversation_zh.jsonl"),
)


class Audience(Protocol):
    """Hears of the demo as it goes."""

    def loaded(self, scene: Scene, report: ImportReport) -> None:
        """Hear that a memory is there."""
        ...

    def projected(self, scene: Scene, turn: Input, projection: Projection) -> None:
        """Hear what a turn was about."""
        ...


async def play(service: Service, audience: Audience) -> None:
    """Load the memories and project the conversations.

    Raises:
        SetupError: the examples are not where this code is.
        Unavailable: the database did not answer.
    """
    for scene in SCENES:
        lines = read_example(scene.memory).splitlines()
        report = await import_entities(service.store, service.embedder, service.clock, lines, space=scene.space)
        audience.loaded(scene, report)
        await service.store.write(load("admin/forget_conversation"), space=scene.space, conversation=CONVERSATION)
        for turn in _turns(service, scene):
            audience.projected(scene, turn, await service.projector.project(turn))


async def load_memories(service: Service, space: str) -> None:
    """Load both example memories into one space, for a first visit; loading them again changes nothing.

    Raises:
        SetupError: the examples are not where this code is.
        Unavailable: the database did not answer.
    """
    for scene in SCENES:
        lines = read_example(scene.memory).splitlines()
        await import_entities(service.store, service.embedder, service.clock, lines, space=space)


def _turns(service: Service, scene: Scene) -> Iterator[Input]:
    for line in read_example(scene.conversation).splitlines():
        told = json.loads(line)
        yield projection_input(
            told["text"],
            now=service.clock(),
            space=scene.space,
            conversation=CONVERSATION,
            source=EvidenceSource(told["source"]),
            speaker=told.get("speaker"),
            mentions=told.get("mentions", ()),
        )


def read_example(name: str) -> bytes:
    try:
        return (EXAMPLES / name).read_bytes()
    except FileNotFoundError as error:
        raise SetupError(f"the demo needs {error.filename}: run it from a checkout, or copy examples/ there") from error
