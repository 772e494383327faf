"""Plans: the closed unions of steps and patches, and what makes one fit to be applied.

Only a `ValidPlan` can be applied.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from graph.values import StatementKind
from resolvers.update.seen import Dropped, Resolution


@dataclass(frozen=True, slots=True)
class KnownTarget:
    """A relation's target that stands already."""

    uuid: str
    subject: str


@dataclass(frozen=True, slots=True)
class PlannedTarget:
    """A relation's target that the same plan creates, by the identity key of its subject."""

    key: str
    subject: str


RelationTarget = KnownTarget | PlannedTarget


@dataclass(frozen=True, slots=True)
class AddStatement:
    """Add a statement, or reinforce the one that stands with the same key."""

    kind: StatementKind
    text: str
    confidence: float
    evidence: tuple[str, ...] = ()
    """Ids of source texts, sorted; empty for a person's edit."""
    reason: str = ""
    patch: Literal["add_statement"] = "add_statement"


@dataclass(frozen=True, slots=True)
class ReplaceStatement:
    """Put another text in the place of a statement, of either kind, that stands with the key of `text`."""

    kind: StatementKind
    text: str
    new_text: str
    confidence: float
    reason: str = ""
    patch: Literal["replace_statement"] = "replace_statement"


@dataclass(frozen=True, slots=True)
class RemoveStatement:
    """Remove a statement."""

    statement_uuid: str
    reason: str = ""
    patch: Literal["remove_statement"] = "remove_statement"


@dataclass(frozen=True, slots=True)
class AddAlias:
    """Let the entity be known by one more name."""

    alias: str
    allow_homonym: bool = False
    reason: str = ""
    patch: Literal["add_alias"] = "add_alias"


@dataclass(frozen=True, slots=True)
class RemoveAlias:
    """Remove a name, or only deprecate it."""

    alias: str
    deprecate: bool = True
    reason: str = ""
    patch: Literal["remove_alias"] = "remove_alias"


@dataclass(frozen=True, slots=True)
class Rename:
    """Give the entity another canonical name."""

    subject: str
    keep_old_subject_as_alias: bool = True
    allow_homonym: bool = False
    reason: str = ""
    patch: Literal["rename"] = "rename"


@dataclass(frozen=True, slots=True)
class AddRelation:
    """Add a relation, or reinforce the one that stands with the same key and target."""

    target: RelationTarget
    relation: str
    strength: float
    evidence: tuple[str, ...] = ()
    reason: str = ""
    patch: Literal["add_relation"] = "add_relation"


@dataclass(frozen=True, slots=True)
class RemoveRelation:
    """Remove a relation."""

    relation_uuid: str
    reason: str = ""
    patch: Literal["remove_relation"] = "remove_relation"


Patch = Annotated[
    AddStatement | ReplaceStatement | RemoveStatement | AddAlias | RemoveAlias | Rename | AddRelation | RemoveRelation,
    Field(discriminator="patch"),
]


@dataclass(frozen=True, slots=True)
class UpdateExistingStep:
    """Change what is known of an entity."""

    entity_uuid: str
    subject: str
    """As it was called when the plan was built, for people."""
    patches: tuple[Patch, ...]
    sources: frozenset[str] = frozenset()
    """Runtime ids of active entities the observation came from."""
    step: Literal["update"] = "update"


@dataclass(frozen=True, slots=True)
class CreateEntityStep:
    """Make a new entity."""

    subject: str
    patches: tuple[Patch, ...]
    external_id: str | None = None
    allow_homonym: bool = False
    sources: frozenset[str] = frozenset()
    step: Literal["create"] = "create"


@dataclass(frozen=True, slots=True)
class MergeStep:
    """Make one entity of two: `from_uuid` goes, all that was known of it moves to `into_uuid`."""

    into_uuid: str
    into_subject: str
    from_uuid: str
    from_subject: str
    step: Literal["merge"] = "merge"


Step = Annotated[UpdateExistingStep | CreateEntityStep | MergeStep, Field(discriminator="step")]

MOST_STEPS = 1_000
"""Steps of one plan: it lands in one transaction."""


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """What a run wants to write; a value, yet unchecked."""

    steps: tuple[Step, ...]
    dropped: tuple[Dropped, ...] = ()
    postponed: tuple[Resolution, ...] = ()
    """Observations kept pending, with their candidates."""


@dataclass(frozen=True, slots=True)
class Violation:
    """One reason why a plan cannot be applied."""

    code: str
    path: str
    """Where in the plan, e.g. `steps.2.patches.0.text`."""
    message: str


@dataclass(frozen=True, slots=True)
class ValidPlan:
    """A plan that was checked against what is known; the only thing that can be applied."""

    plan: UpdatePlan
