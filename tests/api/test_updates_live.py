"""Runs that a model observes, over GraphQL: batches and tokens, progress and changes by subscription."""

import asyncio
from typing import Any

from gql import gql
from structlog.testing import capture_logs

from resolvers.update.observer_port import FailureCode, ObservationFailed
from resolvers.update.seen import Rolling
from tests.api.update_api import ROLL, RUN, Api, Apis, on_run, plan, project, sees_all, submit, told
from tests.fakes import Labelled, ScriptedObserver
from tests.prepared import sent

# --- observed by a model ----------------------------------------------------------------------------------------------


async def test_a_run_reports_its_batches_and_what_the_model_took(api_with: Apis) -> None:
    observer = ScriptedObserver(ObservationFailed(FailureCode.TIMEOUT, "too slow", prompt_tokens=7), always=sees_all)
    api = api_with(observer)
    await project(api, "Alice brought a cake with cherries", "Alice")
    partial = (await api.ask(ROLL, rolling=told("a party")))["it"]
    assert (partial["status"], partial["progress"]["batchesFailed"]) == ("PARTIAL", 1)
    resumed = (await api.ask(on_run("resumeUpdate"), id=partial["id"]))["it"]
    assert resumed["status"] == "APPLIED"
    assert resumed["progress"]["batchesDone"] == 1
    assert resumed["progress"]["promptTokens"] >= 100
    assert resumed["progress"]["seconds"] >= 0.25


async def test_an_estimate(api_with: Apis) -> None:
    api = api_with(ScriptedObserver())
    await project(api, "Alice brought a cake with cherries", "Alice")
    estimate = await api.ask(
        """
        mutation($rolling: RollingInput!, $space: String!) {
          estimateUpdate(rolling: $rolling, space: $space) { batches promptCharacters } }
        """,
        rolling=told("a party"),
    )
    assert estimate["estimateUpdate"]["batches"] == 1
    assert estimate["estimateUpdate"]["promptCharacters"] > 500


async def test_without_waiting_the_progress_is_told_until_the_end(api_with: Apis) -> None:
    going, seen_first = asyncio.Event(), asyncio.Event()
    observer = ScriptedObserver(always=sees_all)

    async def waits(rolling: Rolling, labelled: Labelled) -> Any:
        seen_first.set()
        await going.wait()
        return await ScriptedObserver.observe(observer, rolling, labelled)

    observer.observe = waits  # type: ignore[method-assign] # waits, then does what the class does
    api = api_with(observer)
    await project(api, "Alice brought a cake with cherries", "Alice")
    started = (await api.ask(ROLL, rolling=told("a party"), wait=False))["it"]
    assert started["status"] == "OBSERVING"
    told_states: list[str] = []
    watching = gql(
        """
        subscription($id: ID!, $space: String!) {
          updateRunProgress(runId: $id, space: $space) { status steps { subject } progress { batchesDone } } }
        """
    )
    watching.variable_values = {"id": started["id"], "space": api.space}
    async with api.listening() as client, client as session, asyncio.timeout(60):
        async for event in session.subscribe(watching):
            told_states.append(event["updateRunProgress"]["status"])
            last = event["updateRunProgress"]
            going.set()
    assert (told_states[0], told_states[-1]) == ("OBSERVING", "APPLIED")
    assert last == {"status": "APPLIED", "steps": [{"subject": "Alice"}], "progress": {"batchesDone": 1}}
    await api.service.background.close()


async def test_an_error_of_ours_behind_an_answered_request_fails_the_run_and_is_told(api_with: Apis) -> None:
    api = api_with(ScriptedObserver())  # its script is empty: it breaks off
    await project(api, "Alice brought a cake with cherries", "Alice")
    with capture_logs() as logs:
        started = (await api.ask(ROLL, rolling=told("a party"), wait=False))["it"]
        await asyncio.gather(*api.service.background._tasks)
    failed = await api.service.runs.run(api.space, started["id"])
    assert (failed.status.value, failed.reason) == (
        "FAILED",
        "internal error (AssertionError): nothing was written; the log tells more under the id of this run",
    )
    told_of = {each["event"]: each["run"] for each in logs if each["log_level"] == "error"}
    assert told_of == {"run_failed": started["id"], "a run broke off": started["id"]}


async def test_entity_changed_tells_create_update_undo_and_forget(api: Api) -> None:
    watching = gql(
        """
        subscription($space: String!) { entityChanged(space: $space) { kind entityUuid entity { subject } } }
        """
    )
    watching.variable_values = {"space": api.space}
    kinds: list[tuple[str, str | None]] = []
    async with api.listening() as client, client as session, asyncio.timeout(120):
        events = session.subscribe(watching).__aiter__()

        async def told_next() -> None:
            change = (await anext(events))["entityChanged"]
            kinds.append((change["kind"], change["entity"] and change["entity"]["subject"]))

        first = asyncio.create_task(told_next())
        await sent(api.service.store, "update/list_changes_since")
        await submit(api, plan())
        await first
        other = await submit(api, plan("Alice", "Alice sings at home"), said="Alice sings at home")
        await told_next()
        await api.ask(on_run("undoUpdate"), id=other["id"])
        await told_next()
        created = await submit(api, plan("Bob", "Bob sings at home"), said="Bob sings at home")
        await told_next()
        await api.ask(on_run("undoUpdate"), id=created["id"])
        await told_next()
        alice = (await api.ask('query($space: String!) { e: entityByName(name: "Alice", space: $space) { uuid } }'))[
            "e"
        ]
        await api.ask(
            "mutation($id: ID!, $space: String!) { it: forgetEntity(uuid: $id, space: $space) { ...R } }" + RUN,
            id=alice[0]["uuid"],
        )
        await told_next()
    assert kinds == [
        ("CREATE", "Alice"),
        ("UPDATE", "Alice"),
        ("UNDONE", "Alice"),
        ("CREATE", "Bob"),
        ("UNDONE", None),
        ("FORGET", None),
    ]
