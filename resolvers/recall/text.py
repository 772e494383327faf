"""TEXT: exact names in the text (channel NAME), and words it shares with names, statements, relations and evidence.

Every statement is scored by itself and an entity by its best one, so that many weak statements never add up and one
sentence explains the hit.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import pairwise

from graph.text import search_terms, unscoped
from resolvers.recall import normalise
from resolvers.recall.collected import Collected, EvidenceRow, NameRow
from resolvers.recall.normalise import Rarity
from resolvers.recall.spans import NameCandidates, Span, is_function_name, longest_only, units
from resolvers.recall.values import Channel, Found, LiveActive, Signal, Target, TargetType, TextHit

_FIELDS = {"SUBJECT": "subject", "ALIAS": "alias", "IMPRESSION": "impression", "FEATURE": "feature"}


@dataclass(frozen=True)
class Asked:
    """The words of the text and how rare each is."""

    terms: tuple[str, ...]
    """In order, with repetitions."""
    rarity: Rarity

    # Once a recall and not once a row: there are up to a hundred.
    @cached_property
    def distinct(self) -> dict[str, float]:
        """The distinct terms in order, each with its idf."""
        return {term: self.rarity.idf(term) for term in self.terms}

    @cached_property
    def total_idf(self) -> float:
        """Sum of the idf of the distinct terms."""
        return sum(self.distinct.values())

    @cached_property
    def pairs(self) -> frozenset[tuple[str, str]]:
        """Terms side by side."""
        return frozenset(pairwise(self.terms))


@dataclass(frozen=True, slots=True)
class NamedInText:
    """A name that stands in the text, outside every longer one, with all who bear it."""

    key: str
    bearers: tuple[NameRow, ...]
    actives: tuple[LiveActive, ...]
    """Active entities mentioned by this name."""


def asked(terms: tuple[str, ...], documents: Mapping[str, int], token: str) -> Asked:
    """Join the text's terms with what the space knows of them."""
    frequencies = {key[len(token) :]: count for key, count in documents.items()}
    return Asked(terms, Rarity(documents.get(token, 0), frequencies))


def names_in_text(candidates: NameCandidates, collected: Collected) -> tuple[NamedInText, ...]:
    """Return the names in the text, the longest winning, each with its bearers; deprecated names are none."""
    bearers: dict[str, list[NameRow]] = {}
    for row in collected.names:
        if not row.deprecated and row.key in candidates.spans:
            bearers.setdefault(row.key, []).append(row)
    actives: dict[str, list[LiveActive]] = {}
    for active in collected.actives:
        for key in active.mention_keys & candidates.spans.keys() if active.live else ():
            actives.setdefault(key, []).append(active)
    standing: dict[str, tuple[Span, ...]] = longest_only(candidates.spans, {*bearers, *actives})
    return tuple(
        NamedInText(key, tuple(bearers.get(key, ())), tuple(actives.get(key, ())))
        for key in sorted(standing, key=lambda key: (standing[key], key))
    )


def is_direct(key: str) -> bool:
    """Tell whether a name is long and telling enough to count as a direct hit."""
    return units(key) >= normalise.DIRECT_UNITS and not is_function_name(key)


def name_signals(named: Iterable[NamedInText], rarity: Rarity) -> Iterator[Found]:
    """Yield a NAME signal for every bearer of every name in the text."""
    for name in named:
        length, direct = units(name.key), is_direct(name.key)
        rare = _name_rarity(name.key, rarity)
        normalised = normalise.name(length, rare) if direct else 0.0
        why = "stands in the text" if direct else "stands in the text, but is too common a word to say who is meant"
        for row in name.bearers:
            hit = TextHit(_FIELDS[row.kind], row.text, (name.key,), phrase=True)
            reason = f"{hit.field} {row.text!r} {why}"
            signal = Signal(Channel.NAME, length, normalised, reason, text_hit=hit, direct=direct)
            yield Found(Target(TargetType.ENTITY, row.uuid), signal)
        for active in name.actives:
            hit = TextHit("mention", name.key, (name.key,), phrase=True)
            reason = f"the conversation mentioned it as {name.key!r}, which {why}"
            yield Found(active.target, Signal(Channel.NAME, length, normalised, reason, text_hit=hit, direct=direct))


def _name_rarity(key: str, rarity: Rarity) -> float:
    """Return in [0, 1] how rarely others' texts hold the name, judged by its rarest word; its own name is left out."""
    terms = search_terms(key)
    if not terms:
        return 1.0
    others = Rarity(rarity.documents, {term: max(0, count - 1) for term, count in rarity.frequencies.items()})
    return max(others.idf(term) for term in terms) / others.highest


def text_signals(collected: Collected, asked: Asked, token: str) -> Iterator[Found]:
    """Yield a TEXT signal for every name, statement and relation that shares terms with the text."""
    for row in collected.texts:
        field = "deprecated alias" if row.deprecated else _FIELDS[row.field]
        found = _text_signal(asked, field, row.text, unscoped(row.terms, token), statement=row.statement)
        if found:
            yield Found(Target(TargetType.ENTITY, row.uuid), found)
    for relation in collected.relations:
        if found := _text_signal(asked, "relation", relation.text, unscoped(relation.terms, token)):
            yield Found(Target(TargetType.ENTITY, relation.uuid), found)


def evidence_signals(
    rows: Iterable[EvidenceRow],
    actives: Mapping[str, LiveActive],
    asked: Asked,
    token: str,
    *,
    at: datetime,
    half_life: float,
) -> Iterator[Found]:
    """Yield a TEXT signal for live evidence, weakened by how loosely and how long ago it was attached."""
    for row in rows:
        if row.runtime_id not in actives:
            continue
        age = (at - row.last_at).total_seconds()
        weight = min(1.0, row.confidence * normalise.decay(age, half_life))
        if found := _text_signal(asked, "evidence", row.text, unscoped(row.terms, token), weight=weight):
            yield Found(actives[row.runtime_id].target, found)


def near_duplicates(rows: Iterable[EvidenceRow], asked: Asked, token: str, least: float) -> tuple[str, ...]:
    """Return the runtime ids whose evidence has nearly the same terms (Jaccard index of at least `least`)."""
    wanted = frozenset(asked.terms)
    near = (
        row.runtime_id for row in rows if wanted and _overlap(wanted, frozenset(unscoped(row.terms, token))) >= least
    )
    return tuple(dict.fromkeys(near))


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other)


def _text_signal(
    asked: Asked, field: str, text: str, terms: tuple[str, ...], *, statement: str | None = None, weight: float = 1.0
) -> Signal | None:
    shared = Counter(term for term in terms if term in asked.distinct)
    if not shared:
        return None
    score = normalise.bm25(shared, len(terms), asked.rarity)
    share = min(1.0, sum(asked.distinct[term] for term in shared) / asked.total_idf)
    matched = tuple(term for term in asked.distinct if term in shared)
    hit = TextHit(field, text, matched, phrase=not asked.pairs.isdisjoint(pairwise(terms)), statement_uuid=statement)
    words = ", ".join(matched)
    article = "an" if field[0] in "aei" else "a"
    reason = f"shares {words} with {article} {field}"
    if weight < 1:
        reason += f", weighed {weight:.2f} for its age and how sure it was"
    return Signal(
        Channel.TEXT, score, normalise.text(score, share, asked.rarity.highest) * weight, reason, text_hit=hit
    )
