"""What is left when the line, or the process, dies in the middle: all or nothing, and a second try completes it."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from graph.errors import Conflict, ModelMismatch, NotFound, Unavailable
from graph.neo4j_server import ServerAddress
from graph.rows import Rows
from graph.store import Store
from graph.values import StatementKind
from resolvers.update.runs import ConfirmMode, Run, RunStatus
from resolvers.update.steps import AddStatement, CreateEntityStep, UpdatePlan
from tests.fakes import ScriptedObserver
from tests.faulty_line import FaultyLine, faulty_line
from tests.prepared import connection, query
from tests.resolvers.update.updating import Updating, plan_of, rolled, seen

SAID = "Alice moved to Hangzhou with Bob last year"
GIVEN = (
    seen("Alice", SAID, aliases=["Ally"], features=["lives in Hangzhou"], relations={"Bob": "partner of"}),
    seen("Bob", SAID, features=["lives in Hangzhou"]),
)


@pytest.fixture
async def line(neo4j_address: ServerAddress) -> AsyncIterator[FaultyLine]:
    async with faulty_line(neo4j_address) as line:
        yield line


async def applied_once(updating: Updating, run: Run) -> None:
    stands = await updating.pipeline.read(updating.space, run.id)
    assert (stands.status, stands.counts.entities, stands.counts.relations) == (RunStatus.APPLIED, 2, 1)
    assert await updating.statements("Alice") == {"lives in Hangzhou": 0.8}
    assert await updating.relations() == {("Alice", "partner of", "Bob")}
    bob = (await updating.entity("Bob")).uuid
    (runs,) = await updating.runs.of_entities(updating.space, [bob], most=9)
    assert runs[0].id == run.id
    await updating.check()


@pytest.mark.slow
@pytest.mark.parametrize("answer_lost", [False, True])
async def test_origin_p8_a_line_cut_at_each_message_of_apply_leaves_all_or_nothing(
    updating: Updating,
    neo4j_address: ServerAddress,
    line: FaultyLine,
    answer_lost: bool,  # noqa: FBT001 -- a parameter of the test
) -> None:
    store = await Store.connect(connection(neo4j_address, uri=line.uri, retry_time=0.0), strict=True)
    far = updating.another(store)
    nothing = await updating.export()
    cuts = 0
    try:
        for message in range(1, 100):
            run = await updating.manual(*GIVEN, said=[SAID])
            line.break_at(message, answer_lost=answer_lost)
            try:
                await far.confirm(updating.space, run.id)
            except Unavailable:
                assert line.broken
            if not line.broken:
                line.mend()
                break
            cuts += 1
            line.mend()
            stands = await updating.export()
            if stands != nothing:
                await applied_once(updating, run)
            assert (await far.confirm(updating.space, run.id)).status is RunStatus.APPLIED
            await applied_once(updating, run)
            await updating.undo(run)
            assert await updating.export() == nothing
        await applied_once(updating, run)
        assert cuts > 15
    finally:
        await store.close()


@pytest.mark.slow
async def test_what_is_sent_again_after_a_cut_at_any_message_lands_once(
    updating: Updating, neo4j_address: ServerAddress, line: FaultyLine
) -> None:
    store = await Store.connect(connection(neo4j_address, uri=line.uri, retry_time=0.0), strict=True)
    far = updating.another(store)
    nothing = await updating.export()
    cuts = 0
    try:
        for message in range(1, 200):
            line.break_at(message, answer_lost=bool(message % 2))
            with suppress(Unavailable):
                await far.submit(updating.space, "c", [plan_of(*GIVEN)], rolling=rolled(SAID))
            cuts += (cut := line.broken)
            line.mend()
            again = await far.submit(updating.space, "c", [plan_of(*GIVEN)], rolling=rolled(SAID))
            assert again.run.status is RunStatus.APPLIED
            await applied_once(updating, again.run)
            if not cut:
                break
            await updating.undo(again.run)
            assert await updating.export() == nothing
        assert cuts > 15
    finally:
        await store.close()


@pytest.mark.parametrize("wanted", ["apply", "undo", "forget"])
async def test_after_a_lost_acknowledgement_a_second_call_tells_that_it_is_done(
    updating: Updating, neo4j_address: ServerAddress, line: FaultyLine, monkeypatch: pytest.MonkeyPatch, wanted: str
) -> None:
    """The commit arrives, its answer does not: nobody may try that again unasked, so the caller is told."""
    store = await Store.connect(connection(neo4j_address, uri=line.uri, retry_time=0.0), strict=True)
    run = await updating.manual(*GIVEN, said=[SAID])
    if wanted != "apply":
        await updating.confirm(run)
    alice = (await updating.entity("Alice")).uuid if wanted != "apply" else ""
    finish = store._fetch

    async def watching(name: str, result: Any) -> Rows:
        rows = await finish(name, result)
        if name == "update/count_terms":
            line.break_at(1, answer_lost=True)  # the commit
        return rows

    monkeypatch.setattr(store, "_fetch", watching)
    far = updating.another(store)
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "apply": lambda: far.confirm(updating.space, run.id),
        "undo": lambda: far.undo(updating.space, run.id),
        "forget": lambda: far.forget(updating.space, alice),
    }
    try:
        with pytest.raises(Unavailable):
            await calls[wanted]()
        line.mend()
        if wanted == "apply":
            await calls[wanted]()
            await applied_once(updating, run)
        elif wanted == "undo":
            with pytest.raises(Conflict, match="is UNDONE"):
                await calls[wanted]()
            assert await updating.export() == []
        else:
            with pytest.raises(NotFound):
                await calls[wanted]()
            assert not await updating.known("Alice")
        await updating.check()
    finally:
        await store.close()


def break_embedder(updating: Updating, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    async def broken(*_: object) -> object:
        raise error

    monkeypatch.setattr(updating.world.embedder, "embed", broken)


@pytest.mark.parametrize(
    "outage", [Unavailable("the model does not answer"), ModelMismatch("a reindex has begun")], ids=["down", "reindex"]
)
async def test_a_plan_that_met_an_outage_is_completed_or_thrown_away(
    updating: Updating, monkeypatch: pytest.MonkeyPatch, outage: Exception
) -> None:
    for ending in (RunStatus.REJECTED, RunStatus.APPLIED):
        run = await updating.manual(*GIVEN, said=[SAID])
        with monkeypatch.context() as patch:
            break_embedder(updating, patch, outage)
            with pytest.raises(type(outage)):
                await updating.confirm(run)
        assert (await updating.pipeline.read(updating.space, run.id)).status is RunStatus.CONFIRMED
        if ending is RunStatus.APPLIED:
            await updating.confirm(run)
            await applied_once(updating, run)
        else:
            rejected = await updating.another().reject(updating.space, run.id, None)
            assert rejected.status is ending, "its lease was given up: any process may take it"
            with pytest.raises(Conflict, match="REJECTED"):
                await updating.confirm(run)
            assert await updating.export() == []


@pytest.mark.parametrize("way", ["submit", "confirm", "curate"])
async def test_an_error_of_ours_fails_the_run_with_its_reason_and_frees_its_key(
    updating: Updating, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    made = UpdatePlan((CreateEntityStep("Alice", (AddStatement(StatementKind.FEATURE, "is tall", 0.8),)),))
    calls: dict[str, Callable[[], Awaitable[object]]] = {
        "submit": lambda: updating.submit(*GIVEN, said=[SAID]),
        "curate": lambda: updating.pipeline.curate(updating.space, made, ConfirmMode.AUTO),
    }
    if way == "confirm":
        run = await updating.manual(*GIVEN, said=[SAID])
        calls[way] = lambda: updating.confirm(run)
    with monkeypatch.context() as patch, capture_logs() as logs:
        break_embedder(updating, patch, ZeroDivisionError("our own fault"))
        with pytest.raises(ZeroDivisionError):
            await calls[way]()
    (failed,) = (await updating.runs.page(updating.space, first=9, before=None, status=None)).runs
    assert (failed.status, failed.key) == (RunStatus.FAILED, None)
    assert "internal error (ZeroDivisionError)" in (failed.reason or "")
    assert [each["run"] for each in logs if each["event"] == "run_failed"] == [failed.id]
    assert await updating.export() == []
    again = await updating.submit(*GIVEN, said=[SAID])
    assert again.id != failed.id
    await applied_once(updating, again)


KILLED = """
import asyncio, os, sys
from graph.store import Connection, Store, Transaction
from resolvers.update.runs import ConfirmMode
from tests.fakes import FakeEmbedder, ScriptedObserver
from tests.resolvers.update.updating import Updating, rolled
from tests.resolvers.world import World

async def forever(*_):
    print("there", flush=True)
    await asyncio.sleep(600)

async def main():
    uri, user, space, what, run_id = sys.argv[1:6]
    store = await Store.connect(Connection(uri, user, os.environ["PASSWORD"]))
    updating = Updating(World(store, FakeEmbedder(), space), observer=ScriptedObserver())
    if what == "observe":
        updating.observer.observe = forever
        await updating.pipeline.update(space, rolled("a party"))
    else:
        run = Transaction.run
        async def stopping(self, query, /, **parameters):
            rows = await run(self, query, **parameters)
            if query.name == "update/write_changes":
                await forever()
            return rows
        Transaction.run = stopping
        await updating.pipeline.confirm(space, run_id)

asyncio.run(main())
"""


async def killed(address: ServerAddress, space: str, what: str, run_id: str = "") -> None:
    """Start a process that does something, and kill it in the middle."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", KILLED, address.bolt_uri, address.user, space, what, run_id,
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[3],
        env={**os.environ, "PASSWORD": address.password},
    )  # fmt: skip
    assert process.stdout
    assert await asyncio.wait_for(process.stdout.readline(), 120) == b"there\n"
    process.send_signal(signal.SIGKILL)
    await process.wait()


async def lease_over(updating: Updating) -> None:
    await updating.store.write(
        query("MATCH (r:UpdateRun {space: $space}) SET r.leaseUntil = $past", "space", "past"),
        space=updating.space,
        past=datetime(2020, 1, 1, tzinfo=UTC),
    )


@pytest.mark.slow
async def test_a_process_killed_while_it_applies_leaves_nothing_and_another_completes_it(
    updating: Updating, neo4j_address: ServerAddress
) -> None:
    run = await updating.manual(*GIVEN, said=[SAID])
    await killed(neo4j_address, updating.space, "apply", run.id)
    assert (await updating.pipeline.read(updating.space, run.id)).status is RunStatus.CONFIRMED
    assert await updating.export() == []
    with pytest.raises(Conflict, match="in work elsewhere"):
        await updating.confirm(run)
    await lease_over(updating)
    assert (await updating.confirm(run)).status is RunStatus.APPLIED
    await applied_once(updating, run)


@pytest.mark.slow
async def test_a_process_killed_while_it_observes_is_resumed_by_another(
    updating: Updating, neo4j_address: ServerAddress
) -> None:
    await updating.project(SAID, mentions=["Alice"])
    await killed(neo4j_address, updating.space, "observe")
    page = await updating.runs.page(updating.space, first=5, before=None, status=RunStatus.OBSERVING)
    (left,) = page.runs
    updating.observer = ScriptedObserver(always=plan_of(seen("Alice", SAID, features=["lives in Hangzhou"])))
    await lease_over(updating)
    resumed = await updating.another().resume(updating.space, left.id)
    assert resumed.status is RunStatus.APPLIED
    assert await updating.statements("Alice") == {"lives in Hangzhou": 0.8}
    same = await updating.another().start(updating.space, rolled("a party"), confirm=ConfirmMode.AUTO)
    assert (same.created, same.run.id) == (False, left.id)
    await updating.check()
