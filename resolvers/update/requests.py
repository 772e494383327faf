"""From what a caller sends to a checked rolling and checked plans, for GraphQL and the CLI alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

from pydantic import ValidationError

from graph.checks import check_conversation, check_text, check_time
from graph.errors import InvalidInput
from graph.names import check_name
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.seen import Role, Rolling, SourceText

MOST_MESSAGES: Final = 1_000
"""Messages of one rolling."""
MOST_PLANS: Final = 64
"""Plans handed in at once."""
MAX_KEY: Final = 200

_ROLES: Final = {
    "user": Role.USER,
    "human": Role.USER,
    "assistant": Role.ASSISTANT,
    "ai": Role.ASSISTANT,
    "agent": Role.ASSISTANT,
    "bot": Role.ASSISTANT,
}


@dataclass(frozen=True, slots=True)
class Message:
    """One message as a caller sends it."""

    role: str
    text: str
    at: datetime | None = None
    speaker: str | None = None


def rolling(
    summary: str,
    messages: Sequence[Message],
    *,
    now: datetime,
    conversation: str = "default",
    id: str | None = None,  # noqa: A002 -- the field's name
    started_at: datetime | None = None,
    ended_at: datetime | None = None,
    path: str = "rolling",
) -> Rolling:
    """Return a checked rolling; its texts get the ids under which they may become evidence.

    Raises:
        InvalidInput: with the path of the field; `ROLE_UNKNOWN` and `TOO_MANY_MESSAGES` beside the usual codes.
    """
    if len(messages) > MOST_MESSAGES:
        message = f"at most {MOST_MESSAGES} messages are taken, these are {len(messages)}: roll more often"
        raise InvalidInput("TOO_MANY_MESSAGES", f"{path}.messages", message)
    start = check_time(started_at, f"{path}.startedAt", now=now) if started_at else None
    end = check_time(ended_at, f"{path}.endedAt", now=now) if ended_at else None
    if start and end and start > end:
        raise InvalidInput("TIMES_REVERSED", f"{path}.endedAt", "the slice ends before it starts")
    told = check_text(summary, f"{path}.summary")
    last = end or now
    return Rolling(
        conversation=check_conversation(conversation, f"{path}.conversation"),
        summary=told,
        messages=tuple(
            _message(each, f"{path}.messages.{place}", last=last, now=now) for place, each in enumerate(messages)
        ),
        id=check_text(id, f"{path}.id", longest=MAX_KEY) if id is not None else None,
        started_at=start,
        ended_at=end,
        summary_source=SourceText(str(uuid4()), told, Role.USER, None, last),
    )


def _message(given: Message, path: str, *, last: datetime, now: datetime) -> SourceText:
    role = _ROLES.get(given.role.strip().lower())
    if role is None:
        raise InvalidInput("ROLE_UNKNOWN", f"{path}.role", f"{given.role!r} is none of {', '.join(sorted(_ROLES))}")
    return SourceText(
        id=str(uuid4()),
        text=check_text(given.text, f"{path}.text"),
        role=role,
        speaker=check_name(given.speaker, f"{path}.speaker") if given.speaker is not None else None,
        at=check_time(given.at, f"{path}.at", now=now) if given.at else last,
    )


def observation_plans(given: Sequence[dict[str, Any]], path: str = "plans") -> tuple[ImpressionObservationPlan, ...]:
    """Return handed-in plans within the bounds of what an observer may say.

    Raises:
        InvalidInput: `PLAN_INVALID` with the path of the first fault, `TOO_MANY_PLANS`.
    """
    if len(given) > MOST_PLANS:
        raise InvalidInput("TOO_MANY_PLANS", path, f"at most {MOST_PLANS} plans are taken at once")
    plans = []
    for place, each in enumerate(given):
        try:
            plans.append(ImpressionObservationPlan.model_validate(each))
        except ValidationError as error:
            fault = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in (path, place, *fault["loc"]))
            raise InvalidInput("PLAN_INVALID", where, fault["msg"]) from error
    return tuple(plans)


def idempotency_key(key: str | None) -> str | None:
    """Return a caller's key for an update, checked."""
    return check_text(key, "idempotencyKey", longest=MAX_KEY) if key is not None else None
