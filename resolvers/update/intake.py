"""From the plan an observer handed in to observations in our own values: every name, text, number and id looked at.

An observer names sources by the labels of its batch; an agent that hands in its own plan by runtime id or subject. What
cannot be taken is left out alone, with its reason: one bad patch does not cost the observation, one bad observation
does not cost the plan.
"""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from graph.checks import MAX_RELATION, MAX_STATEMENT, check_statement
from graph.errors import InvalidInput
from graph.names import check_name, identity_key
from graph.values import StatementKind
from resolvers.update import observed
from resolvers.update.seen import ActiveSource, DropCode, Dropped, Observation, RelationPatch, StatementPatch

SHOWN: Final = 200
"""Characters of something dropped that are kept to show it."""

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}", re.IGNORECASE)
# Twelve digits alone are an order number, or a date with a time.
_RUNTIME_ID: Final = re.compile(r"(?<![0-9a-z])(?=[0-9]*[a-f])[0-9a-f]{12}(?![0-9a-z])", re.IGNORECASE)
_WORD: Final = re.compile(r"[0-9a-z]+")
_LABEL: Final = re.compile(r"(?<![0-9A-Za-z])A[1-9][0-9]?(?![0-9A-Za-z])")
_LABEL_IN_FRONT: Final = re.compile(r"\s*[\[(【]?A[1-9][0-9]?[\])】]?\s*[:：]\s*")
_ABBREVIATED: Final = frozenset("inc corp ltd co bros jr sr st etc dr mr mrs ms prof dept no vs approx".split())
_MOST_TOLD: Final = 5
"""Altered names that a note lists."""
_NO_PART_OF_A_NAME: Final = " ,:;、，：；。"
_UNSTORABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Intake:
    """What of a plan can be taken, and what cannot."""

    observations: tuple[Observation, ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...] = ()
    """What was altered, in sentences."""


def take_observed(plan: observed.ImpressionObservationPlan, labels: Mapping[str, str]) -> Intake:
    """Read what an observer answered to one batch.

    Args:
        plan: the answer.
        labels: runtime id by label, of this batch: no other label is known.
    """
    return _Reader(labels, from_observer=True).read(plan)


def take_handed_in(plan: observed.ImpressionObservationPlan, labels: Mapping[str, str]) -> Intake:
    """Read a plan that an agent made itself; its snippets stand in for the quotes that its patches lack.

    Args:
        plan: the plan.
        labels: runtime id by what the agent may call it, see `handed_in_labels`.
    """
    return _Reader(labels, from_observer=False).read(plan)


def handed_in_labels(actives: Iterable[ActiveSource]) -> dict[str, str]:
    """Return the runtime id by runtime id, by subject and by mention; a name that several bear is left out."""
    labels: dict[str, str] = {}
    bearers: dict[str, set[str]] = {}
    for active in actives:
        labels[active.runtime_id] = active.runtime_id
        for name in (active.subject or "", *active.mentions):
            bearers.setdefault(identity_key(name), set()).add(active.runtime_id)
    return labels | {key: next(iter(ids)) for key, ids in bearers.items() if key and len(ids) == 1}


@dataclass(slots=True)
class _Reader:
    """Reads one plan and gathers what it leaves out."""

    labels: Mapping[str, str]
    from_observer: bool
    dropped: list[Dropped] = field(default_factory=list)
    stripped: dict[str, str] = field(default_factory=dict)
    """Names that lost the separators at their end, as they were written."""

    def read(self, plan: observed.ImpressionObservationPlan) -> Intake:
        if plan.status is observed.PlanStatus.REJECTED:
            self._drop(DropCode.REJECTED_PLAN, plan.reason, "the observer had nothing to say")
            return Intake((), tuple(self.dropped))
        observations = tuple(filter(None, map(self._observation, plan.observations)))
        return Intake(observations, tuple(self.dropped), tuple(self._notes()))

    def _notes(self) -> Iterator[str]:
        if self.stripped:
            some = ", ".join(f"{given!r} as {name!r}" for given, name in islice(self.stripped.items(), _MOST_TOLD))
            more = len(self.stripped) - _MOST_TOLD
            yield f"taken without the separators at their end: {some}" + (f" and {more} more names" if more > 0 else "")

    def _observation(self, given: observed.ImpressionEntityObservation) -> Observation | None:
        quotes = (
            *(patch.evidence for patch in given.impressions),
            *(patch.evidence for patch in given.features),
            *(patch.evidence for patch in given.relations),
            *given.evidenceSnippets,
        )
        said = "\n".join(map(self._quote, quotes))
        subject = self._name(given.proposedSubject, said)
        if subject is None or not self._is_number(given.confidence, given.proposedSubject):
            return None
        aliases = dict.fromkeys(name for alias in given.aliases if (name := self._name(alias, said)))
        observation = Observation(
            subject=subject,
            aliases=tuple(aliases),
            statements=(
                *self._statements(StatementKind.IMPRESSION, given.impressions),
                *self._statements(StatementKind.FEATURE, given.features),
            ),
            relations=tuple(self._relations(given.relations, said)),
            sources=frozenset(self._sources(given.sourceActiveRuntimeIds, subject)),
            snippets=tuple(dict.fromkeys(self._snippets(given.evidenceSnippets))),
            confidence=given.confidence,
            reason=shown(given.reason),
            snippets_stand_in=not self.from_observer,
        )
        if not (observation.statements or observation.relations or observation.aliases):
            self._drop(DropCode.EMPTY_OBSERVATION, subject, "nothing is said about it")
            return None
        return observation

    def _name(self, given: str, said: str) -> str | None:
        try:
            name = check_name(given, "name")
        except InvalidInput as refused:
            self._drop(DropCode.NAME_REFUSED, given, refused.message)
            return None
        if holds_id(name, self.labels.values()) or self._label_in(name, said):
            self._drop(DropCode.ID_IN_NAME, given, "a name holds no id and no label")
            return None
        bare = " ".join(name.split()).rstrip(_NO_PART_OF_A_NAME)
        if bare != " ".join(name.split()):
            self.stripped[name] = bare
        return bare

    def _statements(
        self,
        kind: StatementKind,
        given: Sequence[observed.ImpressionPatch] | Sequence[observed.FeaturePatch],
    ) -> Iterator[StatementPatch]:
        for patch in given:
            quote = self._quote(patch.evidence)
            text = self._text(without_full_stop(patch.text), longest=MAX_STATEMENT)
            if text is None or not self._is_storable(quote) or not self._is_number(patch.confidence, patch.text):
                continue
            if self._label_in(text, quote):
                self._drop(DropCode.ID_IN_NAME, patch.text, "a statement calls nobody by a label")
                continue
            yield StatementPatch(kind, text, quote, patch.confidence)

    def _relations(self, given: Sequence[observed.RelationPatch], said: str) -> Iterator[RelationPatch]:
        for patch in given:
            quote = self._quote(patch.evidence)
            relation = self._text(patch.relation, longest=MAX_RELATION)
            target = self._name(patch.target, said) if relation is not None else None
            if relation is None or target is None or not self._is_storable(quote):
                continue
            if self._is_number(patch.strength, f"{relation}: {target}"):
                yield RelationPatch(target, relation, quote, patch.strength)

    def _text(self, given: str, *, longest: int) -> str | None:
        text = " ".join(given.split())
        try:
            check_statement(text, "text", longest=longest)
        except InvalidInput as refused:
            self._drop(DropCode.TEXT_REFUSED, given, refused.message)
            return None
        if not identity_key(text):
            self._drop(DropCode.TEXT_REFUSED, given, "there is no word in it")
            return None
        return text

    def _snippets(self, given: Sequence[str]) -> Iterator[str]:
        for snippet in map(self._quote, given):
            if snippet.strip() and self._is_storable(snippet):
                yield snippet

    def _sources(self, given: Sequence[str], subject: str) -> Iterator[str]:
        for label in given:
            known = self.labels.get(label.strip()) or self.labels.get(identity_key(label))
            if known is None and self.from_observer:
                known = self.labels.get(identity_key(label).upper())
            if known is None:
                self._drop(DropCode.UNKNOWN_LABEL, label, f"named as a source of {subject!r}, it was never given")
            else:
                yield known

    def _quote(self, given: str) -> str:
        """Return a quote without the label an observer copied with it."""
        return _LABEL_IN_FRONT.sub("", given, count=1) if self.from_observer and _LABEL_IN_FRONT.match(given) else given

    def _label_in(self, text: str, said: str) -> bool:
        """Tell whether an observer's text holds a label; `Audi A3` and `A4` do not where a quote says the same."""
        return self.from_observer and any(
            not re.search(rf"(?<![0-9A-Za-z]){label}(?![0-9A-Za-z])", said) for label in _LABEL.findall(text)
        )

    def _is_storable(self, quote: str) -> bool:
        if _UNSTORABLE.search(quote):
            self._drop(DropCode.TEXT_REFUSED, quote, "its quote has characters that cannot be stored")
            return False
        return True

    def _is_number(self, number: float, text: str) -> bool:
        if math.isfinite(number) and 0 <= number <= 1:
            return True
        self._drop(DropCode.NUMBER_REFUSED, text, f"a number from 0 to 1 is needed, not {number!r}")
        return False

    def _drop(self, code: DropCode, text: str, reason: str) -> None:
        self.dropped.append(Dropped(code, shown(text), shown(reason)))


def without_full_stop(statement: str) -> str:
    """Return a statement without the full stop some observers set, so that the same said again is the same.

    >>> without_full_stop("lives in Hangzhou. "), without_full_stop("works at Acme Inc.")
    ('lives in Hangzhou', 'works at Acme Inc.')
    """
    bare = statement.rstrip().removesuffix("。")
    last = bare[:-1].split()[-1:] if bare.endswith(".") else []
    return bare[:-1] if last and "." not in last[0] and last[0].lower() not in _ABBREVIATED else bare


def holds_id(name: str, runtime_ids: Iterable[str] = ()) -> bool:
    """Tell whether a name holds a uuid or a runtime id: ids are for machines, nobody is called so."""
    words = set(_WORD.findall(name.lower()))
    return bool(_UUID.search(name) or _RUNTIME_ID.search(name)) or any(each.lower() in words for each in runtime_ids)


def shown(text: str) -> str:
    """Return a text as it can be stored and shown: without what no database takes, and no longer than `SHOWN`."""
    clean = _UNSTORABLE.sub("\N{REPLACEMENT CHARACTER}", text)
    return clean if len(clean) <= SHOWN else clean[: SHOWN - 1] + "…"
