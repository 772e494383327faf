"""The observer over real HTTP, through the real instructor, against a server that answers what each test wrote."""

import asyncio
import json
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from graph.errors import NotConfigured
from resolvers.update.observe import InstructorObserver
from resolvers.update.observer_port import CutCode, FailureCode, ObservationFailed, Observed, ObserverSettings
from tests.openai_stub import Answer, Dribble, OpenAiStub, Reply, Scripted, Writer
from tests.resolvers.update.test_answers import BOB, PLAN, SCHEMA, WRITTEN
from tests.resolvers.update.test_prompts import ENGLISH, UUID, said, source

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


async def test_a_truncated_answer_says_what_to_change() -> None:
    failed, stub = await fail(Answer(WRITTEN[:-40], finish_reason="length"))

    assert (failed.code, failed.retryable, len(stub.requests)) == (FailureCode.TRUNCATED, False, 1)
    assert "IMPRESSIONS_LLM_MAX_TOKENS" in failed.message
    assert "IMPRESSIONS_UPDATE_BATCH_SIZE" in failed.message
    assert (failed.prompt_tokens, failed.completion_tokens) == (100, 20)


@pytest.mark.parametrize("content", ["", None, " \n"])
async def test_an_empty_answer_is_tried_again_as_it_was(content: str | None) -> None:
    failed, stub = await fail(Answer(content))

    assert (failed.code, failed.retryable, len(stub.requests)) == (FailureCode.EMPTY, True, 3)
    assert len(stub.requests[2]["messages"]) == 2
    observed, _ = await observe(Answer(content), Answer(PLAN))
    assert observed.attempts == 2


@pytest.mark.parametrize(
    "answer",
    [Answer(None, refusal="I cannot help with that."), Answer(None, finish_reason="content_filter")],
    ids=["refusal", "filter"],
)
async def test_a_refusal_is_final(answer: Answer) -> None:
    failed, stub = await fail(answer)

    assert (failed.code, failed.retryable, len(stub.requests)) == (FailureCode.REFUSED, False, 1)


async def test_a_rate_limit_is_waited_out() -> None:
    observed, stub = await observe(Reply(429, headers={"retry-after": "0.3"}), Answer(PLAN))

    assert (observed.attempts, len(stub.requests), observed.prompt_tokens) == (2, 2, 100)
    assert observed.seconds >= 0.3


async def test_a_rate_limit_that_stays() -> None:
    failed, stub = await fail(Reply(429))

    assert (failed.code, failed.retryable, failed.attempts) == (FailureCode.RATE_LIMITED, True, 3)
    assert len(stub.requests) == 3
    assert failed.prompt_tokens is failed.completion_tokens is None


@pytest.mark.parametrize(
    "headers",
    [
        {"retry-after": "90"},
        {"retry-after-ms": "90000"},
        {"retry-after": "in 90 seconds, as a date"},
    ],
    ids=["seconds", "milliseconds", "date"],
)
async def test_nobody_waits_longer_than_allowed(headers: dict[str, str]) -> None:
    if "date" in headers.get("retry-after", ""):  # made now: by the time a test runs, its parameters may be minutes old
        headers = {"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)}

    failed, stub = await fail(Reply(429, headers=headers))

    assert len(stub.requests) == 1
    assert failed.retryable
    assert failed.retry_after_ms is not None
    assert 60_000 < failed.retry_after_ms <= 90_000


async def test_a_used_up_quota_is_not_waited_for() -> None:
    body = json.dumps({"error": {"message": "You exceeded your quota.", "code": "insufficient_quota"}})

    failed, stub = await fail(Reply(429, body))

    assert (failed.code, failed.retryable, len(stub.requests)) == (FailureCode.RATE_LIMITED, False, 1)


@pytest.mark.parametrize("status", [500, 502, 503, 529])
async def test_a_servers_fault_is_tried_again(status: int) -> None:
    observed, _ = await observe(Reply(status, "<h1>Oops</h1>", media_type="text/html"), Answer(PLAN))

    assert observed.attempts == 2
    failed, stub = await fail(Reply(status))
    expected = FailureCode.RATE_LIMITED if status == 529 else FailureCode.SERVER_ERROR
    assert (failed.code, failed.retryable, len(stub.requests)) == (expected, True, 3)


async def test_repetitions_and_questions_are_bounded_together() -> None:
    bad, broken = Answer("no"), Reply(500)

    failed, stub = await fail(bad, broken, bad, bad)

    assert (failed.code, len(stub.requests)) == (FailureCode.INVALID_OUTPUT, 4)


@pytest.mark.parametrize(
    "slow", [Answer(PLAN, after_seconds=5), Dribble(seconds=5)], ids=["silent", "a byte now and then"]
)
async def test_a_slow_answer_is_given_up(slow: Scripted) -> None:
    settings = replace(SETTINGS, timeout_seconds=1.0, retries=1)

    failed, stub = await fail(slow, settings=settings)

    assert (failed.code, failed.retryable, len(stub.requests)) == (FailureCode.TIMEOUT, True, 2)
    assert failed.message == "openai/scripted did not answer within 1 seconds"
    assert failed.seconds >= 2
    observed, _ = await observe(slow, Answer(PLAN), settings=settings)
    assert observed.attempts == 2


async def test_each_request_has_its_own_time() -> None:
    settings = replace(SETTINGS, timeout_seconds=2.5)

    observed, _ = await observe(
        Answer("no", after_seconds=1.5), Answer("no", after_seconds=1.5), Answer(PLAN), settings=settings
    )

    assert observed.attempts == 3


async def test_a_server_that_is_not_there() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    observer = InstructorObserver(replace(SETTINGS, base_url=f"http://127.0.0.1:{port}/v1"))

    with pytest.raises(ObservationFailed) as failed:
        await observer.observe(ROLLING, LABELLED)

    await observer.close()
    assert (failed.value.code, failed.value.retryable, failed.value.attempts) == (FailureCode.UNREACHABLE, True, 3)
    assert "IMPRESSIONS_LLM_BASE_URL" in failed.value.message


@pytest.mark.parametrize("status", [401, 403])
async def test_a_wrong_key_is_named_but_not_shown(status: int) -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}", "code": "invalid_api_key"}})

    failed, stub = await fail(Reply(status, body))

    assert (failed.code, failed.retryable, len(stub.requests)) == (FailureCode.UNAUTHORIZED, False, 1)
    assert failed.message == f"openai/scripted answered with HTTP status {status}; check IMPRESSIONS_LLM_API_KEY"


@pytest.mark.parametrize(
    ("status", "words", "shown"),
    [
        (404, "model 'scripted' not found", " (model 'scripted' not found)"),
        (400, f"no such key {KEY}", " (no such key ***)"),
        (422, f"cannot read: {SECRET_TALK}", ""),
        (400, "x" * 5000, f" ({'x' * 200})"),
        (413, "", ""),
    ],
    ids=["model", "key", "echo", "long", "silent"],
)
async def test_a_refused_request_is_final(status: int, words: str, shown: str) -> None:
    failed, stub = await fail(Reply(status, json.dumps({"error": {"message": words}})))

    assert (failed.code, failed.retryable, len(stub.requests)) == (FailureCode.BAD_REQUEST, False, 1)
    assert failed.message == (
        f"openai/scripted answered with HTTP status {status}{shown}; "
        "check IMPRESSIONS_LLM_MODEL and IMPRESSIONS_LLM_BASE_URL"
    )


@pytest.mark.parametrize(
    "reply",
    [
        Reply(200, "<html>Welcome</html>", media_type="text/html"),
        Reply(200, '{"hello": "world"}'),
        Reply(200, '{"choices": []}'),
        Reply(200, '{"choices": [{}]}'),
        Reply(200, '{"choices": null, "error": {"message": "overloaded"}}'),
        Reply(200, "[]"),
        Reply(200, '"hi"'),
        Reply(200, "{broken"),
        Reply(200, ""),
    ],
    ids=["page", "object", "no choice", "no message", "null", "list", "string", "broken", "nothing"],
)
async def test_an_answer_of_something_else(reply: Reply) -> None:
    failed, _ = await fail(reply)

    assert failed.code is FailureCode.SERVER_ERROR
    assert "at the address of openai/scripted" in failed.message


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
