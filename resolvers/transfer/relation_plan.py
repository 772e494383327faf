"""Whom a relation's target means, and which relations are new: pure decisions from what is stored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Final

from graph.names import identity_key
from graph.text import scoped, search_terms
from resolvers.transfer.report import RefusedLine

_SHOWN: Final = 5
"""So many ids to choose from are shown."""


@dataclass(frozen=True, slots=True)
class PendingRelation:
    """A relation whose target is still a name or an id."""

    line: int
    source: str
    """Uuid."""
    relation: str
    target: str
    strength: float


@dataclass(frozen=True, slots=True)
class Namesake:
    """An entity that has the target for a name."""

    uuid: str
    id: str
    """Its id from outside, else its uuid."""
    is_subject: bool


@dataclass(frozen=True, slots=True)
class Candidates:
    """Everybody whom a target may mean."""

    target: str
    by_external_id: tuple[str, ...]
    by_uuid: tuple[str, ...]
    by_name: tuple[Namesake, ...]


class Miss(StrEnum):
    """Why a target means nobody."""

    UNKNOWN = "TARGET_UNKNOWN"
    AMBIGUOUS = "TARGET_AMBIGUOUS"


@dataclass(frozen=True, slots=True)
class Target:
    """Whom a target means, or why nobody."""

    uuid: str = ""
    miss: Miss | None = None
    reason: str = ""


def choose_target(candidates: Candidates) -> Target:
    """Prefer an id from outside to a uuid, that to a subject, that to an alias; several of a kind are ambiguous."""
    subjects = [each for each in candidates.by_name if each.is_subject]
    ids = candidates.by_external_id or candidates.by_uuid
    named = subjects or list(candidates.by_name)
    uuids = list(dict.fromkeys(ids or (each.uuid for each in named)))
    match uuids:
        case [uuid]:
            return Target(uuid)
        case []:
            return Target(miss=Miss.UNKNOWN, reason=f"nobody has the name or id {candidates.target!r}")
    choice = sorted(ids or {each.id for each in named})
    shown = ", ".join(map(repr, choice[:_SHOWN])) + (", …" if len(choice) > _SHOWN else "")
    return Target(
        miss=Miss.AMBIGUOUS,
        reason=f"{len(uuids)} entities have the name or id {candidates.target!r}: use one of the ids {shown}",
    )


@dataclass(frozen=True, slots=True)
class Edge:
    """A relation between two known entities."""

    line: int
    source: str
    target: str
    relation: str
    strength: float


def connect(pending: PendingRelation, target: Target) -> Edge | RefusedLine:
    """Return the edge a relation asks for, or why there is none."""
    if target.miss:
        return RefusedLine(pending.line, target.miss, f"relation {pending.relation!r}: {target.reason}")
    if target.uuid == pending.source:
        reason = f"relation {pending.relation!r}: {pending.target!r} is the entity itself"
        return RefusedLine(pending.line, "RELATION_TO_SELF", reason)
    return Edge(pending.line, pending.source, target.uuid, pending.relation, pending.strength)


@dataclass(frozen=True, slots=True)
class StoredRelation:
    """A relation in the graph, as far as an import needs it."""

    uuid: str
    source: str
    target: str
    key: str
    strength: float


@dataclass(frozen=True, slots=True)
class NewRelation:
    """A relation to add, with everything that is stored for it."""

    source: str
    target: str
    relation: str
    key: str
    terms: str
    strength: float


@dataclass(frozen=True, slots=True)
class RaisedRelation:
    """A stored relation that is to be stronger."""

    uuid: str
    source: str
    strength: float


@dataclass(frozen=True, slots=True)
class RelationPlan:
    """Everything a batch of edges writes."""

    added: tuple[NewRelation, ...]
    raised: tuple[RaisedRelation, ...]

    @property
    def sources(self) -> frozenset[str]:
        """Uuids of the entities about which something is new."""
        return frozenset(each.source for each in self.added) | {each.source for each in self.raised}


def plan_relations(edges: Sequence[Edge], stored: Iterable[StoredRelation], *, token: str) -> RelationPlan:
    """Decide what a batch of edges writes: one relation a source, key and target, of the greatest strength."""
    known = {(each.source, each.key, each.target): each for each in stored}
    added: dict[tuple[str, str, str], NewRelation] = {}
    raised: dict[tuple[str, str, str], RaisedRelation] = {}
    for edge in edges:
        key, terms = _stored_form(edge.relation, token)
        place = (edge.source, key, edge.target)
        if standing := known.get(place):
            before = raised[place].strength if place in raised else standing.strength
            if edge.strength > before:
                raised[place] = RaisedRelation(standing.uuid, edge.source, edge.strength)
        elif place not in added or edge.strength > added[place].strength:
            relation = added[place].relation if place in added else edge.relation
            added[place] = NewRelation(edge.source, edge.target, relation, key, terms, edge.strength)
    return RelationPlan(tuple(added.values()), tuple(raised.values()))


@lru_cache(maxsize=10_000)
def _stored_form(relation: str, token: str) -> tuple[str, str]:
    return identity_key(relation), scoped(search_terms(relation), token)
