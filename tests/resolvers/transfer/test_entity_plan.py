import json
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

from graph.names import identity_key
from graph.values import StatementKind
from resolvers.transfer.entity_plan import plan_entities
from resolvers.transfer.entity_values import EntityPlan, StoredEntity, StoredStatement
from resolvers.transfer.rows import Row, read_row


def rows(*lines: dict[str, Any]) -> list[Row]:
    read = [read_row(number, json.dumps(line).encode(), "s") for number, line in enumerate(lines, start=1)]
    return [row for row in read if isinstance(row, Row)]


def uuids() -> Callable[[], str]:
    numbers = count(1)
    return lambda: f"new-{next(numbers)}"


def stored(subject: str, uuid: str, external_id: str | None = None, *aliases: str, **features: float) -> StoredEntity:
    return StoredEntity(
        uuid=uuid,
        external_id=external_id,
        subject=subject,
        subject_key=identity_key(subject),
        names=frozenset(map(identity_key, (subject, *aliases))),
        statements={
            (StatementKind.FEATURE, text): StoredStatement(f"{uuid}-{text}", confidence)
            for text, confidence in features.items()
        },
    )


def plan(*lines: dict[str, Any], known: tuple[StoredEntity, ...] = ()) -> EntityPlan:
    return plan_entities(rows(*lines), known, new_uuid=uuids())


def homes(made: EntityPlan) -> list[tuple[int, str]]:
    return [(row.line, uuid) for row, uuid in made.homes]


def test_a_new_subject_is_created_with_everything_said() -> None:
    made = plan({"id": "x", "subject": "Ada", "aliases": ["Countess"], "features": ["tall"], "impressions": ["kind"]})
    assert [(each.uuid, each.external_id, each.subject) for each in made.created] == [("new-1", "x", "Ada")]
    assert [(each.name.text, each.is_subject) for each in made.names] == [("Ada", True), ("Countess", False)]
    assert [each.statement.text for each in made.statements] == ["kind", "tall"]
    assert [name.key for name in made.locks] == ["ada", "countess"]
    assert made.given_ids == ("x",)
    assert made.writes


def test_rows_of_one_subject_are_one_entity() -> None:
    made = plan({"subject": "Ada", "features": ["tall"]}, {"subject": "ADA", "features": ["Tall", "quick"]})
    assert homes(made) == [(1, "new-1"), (2, "new-1")]
    assert [each.statement.text for each in made.statements] == ["tall", "quick"]
    assert len(made.names) == 1


def test_what_is_known_is_written_no_more() -> None:
    made = plan(
        {"subject": "Ada", "aliases": ["Countess"], "features": [{"text": "tall", "confidence": 0.5}]},
        known=(stored("Ada", "u1", None, "Countess", tall=0.5),),
    )
    assert not made.writes
    assert not made.locks
    assert homes(made) == [(1, "u1")]


def test_confidence_only_grows() -> None:
    lines = [{"subject": "Ada", "features": [{"text": "tall", "confidence": each}]} for each in (0.6, 0.9, 0.7)]
    assert [each.statement.confidence for each in plan(*lines).statements] == [0.9]
    made = plan(*lines, known=(stored("Ada", "u1", tall=0.5),))
    assert [(each.uuid, each.confidence) for each in made.raised] == [("u1-tall", 0.9)]
    assert [each.uuid for each in made.changed] == ["u1"]
    assert not plan(*lines, known=(stored("Ada", "u1", tall=0.95),)).writes


def test_different_ids_of_one_subject_are_homonyms() -> None:
    made = plan({"id": "a", "subject": "Ada"}, {"id": "b", "subject": "Ada"}, {"id": "a", "subject": "Ada"})
    assert homes(made) == [(1, "new-1"), (2, "new-2"), (3, "new-1")]


def test_a_shared_alias_merges_nothing() -> None:
    made = plan({"subject": "Ada", "aliases": ["A"]}, {"subject": "Alan", "aliases": ["A"]}, {"subject": "A"})
    assert homes(made) == [(1, "new-1"), (2, "new-2"), (3, "new-3")]


def test_the_id_finds_an_entity_by_its_id_from_outside_or_its_uuid() -> None:
    known = (stored("Ada", "u1", "x"), stored("Ada", "u2"))
    made = plan({"id": "x", "subject": "Ada"}, {"id": "u2", "subject": "Ada"}, known=known)
    assert homes(made) == [(1, "u1"), (2, "u2")]
    assert not made.writes


def test_an_id_is_given_to_the_only_namesake_without_one() -> None:
    made = plan({"id": "y", "subject": "Ada"}, known=(stored("Ada", "u1", "x"), stored("Ada", "u2")))
    assert [(each.uuid, each.external_id) for each in made.changed] == [("u2", "y")]
    assert made.given_ids == ("y",)
    several = plan({"id": "y", "subject": "Ada"}, known=(stored("Ada", "u1"), stored("Ada", "u2")))
    assert [each.external_id for each in several.created] == ["y"]


def test_a_namesake_that_the_rows_address_is_not_taken_for_another() -> None:
    made = plan({"id": "y", "subject": "Ada"}, {"id": "u1", "subject": "Ada"}, known=(stored("Ada", "u1"),))
    assert homes(made) == [(1, "new-1"), (2, "u1")]


def test_another_subject_becomes_an_alias_of_the_entity_with_the_id() -> None:
    made = plan({"id": "x", "subject": "Countess"}, known=(stored("Ada", "u1", "x"),))
    assert [(each.name.text, each.is_subject) for each in made.names] == [("Countess", False)]
    assert made.renamed == ((1, "Ada"),)


def test_a_subject_of_several_is_for_a_person_to_choose() -> None:
    made = plan({"subject": "Ada"}, {"subject": "Bo"}, known=(stored("Ada", "u1", "x"), stored("Ada", "u2")))
    assert [(each.line, each.code) for each in made.refused] == [(1, "AMBIGUOUS_SUBJECT")]
    assert "'u2', 'x'" in made.refused[0].reason
    assert homes(made) == [(2, "new-1")]


def test_an_id_of_several_is_reported() -> None:
    made = plan({"id": "x", "subject": "Ada"}, known=(stored("Ada", "u1", "x"), stored("Bo", "u2", "x")))
    assert [each.code for each in made.refused] == ["AMBIGUOUS_ID"]


@pytest.mark.parametrize("written", [True, False])
def test_what_is_stored_decides_whether_a_name_is_deprecated(*, written: bool) -> None:
    alias = {"text": "Countess", "deprecated": written}
    assert not plan({"subject": "Ada", "aliases": [alias]}, known=(stored("Ada", "u1", None, "Countess"),)).writes
    assert plan({"subject": "Ada", "aliases": [alias]}).names[1].name.deprecated is written
