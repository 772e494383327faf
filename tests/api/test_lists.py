"""Lists of one entity are as long as they are asked for, in the query already, and no longer than is said."""

import json
from typing import Any

import pytest

from api.queries import MOST_TOKENS
from cypher import Query
from resolvers.reading import MOST_ALIASES, MOST_BEARERS, MOST_MENTIONS, MOST_RELATIONS, MOST_STATEMENTS
from resolvers.transfer.importing import import_entities
from tests.api.update_api import SUBMIT, Api, plan, project, told

HUB = "Hub"
_MENTIONED = Query(
    "test/mention",
    """
    MATCH (active:ActiveEntity {space: $space})
    UNWIND $names AS name
    CREATE (active)-[:MENTIONED_AS {text: name}]->(:Alias {space: $space, key: name, looseKey: name})
    """,
    "write",
    frozenset({"space", "names"}),
    (),
)


async def loaded(api: Api, *lines: dict[str, Any]) -> None:
    service = api.service
    sent = [json.dumps(line).encode() for line in lines]
    report = await import_entities(service.store, service.embedder, service.clock, sent, space=api.space)
    assert report.refused_count == 0


async def hub(api: Api, count: int) -> str:
    names = [f"Nick {place}" for place in range(count)]
    await loaded(
        api,
        {
            "subject": HUB,
            "aliases": names,
            "features": [f"has {place} coats" for place in range(count)],
            "impressions": [f"seems {place} old" for place in range(count)],
            "relations": [{"relation": f"friend {place}", "target": "Pal"} for place in range(count)],
        },
        {"subject": "Pal"},
    )
    found = await api.ask(f'query($space: String!) {{ it: entityByName(name: "{HUB}", space: $space) {{ uuid }} }}')
    return str(found["it"][0]["uuid"])


LISTS = {
    "aliases": ("text", MOST_ALIASES),
    "impressions": ("text", MOST_STATEMENTS),
    "features": ("text", MOST_STATEMENTS),
    "relations": ("relation", MOST_RELATIONS),
}


async def test_a_hub_costs_what_is_asked_for(api: Api) -> None:
    uuid = await hub(api, 120)
    fields = " ".join(f"{name} {{ {field} }}" for name, (field, _) in LISTS.items())
    some = " ".join(f"some_{name}: {name}(first: 7) {{ {field} }}" for name, (field, _) in LISTS.items())
    document = f"query($space: String!) {{ entity(uuid: {json.dumps(uuid)}, space: $space) {{ {fields} {some} }} }}"
    entity = (await api.ask(document))["entity"]
    for name in LISTS:
        assert len(entity[name]) == 100, "unless more, or less, is asked for"
        assert entity[f"some_{name}"] == entity[name][:7]
    reader = api.service.reader
    for read in (reader.aliases, reader.impressions, reader.features, reader.relations):
        (found,) = await read(api.space, [uuid], 5)
        assert len(found) == 5, "of all that the query returns"


@pytest.mark.parametrize("name", LISTS)
async def test_more_than_is_said_is_refused(api: Api, name: str) -> None:
    await loaded(api, {"subject": HUB})
    field, most = LISTS[name]

    def asking(first: int) -> str:
        asked = f"{name}(first: {first}) {{ {field} }}"
        return f'query($space: String!) {{ entityByName(name: "{HUB}", space: $space, first: 1) {{ {asked} }} }}'

    assert (await api.raw(asking(most))).get("errors") is None
    for first in (most + 1, 0, -1):
        (error,) = (await api.raw(asking(first)))["errors"]
        assert (error["extensions"]["code"], error["extensions"]["argument"]) == ("NUMBER_OUT_OF_RANGE", "first")


async def test_evidence_is_as_much_as_is_asked_for_the_latest_first(api: Api) -> None:
    said = [f"Alice moved to Hangzhou in {year}" for year in range(2_000, 2_012)]
    seen = {
        **plan()["observations"][0],
        "evidenceSnippets": said,
        "relations": [{"target": "Bob", "relation": "sister", "strength": 1.0}],
    }
    bob = {"proposedSubject": "Bob", "evidenceSnippets": [said[0]], "features": [{"text": "tall", "confidence": 1.0}]}
    await api.ask(SUBMIT, plans=[{"observations": [seen, bob]}], rolling=told(*said))
    document = """query($space: String!) { entityByName(name: "Alice", space: $space) {
      features { evidence { uuid } some: evidence(first: 3) { uuid } }
      relations { evidence { uuid } some: evidence(first: 3) { uuid } } } }"""
    (alice,) = (await api.ask(document))["entityByName"]
    for known in (*alice["features"], *alice["relations"]):
        assert len(known["evidence"]) == 5
        assert known["some"] == known["evidence"][:3]


async def test_an_active_entity_tells_so_many_names_and_so_much_evidence(api: Api) -> None:
    for place in range(4):
        await project(api, f"Zorblax came by {place} times", "Zorblax")
    document = """query($space: String!) { activeEntities(space: $space, conversation: "c") {
      mentions evidence { associationConfidence } some: evidence(first: 2) { associationConfidence } } }"""
    (active,) = (await api.ask(document))["activeEntities"]
    assert (len(active["evidence"]), len(active["some"])) == (4, 2)
    assert active["mentions"] == ["Zorblax"]
    await api.service.store.write(
        _MENTIONED, space=api.space, names=[f"Zorblax {place:03}" for place in range(MOST_MENTIONS + 9)]
    )
    (active,) = (await api.ask(document))["activeEntities"]
    assert len(active["mentions"]) == MOST_MENTIONS
    assert active["mentions"][:2] == ["Zorblax", "Zorblax 000"]


async def test_a_conversation_tells_so_many_active_entities(api: Api) -> None:
    for place in range(3):
        await project(api, f"Zorblax{place} came by", f"Zorblax{place}")
    document = """query($space: String!) { activeEntities(space: $space, conversation: "c", first: 2) { mentions } }"""
    assert [each["mentions"] for each in (await api.ask(document))["activeEntities"]] == [["Zorblax2"], ["Zorblax1"]]


async def test_a_name_of_many_tells_so_many_bearers(api: Api) -> None:
    await loaded(api, *({"id": f"a{place}", "subject": "Anna"} for place in range(25)))
    document = 'query($space: String!) { entityByName(name: "Anna", space: $space%s) { uuid } }'
    assert len((await api.ask(document.replace("%s", "")))["entityByName"]) == 10
    found = (await api.ask(document.replace("%s", f", first: {MOST_BEARERS}")))["entityByName"]
    assert len(found) == 25
    recalled = await api.ask(
        """query($space: String!) { recall(text: "Where is Anna?", space: $space) {
             ... on Recall { ambiguousNames { name candidates { uuid } } } } }"""
    )
    assert [len(each["candidates"]) for each in recalled["recall"]["ambiguousNames"]] == [20]


async def test_a_run_tells_as_much_as_is_asked_for(api: Api) -> None:
    subjects = [f"Person{place}" for place in range(5)]
    said = [f"{subject} likes parties in {subject}ville" for subject in subjects]
    plans = [
        {
            "observations": [
                {
                    "proposedSubject": subject,
                    "evidenceSnippets": [text],
                    "features": [{"text": f"likes {drink}", "confidence": 0.9} for drink in ("tea", "rum", "ale")],
                }
                for subject, text in zip(subjects, said, strict=True)
            ]
        }
    ]
    it = (await api.ask(SUBMIT, plans=plans, rolling=told(*said)))["it"]
    document = """query($space: String!, $id: ID!) { updateRun(id: $id, space: $space) {
      steps(first: 2) { changes(first: 1) { evidence(first: 1) { uuid } } }
      resolutions(first: 3) { subject } observations(first: 4) { subject } all: steps { changes { kind } } } }"""
    run = (await api.ask(document, id=it["id"]))["updateRun"]
    assert [len(step["changes"]) for step in run["steps"]] == [1, 1]
    assert (len(run["resolutions"]), len(run["observations"]), len(run["all"])) == (3, 4, 5)
    assert all(len(step["changes"]) > 1 for step in run["all"])
    ((seen),) = await api.service.runs.observations(api.space, [it["id"]], 2)
    assert len(seen) == 2


async def test_context_reads_no_more_than_its_budget_can_show(api: Api) -> None:
    await hub(api, 300)
    await project(api, "Hub came by", HUB)
    document = """query($space: String!, $budget: Int!) {
      context(space: $space, conversation: "c", tokenBudget: $budget) { text tokens truncated } }"""
    rows = 0
    read = api.service.store.read

    async def counted(query: Any, **parameters: Any) -> Any:
        nonlocal rows
        found = await read(query, **parameters)
        rows += len(list(found))
        return found

    api.service.store.read = counted  # type: ignore[assignment, method-assign]
    try:
        small = (await api.ask(document, budget=150))["context"]
        assert rows < 250, "of the 900 lines that are known"
        whole = (await api.ask(document, budget=MOST_TOKENS))["context"]
    finally:
        api.service.store.read = read  # type: ignore[method-assign]
    assert small["truncated"]
    assert small["tokens"] > 100, "what there is room for is there"
    assert small["text"].splitlines() == whole["text"].splitlines()[: len(small["text"].splitlines())]
    assert len(whole["text"].splitlines()) == 601
    assert whole["truncated"], "all names are not shown"
