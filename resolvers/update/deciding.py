"""From what was observed to a plan: the pure stages in their order, around the one read of the identity index."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from cypher import load
from graph.errors import Conflict, NotFound
from graph.names import cut_marks
from graph.store import Store
from resolvers.recall.asking import marks_note
from resolvers.update.again import Pending, waits_on
from resolvers.update.aggregate import AggregateSettings, aggregate
from resolvers.update.build import build
from resolvers.update.decided import DecidedCreate, DecidedDiscard, DecidedUpdate, PersonsDecision
from resolvers.update.ground import Grounds, grounds
from resolvers.update.identity import names_of, resolve
from resolvers.update.intake import Intake, handed_in_labels, take_handed_in, take_observed
from resolvers.update.run_store import RunStore
from resolvers.update.runs import Origin, PendingObservation, Run
from resolvers.update.seen import (
    ActiveSource,
    Aggregated,
    AggregatedObservation,
    Decision,
    Dropped,
    KnownBearer,
    KnownIdentities,
    Resolution,
)
from resolvers.update.state import PlanState
from resolvers.update.steps import UpdatePlan
from resolvers.update.vicinity import vicinity_of


@dataclass(frozen=True, slots=True)
class Decided:
    """What a run comes to."""

    plan: UpdatePlan
    resolutions: tuple[Resolution, ...]
    """Of all observations; those that are kept pending as the plan keeps them."""
    dropped: tuple[Dropped, ...]
    untried: int = 0
    """Pending observations of earlier runs that were beyond the bound and not looked at."""
    notes: tuple[str, ...] = ()
    """What was altered of what was handed in."""


class Decider:
    """Takes the pure stages one after the other. Reads, and never writes."""

    def __init__(self, store: Store, runs: RunStore) -> None:
        self._store = store
        self._runs = runs

    async def decide(self, run: Run, sources: Sequence[ActiveSource], settings: AggregateSettings) -> Decided:
        """Return what a run's observations, and the pending ones of earlier runs, come to.

        Raises:
            Unavailable: the database does not answer.
        """
        pending = {each.id: _again(each) for each in await self._runs.pending(run.space)}
        full = len(pending) >= self._runs.most_pending
        untried = await self._runs.count_pending(run.space) - len(pending) if full else 0
        # Grounding looks through all that was said for each quote: meanwhile others are served.
        seen = await asyncio.to_thread(_gathered, run, sources, settings, pending)
        decided = await self._plan(
            run.space, seen.aggregated, seen.texts, seen.dropped, pending, assistant_counts=settings.assistant_counts
        )
        return replace(decided, untried=untried, notes=seen.notes)

    async def decide_one(
        self, space: str, pending: PendingObservation, decision: Decision, entity_uuid: str | None
    ) -> Decided:
        """Return what a person's decision about one pending observation comes to.

        Raises:
            NotFound: the entity is not in this space.
            Conflict: it cannot be carried out: under a word that names nobody there is nothing to create.
            Unavailable: the database does not answer.
        """
        persons: PersonsDecision = DecidedCreate()
        if decision is Decision.UPDATE:
            persons = DecidedUpdate(await self._bearer(space, entity_uuid or ""))
        elif decision is Decision.DISCARDED:
            persons = DecidedDiscard()
        again = _again(pending)
        aggregated = Aggregated((again,), ())
        decided = await self._plan(
            space, aggregated, Grounds(()), (), {pending.id: again}, decided={pending.id: persons}
        )
        if not decided.resolutions:
            raise Conflict(decided.plan.postponed[0].reason)
        return decided

    async def around(self, space: str, *plans: UpdatePlan) -> PlanState:
        """Return what stands around plans, without a lock."""
        around = await asyncio.to_thread(lambda: vicinity_of(*plans).parameters(space, lock=False))
        rows = await self._store.write(load("update/read_state"), **around)
        return await asyncio.to_thread(PlanState.of, rows.one())

    async def _plan(
        self,
        space: str,
        aggregated: Aggregated,
        texts: Grounds,
        dropped: Iterable[Dropped],
        pending: Pending,
        *,
        decided: Mapping[str, PersonsDecision] | None = None,
        assistant_counts: bool = False,
    ) -> Decided:
        speakers = {text.id: text.speaker for text in texts.texts if text.speaker}
        asked = await asyncio.to_thread(names_of, aggregated, speakers)
        found = await self._runs.known(
            space,
            keys=[name.key for name in asked],
            loose_keys=[name.loose_key for name in asked],
            runtime_ids=sorted({source for each in aggregated.observations for source in each.sources}),
        )
        known = replace(found, speakers=speakers)
        resolutions, plan = await asyncio.to_thread(
            _built, aggregated, known, dropped, pending, decided=decided, assistant_counts=assistant_counts
        )
        landed = [each for each in resolutions if each.decision is not Decision.POSTPONED]
        # A pending one, or a rest of it, that still waits with nothing new to it is stored already.
        waiting = [each for each in plan.postponed if not waits_on(each, pending)]
        return Decided(plan, (*landed, *waiting), plan.dropped)

    async def _bearer(self, space: str, uuid: str) -> KnownBearer:
        found = (await self._store.read(load("read/load_entities"), space=space, uuids=[uuid])).one_or_none()
        if found is None:
            raise NotFound(f"no entity {uuid!r} in space {space!r}")
        return KnownBearer(uuid, found["entity"]["subject"])


@dataclass(frozen=True, slots=True)
class _Gathered:
    """What was observed, before anybody is known."""

    aggregated: Aggregated
    texts: Grounds
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]


def _gathered(
    run: Run,
    sources: Sequence[ActiveSource],
    settings: AggregateSettings,
    pending: Mapping[str, AggregatedObservation],
) -> _Gathered:
    taken = _intake(run, sources)
    texts = grounds(run.rolling, sources, summary=run.rolling.summary_source if run.rolling else None)
    aggregated = aggregate(
        (observation for each in taken for observation in each.observations),
        texts,
        settings,
        pending=pending.values(),
    )
    dropped = (*(drop for each in taken for drop in each.dropped), *aggregated.dropped)
    notes = (*_message_notes(run, sources), *dict.fromkeys(note for each in taken for note in each.notes))
    return _Gathered(aggregated, texts, dropped, notes)


def _message_notes(run: Run, sources: Sequence[ActiveSource]) -> Iterator[str]:
    """Say where a message is not compared, or not kept, as it was sent."""
    stored = {text.id: text.text for source in sources for text in source.evidence}
    messages = run.rolling.messages if run.rolling else ()
    if marks := max((cut_marks(message.text) for message in messages), default=0):
        yield marks_note(marks, " in a message")
    if spelt := sum(stored.get(message.id, message.text) != message.text for message in messages):
        yield f"{spelt} messages were said before in another spelling, which stays their evidence"


def _built(
    aggregated: Aggregated,
    known: KnownIdentities,
    dropped: Iterable[Dropped],
    pending: Pending,
    *,
    decided: Mapping[str, PersonsDecision] | None,
    assistant_counts: bool,
) -> tuple[tuple[Resolution, ...], UpdatePlan]:
    resolutions = resolve(aggregated, known, decided=decided, assistant_counts=assistant_counts)
    return resolutions, build(resolutions, known, dropped=dropped, pending=pending)


def _intake(run: Run, sources: Sequence[ActiveSource]) -> list[Intake]:
    labels = handed_in_labels(sources) if run.origin is Origin.SUBMITTED else {}
    return [
        take_handed_in(record.plan, labels)
        if run.origin is Origin.SUBMITTED
        else take_observed(record.plan, record.labels)
        for record in run.batches
        if record.plan is not None
    ]


def _again(pending: PendingObservation) -> AggregatedObservation:
    return replace(pending.resolution.observation, pending=frozenset({pending.id}))
