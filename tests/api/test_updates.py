"""Updates over GraphQL: the real schema and application, over HTTP and a real socket."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from gql import Client, gql
from gql.transport.websockets import WebsocketsTransport
from starlette.applications import Starlette

from api.app import create_app
from api.settings import Settings
from api.wiring import WARM_SPACES, Service, assemble, warm_up
from graph.errors import Unavailable
from graph.neo4j_server import ServerAddress
from graph.store import Store
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.observer_port import FailureCode, ObservationFailed
from resolvers.update.seen import Rolling
from tests.api.small_service import serving
from tests.fakes import FakeEmbedder, Labelled, ScriptedObserver
from tests.prepared import prepared_store, query
from tests.resolvers.update.updating import plan_of, seen

Json = dict[str, Any]
SAID = "Alice moved to Hangzhou last year"


@pytest.fixture(scope="session")
async def store(neo4j_address: ServerAddress) -> AsyncIterator[Store]:
    async with prepared_store(neo4j_address) as store:
        yield store


def sees_all(rolling: Rolling, labelled: Labelled) -> ImpressionObservationPlan:  # noqa: ARG001 -- the port's shape
    return plan_of(
        *(
            seen(source.subject or "", source.evidence[0].text, features=["likes parties"], sources=[label])
            for label, source in labelled
        )
    )


class Api:
    """The application and one space of it."""

    def __init__(self, service: Service, space: str) -> None:
        self.service, self.space = service, space
        self.app: Starlette = create_app(service)

    async def ask(self, document: str, **variables: Any) -> Json:
        """Return the data of an answer that must hold no errors."""
        answer = await self.raw(document, **variables)
        assert "errors" not in answer, answer["errors"]
        data: Json = answer["data"]
        return data

    async def raw(self, document: str, **variables: Any) -> Json:
        transport = httpx.ASGITransport(app=self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", timeout=60) as http:
            body = {"query": document, "variables": {"space": self.space, **variables}}
            answer: Json = (await http.post("/graphql", json=body)).json()
        return answer

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Client]:
        async with serving(self.app) as port:
            yield Client(transport=WebsocketsTransport(url=f"ws://127.0.0.1:{port}/graphql"))


Apis = Callable[..., Api]


@pytest.fixture
def api_with(store: Store, space: str) -> Apis:
    def build(observer: ScriptedObserver | None = None) -> Api:
        service = assemble(
            Settings(), store, FakeEmbedder(), observer=observer, browser_url=None, bolt_uri="bolt://127.0.0.1"
        )
        return Api(service, space)

    return build


@pytest.fixture
def api(api_with: Apis) -> Api:
    return api_with()


RUN = """
fragment R on UpdateRunResult {
  __typename
  ... on UpdateRun {
    id status created reason violations { code } counts { entities features } notes
    steps { kind subject changes { kind part before after evidence { content } } }
    progress { batches batchesDone batchesFailed promptTokens completionTokens seconds }
    resolutions { subject decision code candidates { subject } } dropped { code }
  }
  ... on InvalidInput { code path message }
  ... on NotFound { message }
  ... on Conflict { message conflicts }
  ... on NotConfigured { setting message }
  ... on Unavailable { message retryAfterMs }
}
"""
SUBMIT = (
    """
    mutation($plans: [ObservationPlanInput!]!, $rolling: RollingInput, $space: String!, $confirm: ConfirmMode! = AUTO,
             $key: String) {
      it: submitObservations(plans: $plans, rolling: $rolling, space: $space, confirm: $confirm, idempotencyKey: $key) {
        ...R } }
    """
    + RUN
)
ROLL = (
    """
    mutation($rolling: RollingInput!, $space: String!, $wait: Boolean! = true) {
      it: updateImpressions(rolling: $rolling, space: $space, wait: $wait) { ...R } }
    """
    + RUN
)


def on_run(name: str) -> str:
    return f"mutation($id: ID!, $space: String!) {{ it: {name}(runId: $id, space: $space) {{ ...R }} }}" + RUN


def told(*messages: str) -> Json:
    return {
        "summary": "they talked",
        "conversation": "c",
        "messages": [{"role": "user", "text": text} for text in messages],
    }


def plan(subject: str = "Alice", said: str = SAID, **more: Any) -> Json:
    return {"observations": [{"proposedSubject": subject, "evidenceSnippets": [said],
                              "features": [{"text": "lives in Hangzhou", "confidence": 0.8}], **more}]}  # fmt: skip


async def submit(api: Api, *plans: Json, said: str = SAID, **more: Any) -> Json:
    answer: Json = (await api.ask(SUBMIT, plans=list(plans), rolling=told(said), **more))["it"]
    return answer


async def project(api: Api, text: str, *mentions: str) -> None:
    await api.ask(
        """
        mutation($text: String!, $space: String!, $mentions: [String!]) {
          projectEntity(input: {text: $text, space: $space, conversation: "c", mentions: $mentions}) { __typename } }
        """,
        text=text,
        mentions=list(mentions),
    )


async def test_preview_confirm_recall_undo(api: Api) -> None:
    run = await submit(api, plan(), confirm="MANUAL")
    assert (run["status"], run["created"]) == ("PREPARED", True)
    assert [(c["kind"], c["part"], c["after"]) for c in run["steps"][0]["changes"] if c["part"] == "FEATURE"] == [
        ("ADDED", "FEATURE", "lives in Hangzhou (0.80)")
    ]
    applied = (await api.ask(on_run("confirmUpdate"), id=run["id"]))["it"]
    assert (applied["status"], applied["counts"]) == ("APPLIED", {"entities": 1, "features": 1})
    feature = next(c for c in applied["steps"][0]["changes"] if c["part"] == "FEATURE")
    assert feature["evidence"] == [{"content": SAID}]
    recalled = await api.ask(
        """
        query($space: String!) { recall(text: "where is Alice?", space: $space) {
          ... on Recall { matches { attached target { entity {
            subject features { text evidence { content } } runs { id } } } } }
        } }
        """
    )
    (match,) = recalled["recall"]["matches"]
    assert match == {
        "attached": True,
        "target": {
            "entity": {
                "subject": "Alice",
                "features": [{"text": "lives in Hangzhou", "evidence": [{"content": SAID}]}],
                "runs": [{"id": run["id"]}],
            }
        },
    }
    assert (await api.ask(on_run("undoUpdate"), id=run["id"]))["it"]["status"] == "UNDONE"
    again = await api.ask('query($space: String!) { entityByName(name: "Alice", space: $space) { uuid } }')
    assert again == {"entityByName": []}


async def test_the_same_again_is_the_same_run_and_says_so(api: Api) -> None:
    first, second = await submit(api, plan()), await submit(api, plan())
    assert (first["id"], first["created"], second["created"]) == (second["id"], True, False)


# --- every member of the result union ---------------------------------------------------------------------------------


async def test_not_configured(api: Api) -> None:
    refused = (await api.ask(ROLL, rolling=told(SAID)))["it"]
    assert (refused["__typename"], refused["setting"]) == ("NotConfigured", "IMPRESSIONS_LLM_MODEL")
    assert "submitObservations" in refused["message"]


async def test_conflict(api: Api) -> None:
    await submit(api, plan(), key="k")
    refused = await submit(api, plan("Bob"), key="k")
    assert refused["__typename"] == "Conflict"
    first = await submit(api, plan("Carol", "Carol is on her way"), said="Carol is on her way")
    await submit(api, plan("Carol", "Carol is here"), said="Carol is here")
    refused = (await api.ask(on_run("undoUpdate"), id=first["id"]))["it"]
    assert (refused["__typename"], refused["conflicts"]) == ("Conflict", ["'Carol' was changed since"])


async def test_not_found(api: Api) -> None:
    for name in ("confirmUpdate", "rejectUpdate", "resumeUpdate", "undoUpdate"):
        assert (await api.ask(on_run(name), id="nobody"))["it"]["__typename"] == "NotFound"


async def test_invalid_input(api: Api) -> None:
    rolling = told(SAID)
    rolling["messages"][0]["role"] = "ghost"
    refused = (await api.ask(SUBMIT, plans=[plan()], rolling=rolling))["it"]
    assert (refused["code"], refused["path"]) == ("ROLE_UNKNOWN", "rolling.messages.0.role")
    refused = await submit(api, plan(confidence=7.0))
    assert (refused["__typename"], refused["code"]) == ("InvalidInput", "PLAN_INVALID")
    decide = 'mutation($space: String!) { it: decideObservation(id: "x", space: $space) { ...R } }' + RUN
    assert (await api.ask(decide))["it"]["code"] == "DECISION_UNCLEAR"


async def test_unavailable(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def away(*_: object, **__: object) -> None:
        raise Unavailable("Neo4j did not answer")

    monkeypatch.setattr(api.service.store, "write", away)
    monkeypatch.setattr(api.service.store, "read", away)
    refused = await submit(api, plan())
    assert (refused["__typename"], refused["retryAfterMs"]) == ("Unavailable", 1000)


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
        await asyncio.sleep(1)  # until it listens
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


# --- curation ---------------------------------------------------------------------------------------------------------


async def test_curation_and_pending_observations(api: Api) -> None:
    async def edit(field: str, **variables: Any) -> Json:
        types = {"uuid": "ID!", "other": "ID!", "text": "String!"}
        declared = "".join(f", ${name}: {types[name]}" for name in variables)
        declares = f"($space: String!{declared})" if "$space" in field else ""
        document = f"mutation{declares} {{ it: {field} {{ ...R }} }}"
        run: Json = (await api.ask(document + RUN, **variables))["it"]
        assert run["status"] == "APPLIED", run
        return run

    async def uuid(name: str) -> str:
        found = await api.ask(
            "query($space: String!, $name: String!) { e: entityByName(name: $name, space: $space) { uuid } }", name=name
        )
        ((one,),) = [tuple(each["uuid"] for each in found["e"])]
        return str(one)

    await edit('createEntity(input: {subject: "Alex Smith", aliases: ["Alex"], space: "' + api.space + '"})')
    await edit(
        'createEntity(input: {subject: "Alex Jones", aliases: ["Alex"], allowHomonym: true, space: "'
        + api.space
        + '"})'
    )
    smith, jones = await uuid("Alex Smith"), await uuid("Alex Jones")
    await edit('setFeature(uuid: $uuid, text: "is tall", space: $space)', uuid=smith)
    await edit('setImpression(uuid: $uuid, text: "seems kind", space: $space)', uuid=smith)
    await edit('setFeature(uuid: $uuid, text: "is tall", newText: "is small", space: $space)', uuid=smith)
    await edit(
        'setRelation(uuid: $uuid, targetUuid: $other, relation: "cousin", space: $space)', uuid=smith, other=jones
    )
    await edit('addAlias(uuid: $uuid, alias: "Lex", space: $space)', uuid=smith)
    await edit('removeAlias(uuid: $uuid, alias: "Lex", space: $space)', uuid=smith)
    await edit('renameEntity(uuid: $uuid, subject: "Alexander Smith", space: $space)', uuid=smith)
    said = "Alex plays the violin on Sundays"
    waiting = await submit(api, plan("Alex", said), said=said)
    assert waiting["status"] == "NO_CHANGE"
    pending = "query($space: String!) { it: pendingObservations(space: $space) { id code candidates { subject } } }"
    (observation,) = (await api.ask(pending))["it"]
    assert observation["code"] == "AMBIGUOUS"
    assert {each["subject"] for each in observation["candidates"]} == {"Alexander Smith", "Alex Jones"}
    await edit("decideObservation(id: $other, entityUuid: $uuid, space: $space)", uuid=smith, other=observation["id"])
    assert (await api.ask(pending))["it"] == []
    entity = (
        await api.ask(
            """
            query($space: String!, $uuid: ID!) { it: entity(uuid: $uuid, space: $space) {
              subject aliases { text deprecated } features { text } impressions { text uuid }
              relations { uuid relation target { subject } } runs { id origin } } }
            """,
            uuid=smith,
        )
    )["it"]
    assert {each["text"] for each in entity["features"]} == {"is small", "lives in Hangzhou"}
    assert {(each["text"], each["deprecated"]) for each in entity["aliases"]} == {
        ("Alex", False), ("Alex Smith", False), ("Lex", True),
    }  # fmt: skip
    await edit("removeStatement(statementUuid: $uuid, space: $space)", uuid=entity["impressions"][0]["uuid"])
    await edit("removeRelation(relationUuid: $uuid, space: $space)", uuid=entity["relations"][0]["uuid"])
    merged = await edit("mergeEntities(into: $uuid, from: $other, space: $space)", uuid=smith, other=jones)
    assert merged["steps"][0]["kind"] == "MERGE"
    assert await uuid("Alex") == smith


# --- reading ----------------------------------------------------------------------------------------------------------


async def test_a_page_of_runs_is_read_in_batches(api: Api) -> None:
    """However many runs a page holds, their steps, observations and entities cost the same number of queries."""
    document = """
    query($space: String!, $first: Int!) { updateRuns(space: $space, first: $first) { edges { node {
      id steps { subject changes { evidence { content } } } observations { subject candidates { subject } }
    } } } entities(space: $space, first: $first) {
      edges { node { subject runs(first: 3) { id } } } } }
    """
    for number in range(6):
        said = f"Kwame{number} sings at home"
        await submit(api, plan(f"Kwame{number}", said), said=said, confirm="MANUAL" if number % 2 else "AUTO")
    counts = []
    asked: list[str] = []
    api.service.store.observers.append(lambda name, _: asked.append(name))
    for first in (1, 2, 6):
        asked.clear()
        answer = await api.ask(document, first=first)
        assert len(answer["updateRuns"]["edges"]) == first
        counts.append(len(asked))
    api.service.store.observers.clear()
    assert counts[1] == counts[2], asked
    assert max(counts) <= 8


async def test_runs_are_paged_and_filtered(api: Api) -> None:
    for number in range(3):
        said = f"Kwame{number} sings at home"
        await submit(api, plan(f"Kwame{number}", said), said=said)
    document = """
    query($space: String!, $after: String, $status: RunStatus) {
      updateRuns(space: $space, first: 2, after: $after, status: $status) {
        edges { node { id createdAt } } pageInfo { hasNextPage endCursor } } }
    """
    page = (await api.ask(document))["updateRuns"]
    rest = (await api.ask(document, after=page["pageInfo"]["endCursor"]))["updateRuns"]
    ids = [edge["node"]["id"] for edge in [*page["edges"], *rest["edges"]]]
    assert (len(ids), len(set(ids)), rest["pageInfo"]["hasNextPage"]) == (3, 3, False)
    assert (await api.ask(document, status="UNDONE"))["updateRuns"]["edges"] == []
    assert (await api.ask('query { updateRun(id: "nobody") { id } }'))["updateRun"] is None


async def test_load_example(api: Api) -> None:
    assert await api.ask("mutation($space: String!) { loadExample(space: $space) }") == {"loadExample": True}
    found = await api.ask('query($space: String!) { entityByName(name: "刘备", space: $space) { subject } }')
    assert [each["subject"] for each in found["entityByName"]] == ["刘备"]


async def test_the_service_plans_ahead_and_leaves_nothing_behind(api: Api) -> None:
    await warm_up(api.service)
    found = await api.service.store.read(
        query("MATCH (n) WHERE n.space IN $spaces RETURN count(n) AS count", "spaces"), spaces=list(WARM_SPACES)
    )
    assert found.one() == {"count": 0}
