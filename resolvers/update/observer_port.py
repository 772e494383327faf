"""What an update needs of a language model, in our words, and the one way in which it fails.

Nothing here imports a provider's library; `resolvers.update.observe` does, and takes seconds to import: load it off the
event loop, when a model is configured.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from graph.errors import ImpressionsError
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.prompts import LanguageChoice
from resolvers.update.seen import ActiveSource, Rolling


class CutCode(StrEnum):
    """Why a part of an answer was left out of its plan."""

    TOO_LONG = "TOO_LONG"
    TOO_MANY = "TOO_MANY"


@dataclass(frozen=True, slots=True)
class Cut:
    """What a model said beyond the bounds of a plan: left out, and told of."""

    code: CutCode
    path: str
    """Where in the answer, e.g. `observations.2.features.0.text`, or the list that was too long."""
    count: int
    """Items left out; 1 for a single text."""
    text: str
    """The beginning of what was left out."""
    message: str
    """All of this in one sentence; words of the model, so for a run's record, not for a log."""


@dataclass(frozen=True, slots=True)
class Observed:
    """What a model saw in one batch, and what it cost."""

    plan: ImpressionObservationPlan
    """As it was said, within bounds: labels that were never given and uuids in names are still in it."""
    prompt_tokens: int | None
    """Over all requests, failed ones included, as far as the provider tells; None when it never does."""
    completion_tokens: int | None
    seconds: float
    """From the first request to the answer, waiting between attempts included, waiting for a free place not."""
    attempts: int
    """Requests sent: asking again and trying again both count."""
    cut: tuple[Cut, ...] = ()


class FailureCode(StrEnum):
    """Why a batch could not be observed."""

    TIMEOUT = "TIMEOUT"
    RATE_LIMITED = "RATE_LIMITED"
    UNREACHABLE = "UNREACHABLE"
    UNAUTHORIZED = "UNAUTHORIZED"
    BAD_REQUEST = "BAD_REQUEST"
    """The server refused the request as it is: an unknown model, a prompt beyond its context."""
    TRUNCATED = "TRUNCATED"
    """The answer reached the token limit before its end."""
    INVALID_OUTPUT = "INVALID_OUTPUT"
    """The model answered, also when asked again, with something that is no plan."""
    REFUSED = "REFUSED"
    """The model, or a filter in front of it, declined."""
    EMPTY = "EMPTY"
    SERVER_ERROR = "SERVER_ERROR"
    """A fault of the server's, or an answer that is not one of a chat completion at all."""


@dataclass(eq=False)
class ObservationFailed(ImpressionsError):
    """A batch could not be observed. Its message holds no key and no words of the conversation."""

    code: FailureCode
    message: str
    retryable: bool = False  # type: ignore[misc]  # of this error alone it is the cause that decides
    """Whether the same batch may succeed later, with nothing changed."""
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    seconds: float = 0.0
    attempts: int = 0
    retry_after_ms: int | None = None
    """What the provider asked to wait."""

    def __str__(self) -> str:
        return f"{self.code}: {self.message}"


class Observer(Protocol):
    """Reads one batch of a conversation and says what it saw."""

    @property
    def name(self) -> str:
        """Name of the model, for the record of a run."""
        ...

    async def observe(self, rolling: Rolling, labelled: Sequence[tuple[str, ActiveSource]]) -> Observed:
        """Return what the model saw in this slice of a conversation about these labelled active entities.

        Any number of calls may wait at once; the observer bounds how many are under way.

        Raises:
            ObservationFailed: after every attempt there is no plan; the code says why. Nothing else is raised, but
                for the cancellation of the caller.
        """
        ...


@dataclass(frozen=True, slots=True)
class ObserverSettings:
    """How to reach a language model, as plain values."""

    model: str
    """`provider/model`, e.g. `openai/gpt-5-mini`, `ollama/qwen3:8b`, `anthropic/claude-sonnet-4-6`."""
    base_url: str | None = None
    """An OpenAI-compatible server, for `openai/…`: e.g. `http://127.0.0.1:8080/v1`."""
    api_key: str | None = field(default=None, repr=False)
    timeout_seconds: float = 180.0
    """Longest wait for one answer."""
    concurrency: int = 2
    """Most observations under way at once."""
    max_tokens: int | None = 4096
    """Longest answer; None leaves it to the provider."""
    language: LanguageChoice = LanguageChoice.AUTO
    reasks: int = 2
    """How often the model is shown what is wrong with its answer and asked again."""
    retries: int = 2
    """How often a request is repeated that was refused for now, failed on the way, or was answered with nothing."""
    first_wait_seconds: float = 0.5
    """Wait before the first repetition; doubles with each."""
    longest_wait_seconds: float = 30.0
    """No single wait is longer; a provider that asks for more is not asked again."""
