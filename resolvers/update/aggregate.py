"""One list of independent observations, whatever the order and the batches they were observed in.

    ground     each quote is looked for in the run's texts; what has none is dropped
    unite      what is about one subject becomes one observation, see `unite`
    settle     of each: one subject, other names, statements and relations by key
    sift       what is not worth keeping is dropped: doubtful, templated, over-long, facts only the assistant told

Each drop has a code and a sentence.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from graph.names import identity_key
from graph.values import StatementKind
from resolvers.update.generic import is_generic
from resolvers.update.ground import Grounds
from resolvers.update.intake import shown
from resolvers.update.seen import (
    Aggregated,
    AggregatedObservation,
    DropCode,
    Dropped,
    Observation,
    RelationPatch,
    StatementPatch,
)
from resolvers.update.surest import surest_relations, surest_statements
from resolvers.update.templated import is_templated
from resolvers.update.unite import Group, unite

P = TypeVar("P", StatementPatch, RelationPatch)


@dataclass(frozen=True, slots=True)
class AggregateSettings:
    """What an observation has to bring."""

    assistant_counts: bool = False
    """Whether what only the assistant said supports features and new entities."""
    least_confidence: float = 0.3
    """Of a statement: below it the observer itself does not believe it."""
    longest_statement: int = 300
    """Characters of one: a sentence or two; more is a retelling of the conversation."""


def aggregate(
    observations: Iterable[Observation],
    grounds: Grounds,
    settings: AggregateSettings | None = None,
    *,
    pending: Iterable[AggregatedObservation] = (),
) -> Aggregated:
    """Return what was observed, united by subject, grounded and sifted.

    Args:
        observations: of all batches, in any order.
        grounds: the texts that quotes may come from.
        settings: what is worth keeping.
        pending: observations of earlier runs that are tried again, each by itself: they were grounded then, and what is
            called the same in another conversation need not be the same.
    """
    desk = _Desk(grounds, settings or AggregateSettings())
    grounded = list(filter(None, map(desk.ground, sorted(observations, key=_order))))
    settled = filter(None, (desk.sift(_settle(group)) for group in unite(grounded)))
    return Aggregated(
        observations=tuple(sorted([*settled, *pending], key=_settled_order)),
        dropped=tuple(sorted(desk.dropped, key=lambda each: (each.code, each.text, each.reason))),
    )


@dataclass(slots=True)
class _Desk:
    """Looks at observations and gathers what it drops."""

    grounds: Grounds
    settings: AggregateSettings
    dropped: list[Dropped] = field(default_factory=list)

    def ground(self, seen: Observation) -> AggregatedObservation | None:
        """Return an observation with the sources of its quotes, or None where nothing of it was ever said."""
        snippets = [snippet for snippet in dict.fromkeys(seen.snippets) if self._sources(snippet, told=seen.subject)]
        standing_in = snippets if seen.snippets_stand_in else []
        statements = tuple(filter(None, (self._grounded(each, each.text, standing_in) for each in seen.statements)))
        relations = tuple(
            filter(None, (self._grounded(each, _sentence(seen, each), standing_in) for each in seen.relations))
        )
        evidence = frozenset[str]().union(
            *(each.sources for each in statements),
            *(each.sources for each in relations),
            *(self.grounds.find(snippet).sources for snippet in snippets),
        )
        if not evidence:
            self._drop(DropCode.NOTHING_LEFT, seen.subject, "no quote of it stands in the run's texts")
            return None
        generic = is_generic(seen.subject)
        key = "" if generic else identity_key(seen.subject)
        return AggregatedObservation(
            key=key,
            subject=seen.subject,
            aliases=tuple(self._aliases(seen, key)),
            statements=statements,
            relations=relations,
            sources=seen.sources,
            confidence=seen.confidence,
            grounded=True,
            assistant_only=self.grounds.said_by_assistant_alone(evidence) and not self.settings.assistant_counts,
            evidence=evidence,
        )

    def _grounded(self, patch: P, text: str, standing_in: Sequence[str]) -> P | None:
        if patch.quote.strip() or not standing_in:
            sources = self._sources(patch.quote, told=text)
            return replace(patch, sources=sources) if sources else None
        sources = frozenset[str]().union(*(self.grounds.find(snippet).sources for snippet in standing_in))
        return replace(patch, quote=standing_in[0], sources=sources)

    def _sources(self, quote: str, *, told: str) -> frozenset[str]:
        grounding = self.grounds.find(quote)
        if grounding.refused:
            self._drop(grounding.refused, told, grounding.reason)
        return grounding.sources

    def _aliases(self, seen: Observation, key: str) -> Iterator[str]:
        for alias in seen.aliases:
            if is_generic(alias):
                self._drop(DropCode.GENERIC_ALIAS, alias, f"{seen.subject!r} is not known by a word for anybody")
            elif identity_key(alias) != key:
                yield alias

    def sift(self, whole: AggregatedObservation) -> AggregatedObservation | None:
        """Return an observation without what is not worth keeping, or None where nothing is left."""
        names = (whole.subject, *whole.aliases)
        kept = replace(
            whole,
            statements=tuple(each for each in whole.statements if self._is_worth_keeping(each, names)),
        )
        if kept.statements or kept.relations or kept.aliases:
            return kept
        self._drop(DropCode.NOTHING_LEFT, whole.subject, "all that was said about it was dropped")
        return None

    def _is_worth_keeping(self, patch: StatementPatch, names: Sequence[str]) -> bool:
        if len(patch.text) > self.settings.longest_statement:
            longest = self.settings.longest_statement
            self._drop(DropCode.TEXT_REFUSED, patch.text, f"{len(patch.text)} characters, {longest} are the most")
        elif is_templated(patch.text, names):
            self._drop(DropCode.TEMPLATED, patch.text, f"it says nothing about {names[0]!r}")
        elif patch.confidence < self.settings.least_confidence:
            least = self.settings.least_confidence
            self._drop(
                DropCode.LOW_CONFIDENCE, patch.text, f"its confidence is {patch.confidence:g}, {least:g} is least"
            )
        elif (
            patch.kind is StatementKind.FEATURE
            and not self.settings.assistant_counts
            and self.grounds.said_by_assistant_alone(patch.sources)
        ):
            self._drop(DropCode.ASSISTANT_ONLY, patch.text, "only the assistant said so, which makes no fact")
        else:
            return True
        return False

    def _drop(self, code: DropCode, text: str, reason: str) -> None:
        self.dropped.append(Dropped(code, shown(text), shown(reason)))


def _settle(group: Group) -> AggregatedObservation:
    """Return a group as one observation: the surest of what is said twice, with the sources of both."""
    subject = _subject(group)
    key = identity_key(subject) if any(member.key for member in group) else ""
    names = [member.subject for member in group if member.key]
    aliases = _spellings([*names, *(alias for member in group for alias in member.aliases)], without=key)
    return AggregatedObservation(
        key=key,
        subject=subject,
        aliases=aliases,
        statements=surest_statements(each for member in group for each in member.statements),
        relations=surest_relations(each for member in group for each in member.relations),
        sources=frozenset[str]().union(*(member.sources for member in group)),
        confidence=max(member.confidence for member in group),
        grounded=any(member.grounded for member in group),
        assistant_only=all(member.assistant_only for member in group),
        evidence=frozenset[str]().union(*(member.evidence for member in group)),
    )


def _subject(group: Group) -> str:
    """Return the subject named most often, then most confidently, then first by key; of its spellings likewise."""
    named = [member for member in group if member.key] or group
    by_key = _most_confident(named, lambda member: member.key)
    spelt = [member for member in named if member.key == by_key]
    return _most_confident(spelt, lambda member: member.subject)


def _most_confident(members: Sequence[AggregatedObservation], of: Callable[[AggregatedObservation], str]) -> str:
    times = Counter(map(of, members))
    surest: dict[str, float] = {}
    for member in members:
        surest[of(member)] = max(member.confidence, surest.get(of(member), 0.0))
    return min(times, key=lambda each: (-times[each], -surest[each], each))


def _spellings(names: Iterable[str], *, without: str) -> tuple[str, ...]:
    """Return each name once, by key, as it was written most often."""
    written: dict[str, Counter[str]] = {}
    for name in names:
        written.setdefault(identity_key(name), Counter())[name] += 1
    written.pop(without, None)
    return tuple(min(written[key], key=lambda name: (-written[key][name], name)) for key in sorted(written))


def _sentence(seen: Observation, relation: RelationPatch) -> str:
    return f"{seen.subject}: {relation.relation}: {relation.target}"


def _order(seen: Observation) -> tuple[object, ...]:
    """Return everything that tells two observations apart, so that equal ones alone are in no order."""
    return (
        identity_key(seen.subject),
        seen.subject,
        seen.aliases,
        tuple((each.kind.value, each.text, each.quote, each.confidence) for each in seen.statements),
        tuple((each.relation, each.target, each.quote, each.strength) for each in seen.relations),
        tuple(sorted(seen.sources)),
        seen.snippets,
        seen.confidence,
        seen.reason,
        seen.snippets_stand_in,
    )


def _settled_order(whole: AggregatedObservation) -> tuple[object, ...]:
    """Return what orders observations by key, generic ones last."""
    return (
        not whole.key,
        whole.key or identity_key(whole.subject),
        whole.subject,
        tuple(sorted(whole.pending)),
        tuple(sorted(whole.evidence)),
        tuple(sorted(whole.sources)),
        whole.aliases,
        tuple((each.kind.value, each.text, each.quote, each.confidence) for each in whole.statements),
        tuple((each.relation, each.target, each.quote, each.strength) for each in whole.relations),
        whole.confidence,
    )
