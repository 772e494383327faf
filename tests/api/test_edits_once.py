"""An edit under a key is carried out once, however often it is sent; one that was interrupted can be sent again."""

from typing import Any

import pytest

from resolvers.update.runs import RunStatus
from tests.api.update_api import RUN, SAID, Api, plan, submit
from tests.prepared import query

CREATE = (
    """
    mutation($input: CreateEntityInput!, $key: String) {
      it: createEntity(input: $input, idempotencyKey: $key) { ...R } }
    """
    + RUN
)
STATE = (
    """
    mutation($uuid: ID!, $text: String!, $space: String!, $key: String, $sure: Float! = 1.0) {
      it: setFeature(uuid: $uuid, text: $text, confidence: $sure, space: $space, idempotencyKey: $key) { ...R } }
    """
    + RUN
)
DECIDE = (
    """
    mutation($id: ID!, $space: String!, $key: String) {
      it: decideObservation(id: $id, discard: true, space: $space, idempotencyKey: $key) { ...R } }
    """
    + RUN
)


async def uuid_of(api: Api, name: str) -> str:
    asked = "query($space: String!, $name: String!) { e: entityByName(name: $name, space: $space) { uuid } }"
    (found,) = (await api.ask(asked, name=name))["e"]
    return str(found["uuid"])


async def create(api: Api, key: str | None, subject: str = "Alice") -> Any:
    return (await api.ask(CREATE, input={"subject": subject, "space": api.space}, key=key))["it"]


async def test_the_same_edit_sent_again_is_the_same_run(api: Api) -> None:
    first, second = await create(api, "k"), await create(api, "k")
    assert (first["status"], first["created"]) == ("APPLIED", True)
    assert (second["id"], second["status"], second["created"]) == (first["id"], "APPLIED", False)


async def test_an_edit_that_the_first_has_changed_the_meaning_of_is_the_same_all_the_same(api: Api) -> None:
    """The first adds the feature; looked at anew, the same request would set the confidence of one that stands."""
    await create(api, None)
    asked = {"uuid": await uuid_of(api, "Alice"), "text": "is tall", "key": "k"}
    first, second = (await api.ask(STATE, **asked))["it"], (await api.ask(STATE, **asked))["it"]
    assert (second["id"], second["created"]) == (first["id"], False)
    forgotten = "mutation($id: ID!, $space: String!) { it: forgetEntity(uuid: $id, space: $space) { __typename } }"
    await api.ask(forgotten, id=asked["uuid"])
    assert (await api.ask(STATE, **asked))["it"]["id"] == first["id"], "also where there is nobody to edit any more"


async def test_another_edit_under_the_same_key_is_a_conflict(api: Api) -> None:
    await create(api, "k")
    assert (await create(api, "k", "Bob"))["__typename"] == "Conflict"
    uuid = await uuid_of(api, "Alice")
    assert (await api.ask(STATE, uuid=uuid, text="is tall", key="k"))["it"]["__typename"] == "Conflict"


async def test_without_a_key_each_is_its_own(api: Api) -> None:
    assert (await create(api, None))["status"] == "APPLIED"
    assert (await create(api, None))["violations"] != []


@pytest.mark.parametrize("status", [RunStatus.OBSERVING, RunStatus.CONFIRMED])
async def test_one_that_was_interrupted_is_carried_out_when_it_is_sent_again(api: Api, status: RunStatus) -> None:
    first = await create(api, "k")
    await api.ask(
        "mutation($id: ID!, $space: String!) { it: undoUpdate(runId: $id, space: $space) { __typename } }",
        id=first["id"],
    )
    await api.service.store.write(
        query(
            "MATCH (r:UpdateRun {runId: $id}) SET r.status = $status, r.key = 'k', r.owner = 'gone', "
            "r.leaseUntil = datetime() - duration('PT1S')",
            "id",
            "status",
        ),
        id=first["id"],
        status=status.value,
    )
    again = await create(api, "k")
    assert (again["status"], again["created"]) == ("APPLIED", True)
    assert again["id"] != first["id"]
    ended = await api.service.runs.run(api.space, first["id"])
    assert (ended.status, ended.key) == (RunStatus.FAILED, None)


async def test_one_that_is_in_work_is_a_conflict_that_says_until_when(api: Api) -> None:
    first = await create(api, "k")
    await api.service.store.write(
        query(
            "MATCH (r:UpdateRun {runId: $id}) SET r.status = 'CONFIRMED', r.owner = 'another', "
            "r.leaseUntil = datetime() + duration('PT60S')",
            "id",
        ),
        id=first["id"],
    )
    refused = await create(api, "k")
    assert refused["__typename"] == "Conflict"
    assert "in work elsewhere until" in refused["message"]


async def test_a_decision_is_taken_once(api: Api) -> None:
    run = await submit(api, plan("he", SAID))
    assert [each["decision"] for each in run["resolutions"]] == ["POSTPONED"]
    (waiting,) = await api.service.runs.pending(api.space)
    first = (await api.ask(DECIDE, id=waiting.id, key="k"))["it"]
    second = (await api.ask(DECIDE, id=waiting.id, key="k"))["it"]
    assert (second["id"], second["created"]) == (first["id"], False)
    assert (await api.ask(DECIDE, id=waiting.id, key="another"))["it"]["__typename"] == "Conflict"
