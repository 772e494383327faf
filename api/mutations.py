"""Mutations of the runtime: projection, and the example memory for a first visit."""

from datetime import datetime
from typing import Final

import strawberry

from api.context import Info
from api.demo import load_memories
from api.queries import Space
from api.sizes import paged, sized
from api.types.failures import InvalidInput, Unavailable, refused, unavailable
from api.types.recalled import ProjectEntityResult, Projection
from graph import errors
from graph.checks import check_space
from graph.values import EvidenceSource
from resolvers.requests import MOST_INPUTS, projection_input

MOST_SHOWN: Final = 8
"""Matches of a projection, but for those that are attached beyond them."""


@strawberry.input(description="One input of a conversation.")
class ProjectEntityInput:
    text: str
    space: str = "default"
    source: EvidenceSource = EvidenceSource.USER_INPUT
    at: datetime | None = strawberry.field(default=None, description="Now, unless given.")
    conversation: str = "default"
    speaker: str | None = strawberry.field(default=None, description="Whom first-person words stand for.")
    mentions: list[str] | None = strawberry.field(default=None, description="Names of what it is about for certain.")


@strawberry.type
class ProjectionMutations:
    @strawberry.mutation(
        description="Attach a text to what it is about, opening active entities where none lives.",
        metadata=paged(MOST_SHOWN),
    )
    async def project_entity(self, info: Info, input: ProjectEntityInput) -> ProjectEntityResult:  # noqa: A002 -- API name
        return await _project(info, input, "input")

    @strawberry.mutation(
        description="Project several inputs one after the other: one result each, in order.",
        metadata={**sized(MOST_INPUTS, "inputs"), **paged(MOST_SHOWN)},
    )
    async def project_entities(self, info: Info, inputs: list[ProjectEntityInput]) -> list[ProjectEntityResult]:
        if len(inputs) > MOST_INPUTS:
            raise errors.InvalidInput("TOO_MANY_INPUTS", "inputs", f"at most {MOST_INPUTS} are taken at once")
        return [await _project(info, each, f"inputs.{place}") for place, each in enumerate(inputs)]

    @strawberry.mutation(description="Load the example memory into a space, for a first visit.")
    async def load_example(self, info: Info, space: Space = "default") -> bool:
        await load_memories(info.context.service, check_space(space))
        return True


async def _project(info: Info, given: ProjectEntityInput, path: str) -> Projection | InvalidInput | Unavailable:
    service = info.context.service
    try:
        checked = projection_input(
            given.text,
            now=service.clock(),
            at=given.at,
            space=given.space,
            conversation=given.conversation,
            source=given.source,
            speaker=given.speaker,
            mentions=given.mentions or (),
            path=path,
        )
        return Projection.of(await service.projector.project(checked), given.space)
    except errors.InvalidInput as error:
        return refused(error)
    except errors.Unavailable as error:
        return unavailable(error)
