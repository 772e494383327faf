"""Short ways to the values of an update, for tests."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from graph.names import identity_key, loose_key
from graph.values import StatementKind
from resolvers.update.aggregate import AggregateSettings, aggregate
from resolvers.update.build import build
from resolvers.update.ground import Grounds
from resolvers.update.identity import resolve
from resolvers.update.observed import ImpressionEntityObservation, ImpressionObservationPlan, PlanStatus
from resolvers.update.seen import (
    ActiveSource,
    Aggregated,
    AggregatedObservation,
    KnownBearer,
    KnownIdentities,
    Observation,
    RelationPatch,
    Role,
    SourceText,
    StatementPatch,
)
from resolvers.update.steps import AddAlias, CreateEntityStep, KnownTarget, MergeStep, UpdatePlan
from resolvers.update.validate import PlanFacts
from tests.fakes import NOON


def text(content: str, *, id: str = "", role: Role = Role.USER, speaker: str | None = None) -> SourceText:  # noqa: A002 -- the field's name
    return SourceText(id or f"t:{content}", content, role, speaker, NOON)


def grounds(*texts: SourceText | str) -> Grounds:
    return Grounds(tuple(each if isinstance(each, SourceText) else text(each) for each in texts))


def active(runtime_id: str, *, subject: str | None = None, bound: str | None = None, **rest: Any) -> ActiveSource:
    at: datetime = NOON - timedelta(minutes=rest.pop("minutes_ago", 0))
    return ActiveSource(
        runtime_id=runtime_id,
        subject=subject,
        bound_uuid=bound,
        mentions=tuple(rest.pop("mentions", ())),
        evidence=tuple(rest.pop("evidence", ())),
        last_mentioned_at=at,
        **rest,
    )


def impression(said: str, *, quote: str = "", confidence: float = 0.8, sources: Iterable[str] = ()) -> StatementPatch:
    return StatementPatch(StatementKind.IMPRESSION, said, quote, confidence, frozenset(sources))


def feature(said: str, *, quote: str = "", confidence: float = 0.8, sources: Iterable[str] = ()) -> StatementPatch:
    return StatementPatch(StatementKind.FEATURE, said, quote, confidence, frozenset(sources))


def relation(
    name: str, target: str, *, quote: str = "", strength: float = 0.8, sources: Iterable[str] = ()
) -> RelationPatch:
    return RelationPatch(target, name, quote, strength, frozenset(sources))


def observation(
    subject: str,
    *,
    aliases: Sequence[str] = (),
    statements: Sequence[StatementPatch] = (),
    relations: Sequence[RelationPatch] = (),
    sources: Iterable[str] = (),
    snippets: Sequence[str] = (),
    confidence: float = 0.9,
    snippets_stand_in: bool = False,
) -> Observation:
    return Observation(
        subject=subject,
        aliases=tuple(aliases),
        statements=tuple(statements),
        relations=tuple(relations),
        sources=frozenset(sources),
        snippets=tuple(snippets),
        confidence=confidence,
        snippets_stand_in=snippets_stand_in,
    )


def whole(
    subject: str,
    *,
    generic: bool = False,
    aliases: Sequence[str] = (),
    statements: Sequence[StatementPatch] | None = None,
    relations: Sequence[RelationPatch] = (),
    **rest: Any,
) -> AggregatedObservation:
    """Return an aggregated observation that is good enough for a create."""
    said = (feature("likes tea", sources={"t1"}),) if statements is None else tuple(statements)
    return AggregatedObservation(
        key="" if generic else identity_key(subject),
        subject=subject,
        aliases=tuple(aliases),
        statements=said,
        relations=tuple(relations),
        sources=frozenset(rest.pop("sources", ())),
        confidence=rest.pop("confidence", 0.9),
        grounded=rest.pop("grounded", True),
        assistant_only=rest.pop("assistant_only", False),
        evidence=frozenset(rest.pop("evidence", {"t1"})),
        pending=frozenset(rest.pop("pending", ())),
    )


def aggregated(*observations: AggregatedObservation) -> Aggregated:
    return Aggregated(observations, ())


def known(
    *entities: tuple[str, Sequence[str]],
    bindings: Mapping[str, str] | None = None,
    speakers: Mapping[str, str] | None = None,
) -> KnownIdentities:
    """Return the identity index of entities given as uuid and names, the subject first."""
    owners: dict[str, tuple[KnownBearer, ...]] = {}
    variants: dict[str, tuple[KnownBearer, ...]] = {}
    for uuid, names in entities:
        bearer = KnownBearer(uuid, names[0])
        for key in {identity_key(name) for name in names}:
            owners[key] = (*owners.get(key, ()), bearer)
        for key in {loose_key(name) for name in names}:
            variants[key] = (*variants.get(key, ()), bearer)
    return KnownIdentities(owners, variants, dict(bindings or {}), dict(speakers or {}))


def facts(plan: UpdatePlan, identities: KnownIdentities, **more: Any) -> PlanFacts:
    """Return what the database would say around a plan, all of the identity index being in it."""
    entities = {bearer.uuid: bearer.subject for bearers in identities.owners.values() for bearer in bearers}
    names = [step.subject for step in plan.steps if isinstance(step, CreateEntityStep)]
    for step in plan.steps:
        if not isinstance(step, MergeStep):
            names += [patch.alias for patch in step.patches if isinstance(patch, AddAlias)]
    owners = {key: identities.owners[key] for name in names if (key := identity_key(name)) in identities.owners}
    return PlanFacts(entities=entities, owners=owners, statements={}, relations={}, **more)


def planned(
    observations: Iterable[Observation],
    texts: Grounds,
    identities: KnownIdentities | None = None,
    settings: AggregateSettings | None = None,
) -> UpdatePlan:
    """Take observations all the way to a plan."""
    index = identities or known()
    gathered = aggregate(observations, texts, settings)
    return build(resolve(gathered, index), index, dropped=gathered.dropped)


def said(subject: str = "Alice", **fields: Any) -> ImpressionEntityObservation:
    """Return an observation as a model writes it, without looking at it."""
    given: dict[str, Any] = {
        "proposedSubject": subject,
        "aliases": [],
        "impressions": [],
        "features": [],
        "relations": [],
        "sourceActiveRuntimeIds": [],
        "evidenceSnippets": [],
        "confidence": 0.9,
        "reason": "",
        **fields,
    }
    return ImpressionEntityObservation.model_construct(**given)


def plan_of(
    *observations: ImpressionEntityObservation, status: PlanStatus = PlanStatus.PREPARED
) -> ImpressionObservationPlan:
    return ImpressionObservationPlan.model_construct(observations=list(observations), status=status, reason="as asked")


def target(uuid: str, subject: str) -> KnownTarget:
    return KnownTarget(uuid, subject)
