"""The second act of the demo: the conversation is rolled, the plan shown, landed, recalled by, and taken back.

Without a language model it plays observations that are written down in the examples, and says so. It ends where it
began, so that it can be played again; a run that an interrupted demo left behind is cleared away first.
"""

import json
from collections.abc import Sequence
from typing import Final, Protocol

from api.demo import CONVERSATION, SCENES, Scene, read_example
from api.wiring import Service
from resolvers.recall.values import Recall
from resolvers.requests import question
from resolvers.update.diff import ShownStep
from resolvers.update.pipeline import Outcome
from resolvers.update.requests import Message, observation_plans, rolling
from resolvers.update.runs import ConfirmMode, Run, RunStatus

ASKED: Final = "Who is Priya Raman's brother, and what does he do?"
_KEY: Final = "demo"


class UpdateAudience(Protocol):
    """Hears of the update as it goes."""

    def planned(self, scene: Scene, run: Run, diff: Sequence[ShownStep], *, model: bool) -> None:
        """Hear what the plan would change, and whether a language model made it."""
        ...

    def landed(self, run: Run, asked: str, recall: Recall) -> None:
        """Hear what was written, and what is recalled with it."""
        ...

    def undone(self, run: Run) -> None:
        """Hear that all of it was taken back."""
        ...


async def play_update(service: Service, audience: UpdateAudience) -> None:
    """Roll the demo's English conversation, show the plan, land it, recall with it, undo it.

    Raises:
        SetupError: the examples are not where this code is.
        Unavailable: the database or the language model did not answer.
    """
    scene = SCENES[0]
    outcome = await _prepare(service, scene)
    if not outcome.created:
        await _clear(service, scene, outcome.run)
        outcome = await _prepare(service, scene)
    prepared = outcome.run
    diff = await service.runs.diff(prepared)
    audience.planned(scene, prepared, diff, model=service.settings.observer is not None)
    if prepared.status is not RunStatus.PREPARED:
        return
    landed = await service.pipeline.confirm(scene.space, prepared.id)
    asked = question(ASKED, now=service.clock(), space=scene.space, conversation=CONVERSATION)
    audience.landed(landed, ASKED, await service.recall.recall(asked))
    if landed.status is RunStatus.APPLIED:
        audience.undone(await service.pipeline.undo(scene.space, landed.id))


async def _prepare(service: Service, scene: Scene) -> Outcome:
    """Return the demo's run: a new plan, or what an earlier demo left under its key."""
    given = json.loads(read_example("rolling_en.json"))
    told = rolling(
        given["summary"],
        [Message(each["role"], each["text"]) for each in given["messages"]],
        now=service.clock(),
        conversation=CONVERSATION,
    )
    if service.settings.observer is not None:
        return await service.pipeline.update(scene.space, told, confirm=ConfirmMode.MANUAL, key=_KEY)
    plans = observation_plans(json.loads(read_example("observations_en.json")))
    return await service.pipeline.submit(
        scene.space, CONVERSATION, plans, rolling=told, confirm=ConfirmMode.MANUAL, key=_KEY
    )


async def _clear(service: Service, scene: Scene, left: Run) -> None:
    if left.status is RunStatus.APPLIED:
        await service.pipeline.undo(scene.space, left.id)
    else:
        await service.pipeline.reject(scene.space, left.id, "left behind by a demo")
