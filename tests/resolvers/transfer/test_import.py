"""Import against a real Neo4j."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cypher import load
from graph.errors import InvalidInput
from graph.text import scope_token
from resolvers.transfer.report import ImportStopped, Progress
from tests.fakes import NOON
from tests.resolvers.transfer.conftest import Space

EXAMPLES = Path(__file__).parents[3] / "examples"

ADA = {
    "subject": "Ada Lovelace",
    "aliases": ["Ada", "Countess of Lovelace"],
    "impressions": [{"text": "sees further than others", "confidence": 0.75}],
    "features": ["wrote the first program"],
    "relations": [{"relation": "friend", "target": "Charles Babbage"}],
}
BABBAGE = {"subject": "Charles Babbage", "features": ["built engines"]}


def example(name: str) -> list[bytes]:
    return (EXAMPLES / name).read_bytes().splitlines()


async def written(memory: Space) -> int:
    """Count the nodes and relationships of the space."""
    [row] = await memory.rows(
        "MATCH (node) WHERE node.space = $space AND NOT node:Term "
        "RETURN count(node) + sum(COUNT { (node)-->() }) AS written"
    )
    return int(row["written"])


async def assert_terms_counted(memory: Space) -> None:
    """Hold the counters against the documents of the graph."""
    documents = await memory.rows(
        "MATCH (e:Entity {space: $space}) "
        "RETURN COLLECT { MATCH (e)-[:KNOWN_AS]->(a:Alias) RETURN a.terms } "
        "+ COLLECT { MATCH (e)-[:HAS_IMPRESSION|HAS_FEATURE]->(s) RETURN s.terms } "
        "+ COLLECT { MATCH (e)-[r:RELATES_TO]->() RETURN r.terms } AS terms"
    )
    expected: Counter[str] = Counter()
    for entity in documents:
        for terms in entity["terms"]:
            expected.update({scope_token(memory.name), *terms.split()})
    counted = await memory.rows("MATCH (t:Term {space: $space}) RETURN t.key AS key, t.documents AS documents")
    assert {row["key"]: row["documents"] for row in counted} == dict(expected)


@pytest.mark.parametrize(
    ("file", "entities", "statements", "relations"),
    [("three_kingdoms.jsonl", 31, 139, 76), ("sherlock_holmes.jsonl", 32, 112, 51)],
)
async def test_the_examples(memory: Space, file: str, entities: int, statements: int, relations: int) -> None:
    report = await memory.load(*example(file), strict=True)
    assert (report.entities_created, report.statements, report.relations) == (entities, statements, relations)
    assert (report.lines, report.refused, report.notes) == (entities, (), ())
    await assert_terms_counted(memory)


async def test_everything_is_stored_as_the_design_says(memory: Space) -> None:
    await memory.load(ADA, BABBAGE)
    [entity] = await memory.rows(
        "MATCH (e:Entity {space: $space, subject: 'Ada Lovelace'})-[n:KNOWN_AS {kind: 'SUBJECT'}]->(a:Alias) "
        "MATCH (e)-[:HAS_IMPRESSION]->(i:Impression) MATCH (e)-[r:RELATES_TO]->(t) "
        "RETURN properties(e) AS entity, properties(n) AS name, properties(a) AS alias, properties(i) AS impression, "
        "properties(r) AS relation, t.subject AS target"
    )
    token, now = scope_token(memory.name), memory.clock()
    times = {"createdAt": now, "updatedAt": now}
    assert entity["entity"].pop("uuid")
    assert entity["entity"] == {"space": memory.name, "subject": "Ada Lovelace", "revision": 2, **times}
    assert entity["name"] == {"text": "Ada Lovelace", "kind": "SUBJECT", "deprecated": False, "since": now}
    assert entity["alias"] == {
        "space": memory.name,
        "key": "ada lovelace",
        "looseKey": "adalovelace",
        "text": "Ada Lovelace",
        "terms": f"{token}ada {token}lovelac",
    }
    assert entity["impression"].pop("uuid")
    [vector] = await memory.embedder.embed(["sees further than others"])
    assert entity["impression"].pop("embedding") == pytest.approx(list(vector), abs=1e-6)
    assert entity["impression"] == {
        "space": memory.name,
        "key": "sees further than others",
        "text": "sees further than others",
        "terms": f"{token}see {token}other",
        "confidence": 0.75,
        "support": 1,
        **times,
    }
    assert entity["relation"].pop("uuid")
    assert entity["relation"] == {
        "space": memory.name,
        "relation": "friend",
        "key": "friend",
        "terms": f"{token}friend",
        "strength": 1.0,
        "support": 1,
        "evidence": [],
        **times,
    }
    assert entity["target"] == "Charles Babbage"


async def test_origin_p10_a_statement_is_found_by_its_vector(memory: Space) -> None:
    await memory.load(ADA, BABBAGE)
    [vector] = await memory.embedder.embed(["the first program she wrote"])
    result = await memory.store.read(
        load("recall/nearest_statements"),
        space=memory.name,
        conversation="default",
        hash="",
        aliveSince=NOON,
        vector=list(vector),
        vectorLimit=1,
        fewStatements=2,
        nearLimit=1,
    )
    found = result.one()
    assert found["near"] == []
    assert [each["text"] for each in found["vectors"]] == ["wrote the first program"]


async def test_the_same_again_writes_nothing(memory: Space) -> None:
    lines = example("sherlock_holmes.jsonl")
    await memory.load(*lines)
    told, embedded, transactions = await memory.dump(), len(memory.embedder.embedded), []

    def note(query: str, seconds: float) -> None:
        transactions.append((query, seconds))

    memory.store.observers.append(note)
    report = await memory.load(*lines)
    memory.store.observers.remove(note)
    assert not [query for query, _ in transactions if query.startswith("import")]
    assert len(memory.embedder.embedded) == embedded
    assert (report.entities_created, report.entities_changed, report.names) == (0, 0, 0)
    assert (report.statements, report.relations) == (0, 0)
    assert await memory.dump() == told


async def test_only_what_is_new_is_added(memory: Space) -> None:
    await memory.load(ADA, BABBAGE)
    more = {
        "subject": "ADA LOVELACE",
        "aliases": ["Lady Lovelace"],
        "impressions": [{"text": "Sees further than others", "confidence": 0.9}],
        "relations": [{"relation": "Friend", "target": "Babbage"}, {"relation": "friend", "target": "charles babbage"}],
    }
    report = await memory.load(more)
    assert (report.entities_created, report.entities_changed) == (0, 1)
    assert (report.names, report.statements, report.relations) == (1, 0, 0)
    assert [(each.line, each.code) for each in report.refused] == [(1, "TARGET_UNKNOWN")]
    [ada] = [each for each in (await memory.told()).values() if each["subject"] == "Ada Lovelace"]
    assert ada["aliases"] == ["Ada", "Countess of Lovelace", "Lady Lovelace"]
    assert ada["impressions"] == [{"text": "sees further than others", "confidence": 0.9}]
    [revisions] = await memory.rows(
        "MATCH (e:Entity {space: $space}) RETURN {ada: max(e.revision), babbage: min(e.revision)} AS revisions"
    )
    assert revisions["revisions"] == {"ada": 3, "babbage": 1}
    await assert_terms_counted(memory)


async def test_a_relation_grows_stronger_only(memory: Space) -> None:
    def friend(strength: float) -> list[dict[str, Any]]:
        relation = {"relation": "friend", "target": "Bo", "strength": strength}
        return [{"subject": "Ada", "relations": [relation]}, {"subject": "Bo"}]

    for strength, stored in ((0.5, 0.5), (0.8, 0.8), (0.2, 0.8)):
        await memory.load(*friend(strength))
        [row] = await memory.rows("MATCH (:Entity {space: $space})-[r:RELATES_TO]->() RETURN r.strength AS strength")
        assert row["strength"] == stored


async def test_homonyms_stay_apart_and_shared_aliases_merge_nothing(memory: Space) -> None:
    lines: list[dict[str, Any]] = [
        {"id": "m1", "subject": "Moriarty", "aliases": ["James"], "features": ["professor"]},
        {"id": "m2", "subject": "Moriarty", "aliases": ["James"], "features": ["colonel"]},
        {"id": "w", "subject": "Watson", "aliases": ["James"]},
        {"id": "h", "subject": "Holmes", "relations": [{"relation": "enemy", "target": "m1"}]},
    ]
    for _ in range(2):
        report = await memory.load(*lines, strict=True)
    assert report.entities_created == 0
    told = await memory.told()
    assert told["m1"]["features"] == ["professor"]
    assert told["m2"]["features"] == ["colonel"]
    assert told["h"]["relations"] == [{"relation": "enemy", "target": "m1"}]
    assert len(await memory.rows("MATCH (a:Alias {space: $space, key: 'james'}) RETURN a.key")) == 1


async def test_an_ambiguous_subject_is_reported_and_leaves_no_trace(memory: Space) -> None:
    await memory.load({"id": "m1", "subject": "Moriarty"}, {"id": "m2", "subject": "Moriarty"})
    before = await written(memory)
    report = await memory.load({"subject": "Moriarty", "aliases": ["Napoleon of crime"], "features": ["evil"]})
    assert [(each.line, each.code) for each in report.refused] == [(1, "AMBIGUOUS_SUBJECT")]
    assert "'m1', 'm2'" in report.refused[0].reason
    assert await written(memory) == before


async def test_targets_may_come_later_by_id_name_or_alias(memory: Space) -> None:
    report = await memory.load(
        {
            "subject": "Ada",
            "relations": [
                {"relation": "friend", "target": "cb"},
                {"relation": "mother", "target": "Annabella"},
                {"relation": "father", "target": "Lord Byron"},
                {"relation": "rival", "target": "Lord"},
                {"relation": "self", "target": "ADA"},
                {"relation": "dog", "target": "Rex"},
            ],
        },
        {"id": "cb", "subject": "Charles Babbage"},
        {"subject": "Annabella"},
        {"subject": "George Gordon", "aliases": ["Lord Byron", "Lord"]},
        {"subject": "Kelvin", "aliases": ["Lord"]},
        batch_size=1,
    )
    assert report.relations == 3
    assert [(each.line, each.code) for each in report.refused] == [
        (1, "TARGET_AMBIGUOUS"),
        (1, "RELATION_TO_SELF"),
        (1, "TARGET_UNKNOWN"),
    ]
    [ada] = [each for each in (await memory.told()).values() if each["subject"] == "Ada"]
    assert [each["target"] for each in ada["relations"]] == ["George Gordon", "Charles Babbage", "Annabella"]


async def test_targets_can_be_created(memory: Space) -> None:
    hero = {"subject": "Thor", "relations": [{"type": "in", "target": each} for each in ("AVF 4", "avf 4", "A\n1")]}
    for created, relations in ((2, 1), (0, 0)):
        report = await memory.load(hero, create_targets=True)
        assert (report.entities_created, report.entities_changed, report.relations) == (created, 0, relations)
        assert [(each.line, each.code) for each in report.refused] == [(1, "TARGET_UNKNOWN")]
    await assert_terms_counted(memory)


async def test_bad_lines_stop_nothing(memory: Space) -> None:
    report = await memory.load(
        b"\xef\xbb\xbf" + json.dumps(BABBAGE).encode() + b"\r\n",
        "",
        "{oops",
        "[1]",
        {"aliases": ["nobody"]},
        {"subject": "x", "features": [{"text": "y", "confidence": 2}]},
        b'{"subject": "\xff"}',
        {"subject": "Ada", "stub": True, "relations": [{"relation": "friend", "target": "Charles Babbage", "x": 1}]},
        {"subject": "Bo", "stub": False},
    )
    assert report.entities_created == 3
    assert report.relations == 1
    assert report.lines == 9
    assert [(each.line, each.code) for each in report.refused] == [
        (3, "INVALID_JSON"),
        (4, "NOT_AN_OBJECT"),
        (5, "MISSING_FIELD"),
        (6, "NUMBER_OUT_OF_RANGE"),
        (7, "INVALID_UTF8"),
    ]
    assert report.refused_count == 5
    assert report.notes == (
        "field 'relations.x' is not used (in 1 lines, first in line 8)",
        "field 'stub' is not used (in 2 lines, first in line 8)",
    )


async def test_a_file_of_something_else_is_told_what_a_line_looks_like(memory: Space) -> None:
    report = await memory.load(
        {"source": "USER_INPUT", "text": "Alice came"}, "", {"source": "USER_INPUT", "text": "x"}
    )
    assert [each.code for each in report.refused] == ["MISSING_FIELD", "MISSING_FIELD"]
    assert len(report.notes) == 1
    assert "impressions project" in report.notes[0]

    assert (await memory.load(ADA)).notes == (), "a relation alone was refused here"


async def test_a_strict_import_stops_at_the_first_bad_line(memory: Space) -> None:
    with pytest.raises(ImportStopped, match="line 3") as stopped:
        await memory.load(ADA, BABBAGE, "{oops", {"subject": "Bo"}, strict=True, batch_size=1)
    assert stopped.value.code == "INVALID_JSON"
    assert stopped.value.report.entities_created == 1
    assert stopped.value.report.relations == 0
    assert [each["subject"] for each in (await memory.told()).values()] == ["Ada Lovelace"]


async def test_a_strict_import_stops_before_an_unknown_target(memory: Space) -> None:
    with pytest.raises(ImportStopped, match="line 1") as stopped:
        await memory.load(ADA, strict=True)
    assert stopped.value.code == "TARGET_UNKNOWN"
    assert stopped.value.report.entities_created == 1


async def test_a_strict_import_writes_nothing_of_an_ambiguous_batch(memory: Space) -> None:
    await memory.load({"id": "m1", "subject": "Moriarty"}, {"id": "m2", "subject": "Moriarty"})
    before = await written(memory)
    with pytest.raises(ImportStopped, match="are called 'Moriarty'"):
        await memory.load(ADA, {"subject": "Moriarty"}, strict=True)
    assert await written(memory) == before


async def test_a_row_too_heavy_for_a_transaction_is_taken_in_parts(memory: Space) -> None:
    heavy = {
        "subject": "Ada",
        "aliases": [f"Ada {n}" for n in range(700)],
        "features": [f"fact {n}" for n in range(800)],
    }
    report = await memory.load(heavy, strict=True)
    assert (report.entities_created, report.names, report.statements) == (1, 701, 800)
    assert (await memory.load(heavy, strict=True)).entities_changed == 0


async def test_what_a_conversation_merely_mentioned_becomes_a_name_to_search_for(memory: Space) -> None:
    names = [{"key": "ada lovelace", "looseKey": "adalovelace", "text": "Ada Lovelace"}]
    await memory.store.write(load("update/lock_aliases"), space=memory.name, names=names)
    await memory.load(ADA, BABBAGE)
    await assert_terms_counted(memory)


async def test_progress_is_told(memory: Space) -> None:
    told: list[Progress] = []
    await memory.load(BABBAGE, ADA, "", {"subject": "Bo"}, batch_size=2, progress=told.append)
    assert told == [Progress(4), Progress(4), Progress(4, 1, 1)]


@pytest.mark.parametrize(
    ("options", "code"),
    [({"space": "a b"}, "SPACE_INVALID"), ({"batch_size": 0}, "NUMBER_OUT_OF_RANGE")],
)
async def test_options_are_checked(memory: Space, options: dict[str, Any], code: str) -> None:
    space = Space(memory.store, options.pop("space", memory.name), memory.embedder, memory.clock)
    with pytest.raises(InvalidInput) as refused:
        await space.load(BABBAGE, **options)
    assert refused.value.code == code
