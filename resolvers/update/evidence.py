"""The messages of a rolling as evidence: those that a plan cites become stored evidence when it lands."""

from graph.text import scope_token, scoped, search_terms
from graph.values import EvidenceSource
from resolvers.linking import evidence_hash
from resolvers.update.runs import Run


def message_rows(run: Run) -> list[dict[str, object]]:
    """Return the messages of a run's rolling that its plan refers to, as evidence to be merged by hash."""
    if run.rolling is None or run.plan is None:
        return []
    token = scope_token(run.space, run.conversation)
    cited = _cited(run)
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
