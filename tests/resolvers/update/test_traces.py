"""A record betrays somebody by an id or by what people wrote, never by the words it is stored in."""

import pytest
from pydantic import TypeAdapter

from graph.values import StatementKind
from resolvers.update.changes import CHANGES, EntityChange, EntityRecord, NameChange, NameRecord
from resolvers.update.diff import ChangeKind, Part, ShownChange, ShownStep, StepKind
from resolvers.update.runs import SHOWN_STEP
from resolvers.update.seen import (
    Decision,
    DropCode,
    Dropped,
    KnownBearer,
    Resolution,
    ResolutionCode,
    Role,
    Rolling,
    SourceText,
)
from resolvers.update.steps import (
    AddAlias,
    AddRelation,
    AddStatement,
    CreateEntityStep,
    KnownTarget,
    UpdateExistingStep,
    UpdatePlan,
)
from resolvers.update.traces import Traces
from tests.fakes import NOON
from tests.resolvers.update import given as make

ID = "0f8c2c1e-beef-4caf-8000-0123456789ab"
OBSERVED = make.whole(
    "Zed", aliases=["Zeddie"], statements=[make.feature("keeps bees", quote="Zed keeps bees", sources={ID})],
    relations=[make.relation("uncle of", "Yann", quote="Yann's uncle")], sources={"c0ffee123456"},
)  # fmt: skip
RESOLUTION = Resolution(
    OBSERVED, Decision.POSTPONED, ResolutionCode.AMBIGUOUS,
    "'Zed' may be another spelling of a name of 'Ed Zett', 'Zac H",
    candidates=(KnownBearer(ID, "Zebedee"),),
)  # fmt: skip
PLAN = UpdatePlan(
    steps=(
        UpdateExistingStep(
            ID, "Zed", (AddStatement(StatementKind.FEATURE, "keeps bees", 0.8, (ID,), "he keeps bees"),)
        ),
        CreateEntityStep(
            "Yann",
            (AddAlias("Yannick", reason="observed as another name"), AddRelation(KnownTarget(ID, "Zed"), "pupil", 0.5)),
        ),
    ),
    dropped=(Dropped(DropCode.QUOTE_INVENTED, "plays chess", "'he plays chess' stands in no message of this run"),),
    postponed=(RESOLUTION,),
)
ROLLING = Rolling("work", "they talked of golf", (SourceText(ID, "I row", Role.USER, "Otto", NOON),), "slice one")
ENTITY = EntityRecord("Zed", "staff 7", NOON, NOON)
NAME = NameRecord("Zed", "SUBJECT", deprecated=False, since=NOON)
CHANGED = (EntityChange(ID, None, ENTITY), NameChange(ID, "zed", None, NAME))
DIFF = ShownStep(
    StepKind.UPDATE, ID, "Zed",
    (ShownChange(ChangeKind.ADDED, Part.ALIAS, None, "Zeddie", reason="the old name stays as an alias"),),
)  # fmt: skip
STORED = (
    *(TypeAdapter(type(each)).dump_json(each).decode() for each in (RESOLUTION, PLAN, ROLLING)),
    CHANGES.dump_json(CHANGED).decode(),
    SHOWN_STEP.dump_json(DIFF).decode(),
)


def found(*names: str, ids: tuple[str, ...] = ()) -> bool:
    """Tell whether any record betrays a name; each that does must be found by its parts as well."""
    traces = Traces(ids, names)
    telling = [stored for stored in STORED if traces.in_json(stored)]
    for stored in telling:
        assert any(part in stored.lower() for part in traces.parts())
    return bool(telling)


@pytest.mark.parametrize(
    "name",
    [
        # Keys.
        "Patch", "Target", "Reason", "Code", "Evidence", "Subject", "Decision", "Key", "Role", "Speaker", "Quote",
        # Codes and labels.
        "Add_Statement", "Statement", "Feature", "Postponed", "Ambiguous", "Update", "User", "Entity", "Alias", "Added",
        # Sentences of ours.
        "Spelling", "May", "Message", "Observed", "Another Name", "Old Name",
        # Parts of ids and moments, and the name of a conversation.
        "Beef", "2026", "Work",
    ],
)  # fmt: skip
def test_the_words_records_are_stored_in_betray_nobody(name: str) -> None:
    assert not found(name)


@pytest.mark.parametrize(
    "name",
    [
        "zed", "ZEDDIE", "bees", "keeps bees", "he keeps", "uncle", "Yann", "Yannick", "pupil", "Zebedee", "Ed Zett",
        "Zac", "chess", "he plays", "golf", "row", "Otto", "staff 7", "slice one",
    ],
)  # fmt: skip
def test_every_text_of_people_or_of_the_model_betrays(name: str) -> None:
    assert found(name)


def test_an_id_betrays_wherever_it_stands() -> None:
    assert found(ids=(ID,))
    assert not found(ids=("1f8c2c1e-0000-4000-8000-0123456789ab",))


@pytest.mark.parametrize("name", ["Ze", "ett", "bee", "I"])
def test_part_of_a_word_betrays_nobody_nor_a_letter_inside_a_text(name: str) -> None:
    assert not found(name)


def test_a_name_that_looks_like_an_id_is_found_where_it_is_the_whole() -> None:
    assert found("C0FFEE123456")


def test_a_persons_reason_betrays_and_ours_do_not() -> None:
    traces = Traces((), ("Person", "Batches", "Memory", "Forgotten"))
    for ours in (
        "rejected by a person", "2 of 3 batches failed: TIMEOUT: no answer",
        "the memory changed 3 times while the plan was being applied: send it again",
        "an entity was forgotten; this cannot be undone",
    ):  # fmt: skip
        assert not traces.in_reason(ours)
    assert traces.in_reason("I want that person to be left out")
