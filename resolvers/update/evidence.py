"""The messages of a rolling as evidence: those that a plan cites become stored evidence when it lands."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache

from graph.names import fold, identity_key
from graph.text import folded_terms, scope_token, scoped
from graph.values import EvidenceSource
from resolvers.linking import evidence_hash, evidence_uuid
from resolvers.update.runs import Run, evidence_of
from resolvers.update.seen import ActiveSource, Decision, Role, Rolling, SourceText
from resolvers.update.steps import AddRelation, AddStatement, MergeStep, UpdatePlan


def message_rows(run: Run) -> list[dict[str, object]]:
    """Return the messages of a run's rolling that its plan, or what it leaves pending, rests on, as evidence."""
    if run.rolling is None:
        return []
    token = scope_token(run.space, run.conversation)
    cited = _cited(run) - set(run.shown)
    return [
        {
            "uuid": message.id,
            "hash": _hash(message, folded, run.conversation),
            "conversation": run.conversation,
            "content": message.text,
            "terms": scoped(folded_terms(folded), token),
            "source": EvidenceSource.ROLLING.value,
            "speaker": message.speaker,
            "at": message.at,
        }
        for message in (*run.rolling.messages, run.rolling.summary_source)
        if message and message.id in cited
        for folded in (fold(message.text),)
    ]


def with_known_texts(space: str, rolling: Rolling, sources: Iterable[ActiveSource]) -> Rolling:
    """Return a rolling whose messages carry the ids of the evidence they already are, or would become.

    An agent projects a message when it is said and rolls it later: one utterance, one piece of evidence. The same
    message in two rollings is one as well. What another speaker, or the assistant, has said in the same words is not.
    """
    folded = cache(fold)  # each text once, and only as long as this takes

    def words_of(said: SourceText) -> tuple[str, Role]:
        return folded(said.text), said.role

    known: dict[tuple[str, Role], dict[str, SourceText]] = {}
    for text in (text for source in sources for text in source.evidence):
        known.setdefault(words_of(text), {})[_speaker(text)] = text
    named = Counter(
        words for words, speaker in {(words_of(each), _speaker(each)) for each in rolling.messages} if speaker
    )

    def identified(said: SourceText) -> SourceText:
        words = words_of(said)
        stored = known.get(words, {})
        found = stored.get(_speaker(said))
        if found is None and not said.speaker and len(stored) == 1:
            (found,) = stored.values()
        elif found is None and named[words] == 1:
            # It was projected without a name: it is whose it can only be.
            found = stored.get("")
        if found is None:
            return replace(said, id=evidence_uuid(space, _hash(said, words[0], rolling.conversation)))
        return replace(said, id=found.id, speaker=said.speaker or found.speaker)

    return replace(
        rolling,
        messages=tuple(map(identified, rolling.messages)),
        summary_source=identified(rolling.summary_source) if rolling.summary_source else None,
    )


def resting_on(plan: UpdatePlan, evidence: frozenset[str]) -> UpdatePlan:
    """Return a plan without the evidence that is gone by now: nobody can look it up any more."""
    steps = tuple(
        step
        if isinstance(step, MergeStep)
        else replace(
            step,
            patches=tuple(
                replace(patch, evidence=tuple(each for each in patch.evidence if each in evidence))
                if isinstance(patch, AddStatement | AddRelation)
                else patch
                for patch in step.patches
            ),
        )
        for step in plan.steps
    )
    return replace(plan, steps=steps)


def _speaker(said: SourceText) -> str:
    return identity_key(said.speaker or "")


def _hash(said: SourceText, folded: str, conversation: str) -> str:
    role = None if said.role is Role.USER else said.role.value
    return evidence_hash(folded, EvidenceSource.ROLLING, said.speaker, conversation, role=role)


def _cited(run: Run) -> frozenset[str]:
    steps = run.plan.steps if run.plan else ()
    planned = frozenset(
        source
        for step in steps
        if not isinstance(step, MergeStep)
        for patch in step.patches
        if isinstance(patch, AddStatement | AddRelation)
        for source in patch.evidence
    )
    waiting = (evidence_of(each.observation) for each in run.resolutions if each.decision is Decision.POSTPONED)
    return planned.union(*waiting)
