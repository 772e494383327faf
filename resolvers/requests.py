"""From what a caller sends to what the resolvers take: every check in one place, for GraphQL, CLI and imports alike."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from graph.checks import check_conversation, check_count, check_space, check_text, check_time
from graph.errors import InvalidInput
from graph.names import check_name
from graph.values import EvidenceSource
from resolvers.linking import Input
from resolvers.recall.asking import Question
from resolvers.recall.values import VectorPolicy

MOST_MATCHES: Final = 100
MOST_MENTIONS: Final = 50
MOST_INPUTS: Final = 200
"""Inputs of one batch."""


def question(
    text: str,
    *,
    now: datetime,
    space: str = "default",
    conversation: str = "default",
    speaker: str | None = None,
    limit: int = 8,
    vector: VectorPolicy = VectorPolicy.AUTO,
) -> Question:
    """Return a checked question.

    Raises:
        InvalidInput: with the path of the argument.
    """
    return Question(
        text=check_text(text, "text"),
        space=check_space(space),
        conversation=check_conversation(conversation),
        at=now,
        speaker=check_name(speaker, "speaker") if speaker is not None else None,
        limit=check_count(limit, "limit", most=MOST_MATCHES),
        vector=vector,
    )


def projection_input(
    text: str,
    *,
    now: datetime,
    at: datetime | None = None,
    space: str = "default",
    conversation: str = "default",
    source: EvidenceSource = EvidenceSource.USER_INPUT,
    speaker: str | None = None,
    mentions: Sequence[str] = (),
    path: str = "input",
) -> Input:
    """Return a checked input to project; `path` is where it stands in the caller's arguments.

    Raises:
        InvalidInput: with the path of the field.
    """
    if len(mentions) > MOST_MENTIONS:
        raise InvalidInput("TOO_MANY_MENTIONS", f"{path}.mentions", f"at most {MOST_MENTIONS} names are taken")
    return Input(
        text=check_text(text, f"{path}.text"),
        space=check_space(space, f"{path}.space"),
        conversation=check_conversation(conversation, f"{path}.conversation"),
        source=source,
        at=check_time(at, f"{path}.at", now=now),
        speaker=check_name(speaker, f"{path}.speaker") if speaker is not None else None,
        mentions=tuple(check_name(name, f"{path}.mentions.{place}") for place, name in enumerate(mentions)),
    )
