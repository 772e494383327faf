"""What can be said of a text without the database."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text import scope_token
from resolvers.recall.asking import MAX_CLAUSES, Limits, Question, covers, parameters, read
from tests.fakes import NOON


def question(text: str, **changed: object) -> Question:
    return Question(**{"text": text, "space": "s", "conversation": "c", "at": NOON, **changed})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "I came",
        "that's MY cat",
        "it is mine",
        "I'm in",
        "我来了",
        "这是我的猫",
        "找我们",
        "俺也去",
        "给咱看看",
        "本人到场",
    ],
)
def test_first_person(text: str) -> None:
    assert read(question(text)).first_person


@pytest.mark.parametrize("text", ["India", "mystery mine2", "he came", "他来了", "iPhone", "你的猫"])
def test_no_first_person(text: str) -> None:
    assert not read(question(text)).first_person


@pytest.mark.parametrize(
    "text", ["he came", "ask Her", "THEY did", "it's his", "他来了", "问问她吧", "它坏了", "他们走了"]
)
def test_third_person(text: str) -> None:
    assert read(question(text)).third_person


@pytest.mark.parametrize("text", ["其他的呢", "弹吉他", "其它事", "hero", "there", "shell", "I came", "与他人无关"])
def test_design_6_no_third_person_in_other_words(text: str) -> None:
    assert not read(question(text)).third_person


def test_a_pronoun_beside_such_a_word_still_counts() -> None:
    assert read(question("他弹吉他")).third_person


def test_the_speaker_is_named_only_where_first_person_words_stand() -> None:
    assert read(question("I came", speaker="Carol")).named == {"carol": "Carol"}
    assert read(question("he came", speaker="Carol")).named == {}
    assert read(question("I came")).named == {}


def test_mentions_are_named_once_each_by_their_first_spelling() -> None:
    reading = read(question("x", mentions=("Ａlice", "alice", "Bob"), speaker="Carol"))

    assert reading.named == {"bob": "Bob", "alice": "Ａlice"}


def test_parameters_of_a_text_of_function_words_ask_no_index() -> None:
    asked = parameters(read(question("and what of it?")), None, Limits(), timedelta(hours=72))

    assert (asked["memoryQueries"], asked["evidenceQueries"], asked["vectors"]) == ([], [], [])
    assert asked["termKeys"] == [scope_token("s")]


def test_parameters_carry_the_tokens_of_space_and_conversation() -> None:
    asked = parameters(read(question("blue harbour", mentions=("Zoë",))), (1.0,), Limits(texts=7), timedelta(hours=1))

    assert asked["memoryQueries"] == [f"{scope_token('s')}blue {scope_token('s')}harbour"]
    assert asked["evidenceQueries"] == [f"{scope_token('s', 'c')}blue {scope_token('s', 'c')}harbour"]
    assert asked["nameKeys"] == ["zoë", "blue", "harbour", "blue harbour"]
    assert asked["relatedKeys"] == ["blue", "harbour", "blue harbour"]
    assert asked["aliveSince"] == NOON - timedelta(hours=1)
    assert (asked["vectors"], asked["textLimit"]) == ([[1.0]], 7)


def test_at_most_a_thousand_clauses_are_asked_and_the_rest_is_noted() -> None:
    reading = read(question(" ".join(f"w{number}x" for number in range(MAX_CLAUSES + 5))))

    asked = parameters(reading, None, Limits(), timedelta(1))
    (query,) = asked["memoryQueries"]  # type: ignore[misc]
    assert len(query.split()) == MAX_CLAUSES  # type: ignore[has-type]
    assert any(f"{MAX_CLAUSES} of its {MAX_CLAUSES + 5} different words" in note for note in reading.notes)
    assert any("were looked up as names" in note for note in reading.notes)
    assert read(question("short")).notes == ()


@given(st.text(st.characters(codec=None), max_size=80))
def test_no_text_breaks_the_reading(text: str) -> None:
    reading = read(question(text, speaker="Carol"))

    assert len(reading.searched) == len(set(reading.terms)) <= MAX_CLAUSES
    assert parameters(reading, None, Limits(), timedelta(1))["space"] == "s"


def test_names_cover_a_text_whose_content_words_are_all_theirs() -> None:
    assert covers(("alic", "johnson"), ["alice johnson"])
    assert not covers(("alic", "piano"), ["alice johnson"])
    assert covers((), [])
