"""A rolled message is the evidence it already is: the same words of the same speaker in the same role, and no other."""

import pytest

from graph.values import EvidenceSource
from resolvers.update.evidence import with_known_texts
from resolvers.update.requests import Message
from resolvers.update.seen import Role, Rolling, SourceText
from tests.resolvers.update import given as make
from tests.resolvers.update.updating import Updating, seen

SAID = "I really enjoy green tea"


def known(*messages: SourceText, live: tuple[SourceText, ...] = ()) -> tuple[SourceText, ...]:
    sources = [make.active("r1", evidence=live)]
    return with_known_texts("s", Rolling("c", "they talked", messages), sources).messages


def said(speaker: str | None = None, role: Role = Role.USER, id: str = "") -> SourceText:  # noqa: A002 -- the field's name
    return make.text(SAID, id=id, role=role, speaker=speaker)


def test_the_same_words_of_two_speakers_or_roles_are_different_evidence() -> None:
    messages = known(said(), said(role=Role.ASSISTANT), said("Alice"), said("Bob"), said("alice"))

    assert len({each.id for each in messages}) == 4
    assert messages[2].id == messages[4].id
    assert messages == known(*messages)


def test_the_speaker_of_what_was_projected_is_inherited() -> None:
    (message,) = known(said(), live=(said("Alice", id="live"),))

    assert (message.id, message.speaker) == ("live", "Alice")


def test_of_two_speakers_none_is_inherited() -> None:
    (message,) = known(said(), live=(said("Alice", id="a"), said("Bob", id="b")))

    assert message.id not in {"a", "b"}
    assert message.speaker is None


def test_another_speakers_evidence_is_not_taken() -> None:
    alice, bob, assistant = known(
        said("ALICE"), said("Bob"), said("Alice", role=Role.ASSISTANT), live=(said("Alice", id="live"),)
    )

    assert (alice.id, alice.speaker) == ("live", "ALICE")
    assert bob.id != "live"
    assert assistant.id != "live"


def test_what_was_projected_without_a_name_is_the_one_speakers() -> None:
    (alone,) = known(said("Alice"), live=(said(id="live"),))
    both = known(said("Alice"), said("Bob"), live=(said(id="live"),))

    assert (alone.id, alone.speaker) == ("live", "Alice")
    assert "live" not in {each.id for each in both}


@pytest.mark.parametrize("order", [("user", "assistant"), ("assistant", "user")])
async def test_what_the_user_said_counts_although_the_assistant_said_the_same(
    updating: Updating, order: tuple[str, str]
) -> None:
    quote = "Alice plays the cello every evening"
    told = [Message(role, quote) for role in order]
    await updating.submit(seen("Alice", quote, features=["plays the cello"]), said=told)
    assert await updating.statements("Alice") == {"plays the cello": 0.8}
    stored = await updating.rows("MATCH (e:Evidence {space: $space}) RETURN e.uuid AS uuid")
    assert len(stored) == 2
    await updating.check()


async def test_what_only_the_assistant_repeats_is_no_fact(updating: Updating) -> None:
    quote = "Alice plays the cello every evening"
    run = await updating.submit(seen("Alice", quote, features=["plays the cello"]), said=[Message("assistant", quote)])
    assert "ASSISTANT_ONLY" in {each.code for each in run.dropped}
    assert await updating.known("Alice") == ()


async def test_a_message_without_a_speaker_is_who_projected_it(updating: Updating) -> None:
    await updating.project(SAID, mentions=["Green Tea"], speaker="Alice")
    await updating.submit(seen("I", SAID, features=["enjoys green tea"], sources=["Green Tea"]), said=[SAID])
    assert await updating.statements("Alice") == {"enjoys green tea": 0.8}
    assert await updating.rolled() == {SAID: True}


async def test_a_fact_of_one_speaker_does_not_rest_on_the_words_of_another(updating: Updating) -> None:
    await updating.project(SAID, mentions=["Green Tea"], speaker="Alice")
    told = [Message("user", SAID, speaker="Bob")]
    await updating.submit(seen("Bob", SAID, features=["enjoys green tea"]), said=told)
    support = await updating.rows(
        "MATCH (:Feature {space: $space})-[:SUPPORTED_BY]->(e) RETURN e.speaker AS speaker, e.source AS source"
    )
    assert {"speaker": "Bob", "source": EvidenceSource.ROLLING.value} in support
