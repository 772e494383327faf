"""The messages of a rolling as evidence: those that a plan cites become stored evidence when it lands."""

from collections.abc import Iterable
from dataclasses import replace

from graph.names import fold
from graph.text import scope_token, scoped, search_terms
from graph.values import EvidenceSource
from resolvers.linking import evidence_hash
from resolvers.update.runs import Run
from resolvers.update.steps import ActiveSource, Rolling


def message_rows(run: Run) -> list[dict[str, object]]:
    """Return the messages of a run's rolling that its plan refers to, as evidence to be merged by hash."""
    if run.rolling is None or run.plan is None:
        return []
    token = scope_token(run.space, run.conversation)
    cited = _cited(run) - set(run.shown)
    return [
        {
            "uuid": message.id,
            "hash": evidence_hash(message.text, EvidenceSource.ROLLING, message.speaker, run.conversation),
            "conversation": run.conversation,
            "content": message.text,
            "terms": scoped(search_terms(message.text), token),
            "source": EvidenceSource.ROLLING.value,
            "speaker": message.speaker,
            "at": message.at,
        }
        for message in (*run.rolling.messages, run.rolling.summary_source)
        if message and message.id in cited
    ]


def with_known_texts(rolling: Rolling, sources: Iterable[ActiveSource]) -> Rolling:
    """Return a rolling whose messages carry the ids of the evidence they already are.

    An agent projects a message when it is said and rolls it later: one utterance, one piece of evidence.
    """
    known = {(fold(text.text), text.role): text.id for source in sources for text in source.evidence}
    messages = tuple(replace(each, id=known.get((fold(each.text), each.role), each.id)) for each in rolling.messages)
    return replace(rolling, messages=messages)


def _cited(run: Run) -> frozenset[str]:
    steps = run.plan.steps if run.plan else ()
    return frozenset(
        source
        for step in steps
        if step.step != "merge"
        for patch in step.patches
        if patch.patch in {"add_statement", "add_relation"}
        for source in patch.evidence
    )
