"""What a provider does wrong, over real HTTP: waited out, asked again, or given up with its reason."""

import json
import socket
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from resolvers.update.observe import InstructorObserver
from resolvers.update.observer_port import FailureCode, ObservationFailed
from tests.openai_stub import Answer, Dribble, Reply, Scripted
from tests.resolvers.update.scripted_model import (
    KEY,
    LABELLED,
    ROLLING,
    SECRET_TALK,
    SETTINGS,
    fail,
    observe,
)
from tests.resolvers.update.test_answers import PLAN, WRITTEN


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
    "slow", [Answer(PLAN, after_seconds=20), Dribble(seconds=20)], ids=["silent", "a byte now and then"]
)
async def test_a_slow_answer_is_given_up(slow: Scripted) -> None:
    settings = replace(SETTINGS, timeout_seconds=2.0, retries=1)

    failed, stub = await fail(slow, settings=settings)

    assert (failed.code, failed.retryable, len(stub.requests)) == (FailureCode.TIMEOUT, True, 2)
    assert failed.message == "openai/scripted did not answer within 2 seconds"
    assert failed.seconds >= 4
    observed, _ = await observe(slow, Answer(PLAN), settings=settings)
    assert observed.attempts == 2


async def test_each_request_has_its_own_time() -> None:
    settings = replace(SETTINGS, timeout_seconds=5.0)

    observed, _ = await observe(
        Answer("no", after_seconds=3), Answer("no", after_seconds=3), Answer(PLAN), settings=settings
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
