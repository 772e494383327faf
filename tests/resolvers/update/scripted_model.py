"""A model that answers over real HTTP as the script says, and the real observer that asks it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from resolvers.update.observe import InstructorObserver
from resolvers.update.observer_port import ObservationFailed, Observed, ObserverSettings
from tests.openai_stub import OpenAiStub, Scripted, Writer
from tests.resolvers.update.test_prompts import ENGLISH, said, source

KEY = "sk-very-secret-0123456789"
SECRET_TALK = "Bob's safe opens with 4711 and a smile."
SETTINGS = ObserverSettings(
    model="openai/scripted", api_key=KEY, timeout_seconds=5, first_wait_seconds=0.01, longest_wait_seconds=2
)
ROLLING = replace(ENGLISH, messages=(said("Bob moved to Lisbon."), said(SECRET_TALK)))
LABELLED = [("A1", source("Bob", "Bob moved to Lisbon."))]


@asynccontextmanager
async def observing(
    *script: Scripted | Writer, settings: ObserverSettings = SETTINGS
) -> AsyncIterator[tuple[InstructorObserver, OpenAiStub]]:
    stub = OpenAiStub(*script)
    async with stub.serving() as base_url:
        observer = InstructorObserver(replace(settings, base_url=base_url))
        try:
            yield observer, stub
        finally:
            await observer.close()


async def observe(*script: Scripted | Writer, settings: ObserverSettings = SETTINGS) -> tuple[Observed, OpenAiStub]:
    async with observing(*script, settings=settings) as (observer, stub):
        return await observer.observe(ROLLING, LABELLED), stub


async def fail(
    *script: Scripted | Writer, settings: ObserverSettings = SETTINGS
) -> tuple[ObservationFailed, OpenAiStub]:
    async with observing(*script, settings=settings) as (observer, stub):
        with pytest.raises(ObservationFailed) as failed:
            await observer.observe(ROLLING, LABELLED)
    assert failed.value.__cause__ is failed.value.__context__ is None, "a provider's exception carries the prompt"
    for secret in (KEY, "Bearer", SECRET_TALK, "4711"):
        assert secret not in str(failed.value) + repr(failed.value)
    return failed.value, stub


def said_by_model(observed: Observed) -> dict[str, Any]:
    return observed.plan.model_dump(mode="json")
