"""The language model behind an update, through instructor: the one module that imports it.

instructor asks again when an answer is no plan; this module tries again when there was no answer, bounds both, counts
what every request cost, and turns whatever went wrong into one `ObservationFailed`.
"""

import asyncio
import inspect
import json
import logging
import random
import time
from collections.abc import Sequence
from typing import Any, Final, Self

import structlog
from instructor import AsyncInstructor, Mode, from_provider
from instructor.core.exceptions import (
    ConfigurationError,
    IncompleteOutputException,
    InstructorRetryException,
)
from instructor.core.hooks import HookName, Hooks
from pydantic import ModelWrapValidatorHandler, PrivateAttr, ValidationError, model_validator

from graph.errors import NotConfigured
from resolvers.update.answers import json_in, plan_shaped, within_bounds
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.observer_port import Cut, FailureCode, ObservationFailed, Observed, ObserverSettings
from resolvers.update.prompts import Prompt, write_prompt
from resolvers.update.provider_failures import (
    code_of_status,
    faults_in,
    is_lasting,
    retry_after_ms,
    server_words,
    status_of,
    transport_code,
)
from resolvers.update.seen import ActiveSource, Rolling

# It logs answers and servers' words as errors. What is worth saying is said by the failure; the rest is people's talk.
logging.getLogger("instructor").setLevel(logging.CRITICAL)

log = structlog.get_logger("impressions")

MODEL_SETTING: Final = "IMPRESSIONS_LLM_MODEL"
KEY_SETTING: Final = "IMPRESSIONS_LLM_API_KEY"
BASE_URL_SETTING: Final = "IMPRESSIONS_LLM_BASE_URL"

_OLLAMA_URL: Final = "http://127.0.0.1:11434/v1"
_NO_KEY: Final = "none"
"""For servers that want no key. The client would otherwise send the OpenAI key of the environment to them."""

_TRIED_AGAIN: Final = frozenset(
    {
        FailureCode.TIMEOUT,
        FailureCode.RATE_LIMITED,
        FailureCode.UNREACHABLE,
        FailureCode.SERVER_ERROR,
        FailureCode.EMPTY,
    }
)


class NothingSaidError(Exception):
    """An answer without text. No validation error: showing a model its silence does not help."""


class ObservationPlan(ImpressionObservationPlan):
    """What was observed in one slice of a conversation."""

    _cut: tuple[Cut, ...] = PrivateAttr(default=())

    @property
    def cut(self) -> tuple[Cut, ...]:
        """Return what exceeded the bounds."""
        return self._cut

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **how: Any) -> Self:
        """Read the JSON out of what the model said: this is where every provider's answer passes."""
        text = json_data if isinstance(json_data, str) else bytes(json_data).decode()
        if not text.strip():
            raise NothingSaidError
        return super().model_validate_json(json_in(text), **how)

    @model_validator(mode="wrap")
    @classmethod
    def _read(cls, value: Any, validate: ModelWrapValidatorHandler[Self]) -> Self:
        shaped = plan_shaped(value)
        if shaped is None:
            return validate(value)
        plan, cuts = within_bounds(shaped)
        answer = validate(plan)
        answer._cut = cuts  # noqa: SLF001 -- its own
        return answer


class InstructorObserver:
    """Observes through any provider that instructor knows."""

    def __init__(self, settings: ObserverSettings) -> None:
        """Make the client; nothing is sent yet.

        Raises:
            NotConfigured: there is no such provider, its library is not installed, or its key is missing.
        """
        self._settings = settings
        self._client = _client(settings)
        self._free = asyncio.Semaphore(settings.concurrency)
        self._asked_with = _length_argument(settings)

    @property
    def name(self) -> str:
        return self._settings.model

    async def close(self) -> None:
        """Let the connections go."""
        close = getattr(self._client.client, "close", None)
        closing = close() if callable(close) else None
        if inspect.isawaitable(closing):
            await closing

    async def observe(self, rolling: Rolling, labelled: Sequence[tuple[str, ActiveSource]]) -> Observed:
        """Return what the model saw.

        Raises:
            ObservationFailed: after every attempt there is no plan.
        """
        prompt = write_prompt(rolling, labelled, self._settings.language)
        async with self._free:
            tally = _Tally()
            repetitions = 0
            while isinstance(outcome := await self._ask(prompt, tally), ObservationFailed):
                wait = self._wait(outcome, repetitions)
                if wait is None:
                    # Not while a provider's exception is handled: those carry prompts, and keys in their requests.
                    raise outcome
                log.info("llm_tried_again", model=self.name, code=outcome.code, wait_seconds=round(wait, 2))
                await asyncio.sleep(wait)
                repetitions += 1
            return Observed(
                plan=ImpressionObservationPlan(
                    observations=outcome.observations, status=outcome.status, reason=outcome.reason
                ),
                prompt_tokens=tally.prompt_tokens,
                completion_tokens=tally.completion_tokens,
                seconds=tally.seconds,
                attempts=tally.requests,
                cut=outcome.cut,
            )

    def _wait(self, failed: ObservationFailed, repetitions: int) -> float | None:
        if failed.code not in _TRIED_AGAIN or not failed.retryable or repetitions >= self._settings.retries:
            return None
        if failed.retry_after_ms is not None:
            asked = failed.retry_after_ms / 1000
            return asked if asked <= self._settings.longest_wait_seconds else None
        doubled = self._settings.first_wait_seconds * 2.0**repetitions
        spread = 0.75 + random.random() / 2  # noqa: S311 -- so that refused batches do not all come back at once
        return min(doubled * spread, self._settings.longest_wait_seconds)

    async def _ask(self, prompt: Prompt, tally: "_Tally") -> ObservationPlan | ObservationFailed:
        cause: BaseException | None
        try:
            # The client's own limit is per read, which a server that sends a byte now and then never reaches.
            async with asyncio.timeout(None) as deadline:
                tally.limit(deadline, self._settings.timeout_seconds)
                answer: ObservationPlan = await self._client.create(
                    response_model=ObservationPlan,
                    messages=[{"role": "system", "content": prompt.system}, {"role": "user", "content": prompt.user}],
                    max_retries=max(0, self._settings.reasks - tally.refused_answers),
                    strict=False,
                    hooks=tally.hooks,
                    **self._asked_with,
                )
                return answer
        except TimeoutError as error:
            cause = error
        except IncompleteOutputException as error:
            cause = error
        except InstructorRetryException as error:
            cause = error.__cause__
        return self._failure(cause, prompt, tally)

    def _failure(self, cause: BaseException | None, prompt: Prompt, tally: "_Tally") -> ObservationFailed:
        code, message = self._explain(cause, prompt, tally)
        return ObservationFailed(
            code=code,
            message=message,
            retryable=not is_lasting(code, cause, foreign=tally.foreign),
            prompt_tokens=tally.prompt_tokens,
            completion_tokens=tally.completion_tokens,
            seconds=tally.seconds,
            attempts=tally.requests,
            retry_after_ms=retry_after_ms(cause),
        )

    def _explain(self, cause: BaseException | None, prompt: Prompt, tally: "_Tally") -> tuple[FailureCode, str]:
        """Return the code and the sentence for what went wrong: the one place that knows the exceptions."""
        if isinstance(cause, IncompleteOutputException):
            return FailureCode.TRUNCATED, (
                f"the answer of {self.name} reached the limit of {self._settings.max_tokens} tokens before its end: "
                "raise IMPRESSIONS_LLM_MAX_TOKENS, or lower IMPRESSIONS_UPDATE_BATCH_SIZE"
            )
        if code := transport_code(cause):
            return code, self._explain_silence(code)
        if tally.answered:
            return self._explain_answer(cause, tally)
        if isinstance(cause, json.JSONDecodeError):
            return FailureCode.SERVER_ERROR, f"what answers at the address of {self.name} sent broken JSON"
        status = status_of(cause)
        if status is None:
            return FailureCode.BAD_REQUEST, (
                f"the library of the provider could not make the request ({type(cause).__name__})"
            )
        code = code_of_status(status)
        words = "" if code is FailureCode.UNAUTHORIZED else server_words(cause, prompt, self._settings.api_key)
        hint = {
            FailureCode.UNAUTHORIZED: f"; check {KEY_SETTING}",
            FailureCode.BAD_REQUEST: f"; check {MODEL_SETTING} and {BASE_URL_SETTING}",
        }.get(code, "")
        return code, f"{self.name} answered with HTTP status {status}{words}{hint}"

    def _explain_silence(self, code: FailureCode) -> str:
        if code is FailureCode.TIMEOUT:
            return f"{self.name} did not answer within {self._settings.timeout_seconds:g} seconds"
        return f"{self.name} cannot be reached; check {BASE_URL_SETTING} and that the server runs"

    def _explain_answer(self, cause: BaseException | None, tally: "_Tally") -> tuple[FailureCode, str]:
        if tally.declined:
            return FailureCode.REFUSED, f"{self.name} declined to answer ({tally.declined})"
        if tally.foreign:
            return FailureCode.SERVER_ERROR, (
                f"what answers at the address of {self.name} is no chat completion; check {BASE_URL_SETTING}: "
                "it usually ends in /v1"
            )
        if isinstance(cause, NothingSaidError):
            return FailureCode.EMPTY, f"{self.name} answered with nothing"
        faults = faults_in(cause) if isinstance(cause, ValidationError) else f"{type(cause).__name__}"
        return FailureCode.INVALID_OUTPUT, f"{self.name} gave no plan in {tally.requests} requests: {faults}"


def _client(settings: ObserverSettings) -> AsyncInstructor:
    provider, slash, model = settings.model.strip().partition("/")
    if not slash or not model:
        raise NotConfigured(MODEL_SETTING, f"{MODEL_SETTING} must be provider/model, e.g. openai/gpt-5-mini")
    key = (settings.api_key or "").strip() or None
    base_url = settings.base_url or (_OLLAMA_URL if provider == "ollama" else None)
    how: dict[str, Any] = {"api_key": key}
    if provider in {"openai", "ollama"}:  # Ollama speaks OpenAI's language; instructor would drop key and limits
        if key is None and base_url is None:
            raise NotConfigured(KEY_SETTING, f"{KEY_SETTING} is not set: OpenAI wants a key")
        provider = "openai"
        how = {"api_key": key or _NO_KEY, "base_url": base_url, "mode": Mode.JSON_SCHEMA}
    try:
        client = from_provider(f"{provider}/{model}", async_client=True, **how)
    except ConfigurationError as error:
        raise NotConfigured(MODEL_SETTING, f"{MODEL_SETTING}: {error}") from None
    _bound(client.client, settings, base_url)
    return client


def _bound(library: Any, settings: ObserverSettings, base_url: str | None) -> None:
    """Set limits and address on the provider's own client: not every builder of instructor's passes them on."""
    if hasattr(library, "max_retries"):
        library.max_retries = 0  # this module repeats, with every provider alike
    if hasattr(library, "timeout"):
        library.timeout = settings.timeout_seconds
    if base_url is None:
        return
    if not hasattr(library, "base_url"):
        raise NotConfigured(
            BASE_URL_SETTING, f"{BASE_URL_SETTING} does not fit {settings.model!r}: use openai/<model> with it"
        )
    library.base_url = base_url


def _length_argument(settings: ObserverSettings) -> dict[str, Any]:
    if settings.max_tokens is None:
        return {}
    # OpenAI's newer models refuse the old name; the servers that speak its language may not know the new one.
    own = settings.model.startswith("openai/") and settings.base_url is None
    return {"max_completion_tokens" if own else "max_tokens": settings.max_tokens}


class _Tally:
    """Counts over all requests of one observation, and remembers what the last answer was like.

    Its methods are instructor's hooks. Those must not raise: instructor would turn it into a warning.
    """

    def __init__(self) -> None:
        self.requests = 0
        self.refused_answers = 0
        self.prompt_tokens: int | None = None
        self.completion_tokens: int | None = None
        self.answered = False
        """Whether the last request got an answer of any kind."""
        self.declined: str | None = None
        """How the last answer was withheld, if it was."""
        self.foreign = False
        """Whether the last answer is none of a chat completion."""
        self._started = time.monotonic()
        self._deadline: asyncio.Timeout | None = None
        self._seconds = 0.0
        self.hooks = Hooks()
        self.hooks.on(HookName.COMPLETION_KWARGS, self._on_request)
        self.hooks.on(HookName.COMPLETION_RESPONSE, self._on_answer)
        self.hooks.on(HookName.PARSE_ERROR, self._on_refused_answer)

    @property
    def seconds(self) -> float:
        """Return the time since the first request."""
        return time.monotonic() - self._started

    def limit(self, deadline: asyncio.Timeout, seconds: float) -> None:
        """Give each of the next requests so many seconds."""
        self._deadline, self._seconds = deadline, seconds

    def _on_request(self, *_: Any, **__: Any) -> None:
        self.requests += 1
        self.answered, self.declined, self.foreign = False, None, False
        if self._deadline is not None:
            self._deadline.reschedule(asyncio.get_running_loop().time() + self._seconds)

    def _on_answer(self, answer: Any) -> None:
        self.answered = True
        usage = getattr(answer, "usage", None)  # here, before instructor writes its sum into it
        self.prompt_tokens = _sum(self.prompt_tokens, usage, "prompt_tokens", "input_tokens")
        self.completion_tokens = _sum(self.completion_tokens, usage, "completion_tokens", "output_tokens")
        choices: Any = getattr(answer, "choices", _NOT_THERE)
        if choices is _NOT_THERE:  # another provider's answer, or a web page
            self.foreign = isinstance(answer, str | list | int | float | None)
            return
        message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
        self.foreign = message is None
        if message is None:
            return
        if getattr(message, "refusal", None):
            self.declined = "refusal"
        elif getattr(choices[0], "finish_reason", None) == "content_filter":
            self.declined = "content filter"

    def _on_refused_answer(self, *_: Any, **__: Any) -> None:
        self.refused_answers += 1


_NOT_THERE: Final = object()


def _sum(so_far: int | None, usage: object, *names: str) -> int | None:
    counts = [count for name in names if isinstance(count := getattr(usage, name, None), int) and count >= 0]
    return (so_far or 0) + counts[0] if counts else so_far
