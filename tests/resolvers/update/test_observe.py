"""The observer over real HTTP, through the real instructor, against a server that answers what each test wrote."""

import asyncio
import json
import logging
from dataclasses import replace
from typing import Any

import pytest

from graph.errors import NotConfigured
from resolvers.update.observe import InstructorObserver
from resolvers.update.observer_port import CutCode, FailureCode, ObserverSettings
from tests.openai_stub import Answer, Reply, Scripted
from tests.resolvers.update.scripted_model import (
    KEY,
    LABELLED,
    ROLLING,
    SECRET_TALK,
    SETTINGS,
    fail,
    observe,
    observing,
    said_by_model,
)
from tests.resolvers.update.test_answers import BOB, PLAN, SCHEMA, WRITTEN
from tests.resolvers.update.test_prompts import UUID, said


async def test_a_plan() -> None:
    observed, stub = await observe(Answer(PLAN))

    assert said_by_model(observed) == PLAN
    assert type(observed.plan).__name__ == "ImpressionObservationPlan"
    assert (observed.attempts, observed.prompt_tokens, observed.completion_tokens) == (1, 100, 20)
    assert observed.seconds > 0
    assert observed.cut == ()
    (request,) = stub.requests
    assert stub.headers[0]["authorization"] == f"Bearer {KEY}"
    assert request["model"] == "scripted"
    assert request["max_tokens"] == 4096
    assert request["response_format"]["json_schema"]["schema"]["properties"].keys() == SCHEMA["properties"].keys()
    system, user = request["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert json.dumps(SECRET_TALK) in user["content"]


@pytest.mark.parametrize(
    "content",
    [
        [BOB],
        {"entities": [BOB]},
        {"result": PLAN},
        f"<think>Who is {{Bob}}?</think>\n\n{WRITTEN}",
        f"```json\n{WRITTEN}\n```",
        f"Here you are:\n{WRITTEN}\nAnything else?",
    ],
    ids=["bare list", "other key", "nested", "think", "fence", "prose"],
)
async def test_small_models_manners_cost_no_second_request(content: Any) -> None:
    observed, stub = await observe(Answer(content))

    assert said_by_model(observed)["observations"] == [BOB]
    assert observed.attempts == len(stub.requests) == 1


@pytest.mark.parametrize(
    "content",
    [
        SCHEMA,
        "Bob lives in Lisbon.",
        {"a": [BOB], "b": [BOB]},
        {**PLAN, "observations": [{**BOB, "confidence": float("nan")}]},
        {**PLAN, "observations": [{**BOB, "confidence": 90}]},
        WRITTEN[:-40],
        WRITTEN.replace("Lisbon", "\\ud800"),
        '{"observations": ' * 3000,
    ],
    ids=["schema", "prose", "ambiguous", "nan", "percent", "cut off", "surrogate", "nested"],
)
async def test_what_is_no_plan_is_asked_for_again(content: Any) -> None:
    observed, stub = await observe(Answer(content), Answer(PLAN, usage=(300, 30)))

    assert said_by_model(observed) == PLAN
    assert (observed.attempts, observed.prompt_tokens, observed.completion_tokens) == (2, 400, 50)
    assert len(stub.requests[1]["messages"]) == 4
    failed, stub = await fail(Answer(content))
    assert (failed.code, failed.retryable, failed.attempts) == (FailureCode.INVALID_OUTPUT, True, 3)
    assert (failed.prompt_tokens, failed.completion_tokens, len(stub.requests)) == (300, 60, 3)
    assert failed.seconds > 0


async def test_the_fault_is_named_without_what_stood_there() -> None:
    failed, _ = await fail(Answer({**PLAN, "observations": [{**BOB, "reason": SECRET_TALK, "confidence": "sure"}]}))

    assert failed.message == (
        "openai/scripted gave no plan in 3 requests: observations.0.confidence: Input should be a valid number, "
        "unable to parse string as a number"
    )


async def test_no_more_is_asked_than_allowed() -> None:
    failed, stub = await fail(Answer("no"), settings=replace(SETTINGS, reasks=0, retries=0))

    assert (failed.attempts, len(stub.requests)) == (1, 1)


async def test_what_was_never_shown_passes_through() -> None:
    """Labels and ids are judged later, where every drop has its place in the run."""
    odd = {**BOB, "proposedSubject": UUID, "sourceActiveRuntimeIds": ["A1", "A99", "deadbeef0123"]}

    observed, _ = await observe(Answer({**PLAN, "observations": [odd]}))

    assert said_by_model(observed)["observations"] == [odd]


async def test_two_hundred_observations_are_cut_and_counted() -> None:
    many = [{**BOB, "proposedSubject": f"Bob {number}"} for number in range(200)]

    observed, stub = await observe(Answer({**PLAN, "observations": many}))

    assert said_by_model(observed)["observations"] == many[:64]
    ((code, count),) = {(cut.code, cut.count) for cut in observed.cut}
    assert (code, count, len(stub.requests)) == (CutCode.TOO_MANY, 136, 1)


async def test_usage_a_server_does_not_tell() -> None:
    observed, _ = await observe(Answer("no", usage=None), Answer(PLAN))
    assert (observed.prompt_tokens, observed.completion_tokens, observed.attempts) == (100, 20, 2)

    observed, _ = await observe(Answer(PLAN, usage=None))
    assert observed.prompt_tokens is observed.completion_tokens is None


async def test_templates_in_what_people_say_are_text() -> None:
    talk = "{{ 7 * 7 }} {% for x in y %} data:image/png;base64,AAAA"

    async with observing(Answer(PLAN)) as (observer, stub):
        await observer.observe(replace(ROLLING, messages=(said(talk),)), LABELLED)

    assert json.dumps(talk) in stub.requests[0]["messages"][1]["content"]


async def test_no_more_are_under_way_than_allowed() -> None:
    settings = replace(SETTINGS, concurrency=3)

    async with observing(Answer(PLAN, after_seconds=0.05), settings=settings) as (observer, stub):
        observed = await asyncio.gather(*(observer.observe(ROLLING, LABELLED) for _ in range(12)))

    assert stub.most_under_way == 3
    assert all(each.attempts == 1 for each in observed)


async def test_a_cancelled_observation_frees_its_place() -> None:
    settings = replace(SETTINGS, concurrency=1)

    async with observing(Answer(PLAN, after_seconds=1), Answer(PLAN), settings=settings) as (observer, stub):
        waiting = asyncio.create_task(observer.observe(ROLLING, LABELLED))
        while not stub.requests:  # noqa: ASYNC110 -- the stub has no event for it
            await asyncio.sleep(0.01)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert (await observer.observe(ROLLING, LABELLED)).attempts == 1


@pytest.mark.parametrize("script", [(Answer(f"{SECRET_TALK} {KEY}"),), (Reply(400, SECRET_TALK),), (Reply(500),)])
async def test_nothing_that_was_said_is_logged(
    script: tuple[Scripted, ...], caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.INFO)

    await fail(*script)

    written = "".join((caplog.text, *capsys.readouterr()))
    for secret in (KEY, "Bearer", "4711", "Bob"):
        assert secret not in written


async def test_settings_do_not_show_the_key() -> None:
    assert KEY not in repr(SETTINGS)


async def test_a_server_that_wants_no_key_gets_none_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)

    _, stub = await observe(Answer(PLAN), settings=replace(SETTINGS, api_key=None))

    assert KEY not in str(stub.headers)


async def test_ollama_is_reached_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    settings = replace(SETTINGS, model="ollama/qwen3:8b", api_key=None, max_tokens=None)

    observed, stub = await observe(Reply(500), Answer(PLAN), settings=settings)

    assert observed.attempts == 2
    assert stub.requests[1]["model"] == "qwen3:8b"
    assert "max_tokens" not in stub.requests[1]


@pytest.mark.parametrize(
    ("model", "setting"),
    [
        ("qwen3", "IMPRESSIONS_LLM_MODEL"),
        ("openai/", "IMPRESSIONS_LLM_MODEL"),
        ("nobody/anything", "IMPRESSIONS_LLM_MODEL"),
        ("mistral/small", "IMPRESSIONS_LLM_MODEL"),  # its library is not installed
        ("openai/gpt-5-mini", "IMPRESSIONS_LLM_API_KEY"),
    ],
)
async def test_a_wrong_setting_is_named(model: str, setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)  # the environment is read in one place, which is not here

    with pytest.raises(NotConfigured) as refused:
        InstructorObserver(ObserverSettings(model=model))

    assert refused.value.setting == setting
    assert setting in str(refused.value)
