"""A person's edits: also plans, through the same validation and the same apply as what a model observed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from graph.checks import MAX_RELATION, check_statement, check_unit
from graph.errors import InvalidInput, NotFound
from graph.names import check_name, identity_key
from graph.values import Entity, StatementKind
from resolvers.reading import Reader
from resolvers.update.observed import MOST_ALIASES, MOST_PATCHES
from resolvers.update.pipeline import UpdatePipeline
from resolvers.update.runs import ConfirmMode, Run
from resolvers.update.starting import Sent
from resolvers.update.steps import (
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    KnownTarget,
    MergeStep,
    Patch,
    PlannedTarget,
    RemoveAlias,
    RemoveRelation,
    RemoveStatement,
    Rename,
    ReplaceStatement,
    Step,
    UpdateExistingStep,
    UpdatePlan,
)

BY_A_PERSON = "a person's edit"
MOST_CANDIDATES: Final = 10
"""Bearers of an ambiguous name that a refusal lists."""


@dataclass(frozen=True, slots=True)
class NewStatement:
    """A statement of an entity to be made."""

    kind: StatementKind
    text: str
    confidence: float


@dataclass(frozen=True, slots=True)
class NewRelation:
    """A relation of an entity to be made; the target by name or uuid."""

    target: str
    relation: str
    strength: float


@dataclass(frozen=True, slots=True)
class NewEntity:
    """An entity to be made."""

    subject: str
    aliases: tuple[str, ...] = ()
    statements: tuple[NewStatement, ...] = ()
    relations: tuple[NewRelation, ...] = ()
    external_id: str | None = None
    allow_homonym: bool = False


class Curator:
    """Edits long-term memory in a person's name. Every method returns the run that holds the plan and what it did.

    Raises, each of them: InvalidInput for a value that cannot be taken, NotFound for an unknown entity, Unavailable.
    """

    def __init__(self, reader: Reader, pipeline: UpdatePipeline, *, sent: Sent | None = None) -> None:
        self._reader = reader
        self._pipeline = pipeline
        self._sent = sent

    def under(self, sent: Sent) -> "Curator":
        """Return a curator whose one edit is stored under a caller's key; see `UpdatePipeline.standing` before."""
        return Curator(self._reader, self._pipeline, sent=sent)

    async def create(self, space: str, new: NewEntity, confirm: ConfirmMode) -> Run:
        """Make an entity; a homonym only where it is asked for.

        Raises:
            InvalidInput: `TOO_MANY` beside the usual codes: as much is taken as an observation may say of one subject.
        """
        kinds = {"impressions": StatementKind.IMPRESSION, "features": StatementKind.FEATURE}
        statements = {field: [each for each in new.statements if each.kind is kind] for field, kind in kinds.items()}
        _check_count("aliases", new.aliases, MOST_ALIASES)
        for field, given in {**statements, "relations": new.relations}.items():
            _check_count(field, given, MOST_PATCHES)
        subject = check_name(new.subject, "input.subject")
        patches: list[Patch] = [
            AddAlias(check_name(alias, f"input.aliases.{place}"), new.allow_homonym, BY_A_PERSON)
            for place, alias in enumerate(new.aliases)
            if identity_key(alias) != identity_key(subject)
        ]
        for field, said in statements.items():
            patches += (_statement(each, f"input.{field}.{place}") for place, each in enumerate(said))
        for place, each in enumerate(new.relations):
            patches.append(await self._relation(space, each, f"input.relations.{place}"))
        step = CreateEntityStep(subject, tuple(patches), new.external_id, new.allow_homonym)
        return await self._land(space, step, confirm)

    async def rename(
        self, space: str, uuid: str, subject: str, confirm: ConfirmMode, *, allow_homonym: bool, keep_old: bool
    ) -> Run:
        """Give an entity another canonical name."""
        patch = Rename(check_name(subject, "subject"), keep_old, allow_homonym, BY_A_PERSON)
        return await self._edit(space, uuid, patch, confirm)

    async def add_alias(self, space: str, uuid: str, alias: str, confirm: ConfirmMode, *, allow_homonym: bool) -> Run:
        """Let an entity be known by one more name; a deprecated one becomes live again."""
        return await self._edit(space, uuid, AddAlias(check_name(alias, "alias"), allow_homonym, BY_A_PERSON), confirm)

    async def remove_alias(self, space: str, uuid: str, alias: str, confirm: ConfirmMode, *, deprecate: bool) -> Run:
        """Take a name from an entity, or only deprecate it: it still owns its identity then."""
        return await self._edit(space, uuid, RemoveAlias(check_name(alias, "alias"), deprecate, BY_A_PERSON), confirm)

    async def set_statement(
        self,
        space: str,
        uuid: str,
        kind: StatementKind,
        text: str,
        confirm: ConfirmMode,
        *,
        new_text: str | None,
        confidence: float,
    ) -> Run:
        """Add a statement, set its confidence, or put another text in its place."""
        checked = check_statement(text, "text")
        sure = check_unit(confidence, "confidence")
        put = check_statement(new_text, "newText") if new_text is not None else checked
        patch: Patch = ReplaceStatement(kind, checked, put, sure, BY_A_PERSON)
        if not await self._reader.bears_statement(space, uuid, checked):
            if new_text is not None:
                raise NotFound(f"the entity has no statement {text!r} to be replaced")
            patch = AddStatement(kind, checked, sure, reason=BY_A_PERSON)
        return await self._edit(space, uuid, patch, confirm)

    async def remove_statement(self, space: str, statement_uuid: str, confirm: ConfirmMode) -> Run:
        """Remove a statement."""
        owner = await self._reader.owner_of_statement(space, statement_uuid)
        if owner is None:
            raise NotFound(f"no statement {statement_uuid!r} in space {space!r}")
        return await self._edit(space, owner, RemoveStatement(statement_uuid, BY_A_PERSON), confirm)

    async def set_relation(
        self, space: str, uuid: str, target_uuid: str, relation: str, confirm: ConfirmMode, *, strength: float
    ) -> Run:
        """Add a relation, or make it stronger."""
        target = await self._entity(space, target_uuid)
        patch = AddRelation(
            KnownTarget(target.uuid, target.subject),
            check_statement(relation, "relation", longest=MAX_RELATION),
            check_unit(strength, "strength"),
            reason=BY_A_PERSON,
        )
        return await self._edit(space, uuid, patch, confirm)

    async def remove_relation(self, space: str, relation_uuid: str, confirm: ConfirmMode) -> Run:
        """Remove a relation."""
        source = await self._reader.source_of_relation(space, relation_uuid)
        if source is None:
            raise NotFound(f"no relation {relation_uuid!r} in space {space!r}")
        return await self._edit(space, source, RemoveRelation(relation_uuid, BY_A_PERSON), confirm)

    async def merge(self, space: str, into: str, gone: str, confirm: ConfirmMode) -> Run:
        """Make one entity of two."""
        stays, goes = await self._entity(space, into), await self._entity(space, gone)
        return await self._land(space, MergeStep(stays.uuid, stays.subject, goes.uuid, goes.subject), confirm)

    async def _edit(self, space: str, uuid: str, patch: Patch, confirm: ConfirmMode) -> Run:
        entity = await self._entity(space, uuid)
        return await self._land(space, UpdateExistingStep(entity.uuid, entity.subject, (patch,)), confirm)

    async def _land(self, space: str, step: Step, confirm: ConfirmMode) -> Run:
        return await self._pipeline.curate(space, UpdatePlan((step,)), confirm, sent=self._sent)

    async def _entity(self, space: str, uuid: str) -> Entity:
        if (found := (await self._reader.entities(space, [uuid]))[0]) is None:
            raise NotFound(f"no entity {uuid!r} in space {space!r}")
        return found

    async def _relation(self, space: str, new: NewRelation, path: str) -> AddRelation:
        relation = check_statement(new.relation, f"{path}.relation", longest=MAX_RELATION)
        strength = check_unit(new.strength, f"{path}.strength")
        by_id = (await self._reader.entities(space, [new.target]))[0]
        bearers: Sequence[Entity] = [by_id] if by_id else await self._reader.by_name(space, new.target)
        if len(bearers) > 1:
            candidates = ", ".join(f"{each.uuid} ({each.subject})" for each in bearers[:MOST_CANDIDATES])
            message = f"{len(bearers)} entities are called {new.target!r}: give the id of one, {candidates}"
            raise InvalidInput("TARGET_AMBIGUOUS", f"{path}.target", message)
        target: KnownTarget | PlannedTarget
        if bearers:
            target = KnownTarget(bearers[0].uuid, bearers[0].subject)
        else:  # the validation refuses it in its own words, beside all other violations
            target = PlannedTarget(identity_key(new.target), new.target)
        return AddRelation(target, relation, strength, reason=BY_A_PERSON)


def _check_count(field: str, given: Sequence[object], most: int) -> None:
    if len(given) > most:
        message = (
            f"at most {most} {field} are taken with a new entity, these are {len(given)}: add the others to it later"
        )
        raise InvalidInput("TOO_MANY", f"input.{field}", message)


def _statement(new: NewStatement, path: str) -> AddStatement:
    text = check_statement(new.text, f"{path}.text")
    return AddStatement(new.kind, text, check_unit(new.confidence, f"{path}.confidence"), reason=BY_A_PERSON)
