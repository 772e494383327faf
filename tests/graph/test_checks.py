"""What a caller may hand in."""

import math
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph import checks
from graph.errors import InvalidInput
from graph.names import MAX_NAME, check_name
from tests.fakes import NOON


def refused(check: Any, *given_values: Any, **options: Any) -> str:
    with pytest.raises(InvalidInput) as error:
        check(*given_values, **options)
    assert error.value.path == "here"
    assert error.value.message
    assert str(error.value).startswith("here: ")
    return error.value.code


@pytest.mark.parametrize("space", ["a", "default", "Team-7_x.y", "0", "x" * 64])
def test_a_space_is_taken(space: str) -> None:
    assert checks.check_space(space) == space


@pytest.mark.parametrize("space", ["", "a b", "é", "空间", "a/b", "x" * 65, "a\n", "a\x00", "*", "a' OR '1"])
def test_a_space_is_refused(space: str) -> None:
    assert refused(checks.check_space, space, "here") == "SPACE_INVALID"


@pytest.mark.parametrize("conversation", ["default", "聊天 7", "x" * 200, "a\tb"])
def test_a_conversation_is_taken(conversation: str) -> None:
    assert checks.check_conversation(conversation) == conversation


@pytest.mark.parametrize("conversation", ["", "x" * 201, "a\nb", "a\x00", "\ud800"])
def test_a_conversation_is_refused(conversation: str) -> None:
    assert refused(checks.check_conversation, conversation, "here") == "CONVERSATION_INVALID"


@pytest.mark.parametrize("text", ["a", " a ", "line\nline\ttab\r\n", "🙂", "*", "x" * checks.MAX_TEXT, "\u202eabc"])
def test_a_text_is_taken_as_it_is(text: str) -> None:
    assert checks.check_text(text, "here") == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "TEXT_EMPTY"),
        (" \n\t\u3000", "TEXT_EMPTY"),
        ("x" * (checks.MAX_TEXT + 1), "TEXT_TOO_LONG"),
        ("x" * 100_000, "TEXT_TOO_LONG"),
        ("a\x00b", "TEXT_INVALID_CHARACTERS"),
        ("a\x1b[31m", "TEXT_INVALID_CHARACTERS"),
        ("a\ud800", "TEXT_INVALID_CHARACTERS"),
        ("a\x7f", "TEXT_INVALID_CHARACTERS"),
    ],
)
def test_a_text_is_refused(text: str, code: str) -> None:
    assert refused(checks.check_text, text, "here") == code


def test_a_statement_has_a_bound_of_its_own() -> None:
    assert refused(checks.check_text, "x" * 11, "here", longest=10) == "TEXT_TOO_LONG"


@given(st.text(st.characters(codec=None), max_size=50))
def test_a_text_is_taken_or_refused_and_what_is_taken_can_be_sent(text: str) -> None:
    try:
        checks.check_text(text, "here")
    except InvalidInput:
        return
    assert text.encode()
    assert "\x00" not in text


@given(st.text(st.characters(codec=None), max_size=50))
def test_a_name_is_taken_or_refused_and_what_is_taken_can_be_sent(name: str) -> None:
    try:
        shown = check_name(name, "here")
    except InvalidInput:
        return
    assert shown.encode()
    assert 0 < len(shown) <= MAX_NAME


@pytest.mark.parametrize("number", [0.0, 0.5, 1.0, 1, True])
def test_a_confidence_is_taken(number: float) -> None:
    assert checks.check_unit(number, "here") == float(number)


@pytest.mark.parametrize("number", [-0.1, 1.1, 7.0, math.nan, math.inf, -math.inf])
def test_a_confidence_is_refused(number: float) -> None:
    assert refused(checks.check_unit, number, "here") == "NUMBER_OUT_OF_RANGE"


def test_a_count_has_two_ends() -> None:
    assert checks.check_count(3, "here", most=3) == 3
    assert refused(checks.check_count, 0, "here", most=3) == "NUMBER_OUT_OF_RANGE"
    assert refused(checks.check_count, 4, "here", most=3) == "NUMBER_OUT_OF_RANGE"
    assert refused(checks.check_count, 1, "here", least=2, most=3) == "NUMBER_OUT_OF_RANGE"


def test_no_time_means_now() -> None:
    assert checks.check_time(None, "here", now=NOON) == NOON


def test_a_time_of_another_zone_comes_back_in_utc() -> None:
    given_time = (NOON - timedelta(hours=3)).astimezone(timezone(timedelta(hours=5, minutes=30)))

    found = checks.check_time(given_time, "here", now=NOON)

    assert (found, found.tzinfo) == (given_time, UTC)


def test_design_6_naive_times_are_refused() -> None:
    assert refused(checks.check_time, datetime(2026, 9, 1, 12), "here", now=NOON) == "TIME_NAIVE"  # noqa: DTZ001


def test_design_6_times_more_than_five_minutes_ahead_are_refused() -> None:
    ahead = NOON + timedelta(minutes=5)

    assert checks.check_time(ahead, "here", now=NOON) == ahead
    assert refused(checks.check_time, ahead + timedelta(microseconds=1), "here", now=NOON) == "TIME_IN_FUTURE"
    assert checks.check_time(NOON - timedelta(days=4000), "here", now=NOON) < NOON


@pytest.mark.parametrize("offset", [0, 14, -14])
def test_moments_that_leave_no_room_before_them_are_refused(offset: int) -> None:
    at = datetime.min.replace(tzinfo=timezone(timedelta(hours=offset)))

    assert refused(checks.check_time, at, "here", now=NOON) == "TIME_OUT_OF_RANGE"
    assert checks.check_time(checks.EARLIEST, "here", now=NOON) == checks.EARLIEST


@pytest.mark.parametrize("character", ["\x1b", "\x7f", "\x80", "\x85", "\x9b", "\x9f"])
def test_what_steers_a_terminal_is_refused_in_what_is_known(character: str) -> None:
    text = f"lives in{character}Hangzhou"
    assert refused(checks.check_statement, text, "here") == "TEXT_INVALID_CHARACTERS"
    assert refused(checks.check_conversation, text, "here") == "CONVERSATION_INVALID"


def test_a_statement_may_have_lines_and_thirty_marks_in_a_row() -> None:
    text = "lives in\n\tHangzhou a" + "\u0301" * 30
    assert checks.check_statement(text, "here") == text
    assert refused(checks.check_statement, text + "\u0301", "here") == "TEXT_INVALID_CHARACTERS"


def test_evidence_keeps_what_was_said() -> None:
    text = "he wrote \x9b2J and a" + "\u0301" * 100
    assert checks.check_text(text, "here") == text
