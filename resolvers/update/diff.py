"""What a plan changes, as values for people to read."""

from dataclasses import dataclass
from enum import StrEnum


class StepKind(StrEnum):
    """What a step does to its entity."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    MERGE = "MERGE"


class ChangeKind(StrEnum):
    """What becomes of one thing."""

    ADDED = "ADDED"
    REINFORCED = "REINFORCED"
    REPLACED = "REPLACED"
    REMOVED = "REMOVED"
    RENAMED = "RENAMED"
    REFUSED = "REFUSED"


class Part(StrEnum):
    """Which part of what is known a change is about."""

    SUBJECT = "SUBJECT"
    ALIAS = "ALIAS"
    IMPRESSION = "IMPRESSION"
    FEATURE = "FEATURE"
    RELATION = "RELATION"
    OBSERVATION = "OBSERVATION"
    """Something observed that did not come that far."""


@dataclass(frozen=True, slots=True)
class ShownChange:
    """One line of the diff."""

    kind: ChangeKind
    part: Part
    before: str | None
    after: str | None
    evidence: tuple[str, ...] = ()
    """Ids of the source texts behind it."""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ShownStep:
    """What a step does to one entity."""

    kind: StepKind
    entity_uuid: str | None
    """None while the entity is yet to be created."""
    subject: str
    changes: tuple[ShownChange, ...]


@dataclass(frozen=True, slots=True)
class PlanDiff:
    """A whole plan, to be read before it lands or after."""

    steps: tuple[ShownStep, ...]
    refused: tuple[ShownChange, ...]
    """All that was observed and is not in the plan."""
