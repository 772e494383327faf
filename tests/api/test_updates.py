"""Updates over GraphQL: the real schema and application, over HTTP and a real socket."""

from typing import Any

import pytest

from api.wiring import WARM_SPACES, warm_up
from graph.errors import Unavailable
from tests.api.update_api import ROLL, RUN, SAID, SUBMIT, Api, Json, on_run, plan, submit, told
from tests.prepared import query


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
    page = "query($space: String!) { it: pendingObservations(space: $space, skip: 1) { id } n: pendingObservationCount"
    assert await api.ask(page + "(space: $space) }") == {"it": [], "n": 1}
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
