import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text import WORD
from resolvers.update.ground import Grounds, grounds
from resolvers.update.seen import DropCode, Role, Rolling
from tests.resolvers.update import given as make

MOVED = make.text("I've moved to Hangzhou, finally!", id="moved", speaker="Alice")
TEA = make.text("她每天早上都喝龙井茶，从不喝咖啡。", id="tea")
PHONE = make.text("My new iPhone 15 is an “iPhone” — really", id="phone")
ADVICE = make.text("You should visit the West Lake", id="advice", role=Role.ASSISTANT)
ALL = make.grounds(MOVED, TEA, PHONE, ADVICE)


@pytest.mark.parametrize(
    ("quote", "source"),
    [
        ("I've moved to Hangzhou, finally!", "moved"),
        ("moved to hangzhou", "moved"),
        ("I’ve   moved to HANGZHOU finally", "moved"),
        ("“moved to Hangzhou”…", "moved"),
        ("ive moved to Hangzhou", "moved"),
        ("喝龙井茶，从不喝咖啡", "tea"),
        ("喝龙井茶 从不喝咖啡", "tea"),
        ("龍井茶", "tea"),
        ("iPhone15", "phone"),
        ('an "iPhone" - really', "phone"),
        ("Alice: I've moved to Hangzhou", "moved"),
        ("user: moved to Hangzhou", "moved"),
        ("用户：龙井茶", "tea"),
        ("Assistant: visit the West Lake", "advice"),
    ],
)
def test_small_changes_of_a_copyist_do_no_harm(quote: str, source: str) -> None:
    assert ALL.find(quote).sources == {source}
    assert ALL.find(quote).refused is None


@pytest.mark.parametrize(
    "quote",
    [
        "I've moved to Shanghai",
        "moved Hangzhou",
        "I … Hangzhou finally",
        "angzhou finall",
        "hone 15",
        "喝龙井茶和咖啡",
        "finally 她每天",
        "Bob: I've moved to Hangzhou",
        "Assistant: moved to Hangzhou",
    ],
)
def test_an_invented_or_joined_quote_is_found_nowhere(quote: str) -> None:
    grounding = ALL.find(quote)

    assert (grounding.sources, grounding.refused) == (frozenset(), DropCode.QUOTE_INVENTED)
    assert repr(quote) in grounding.reason


@pytest.mark.parametrize("quote", ["", "  ", "…", "“”", "👍"])
def test_no_quote(quote: str) -> None:
    assert ALL.find(quote).refused is DropCode.QUOTE_MISSING


@pytest.mark.parametrize("quote", ["I", "tea", "15", "茶", "you should", "an my is", "她", "从不", "user: tea me"])
def test_too_short_or_of_function_words_only(quote: str) -> None:
    grounding = ALL.find(quote)

    assert grounding.refused in {DropCode.QUOTE_TOO_SHORT, DropCode.QUOTE_INVENTED}
    assert not grounding.sources


def test_an_ideograph_counts_two_letters() -> None:
    assert make.grounds("咖啡").find("咖啡").sources
    assert make.grounds("a 茶").find("a 茶").refused is DropCode.QUOTE_TOO_SHORT


def test_function_words_of_both_languages_prove_nothing() -> None:
    texts = make.grounds("好的谢谢，我没有", "that would have been")

    assert texts.find("好的谢谢").refused is DropCode.QUOTE_TOO_SHORT
    assert texts.find("我没有").refused is DropCode.QUOTE_TOO_SHORT
    assert texts.find("that would have been").refused is DropCode.QUOTE_TOO_SHORT


def test_a_quote_that_several_texts_hold_has_them_all() -> None:
    texts = make.grounds(
        make.text("likes green tea", id="1"), make.text("She likes GREEN tea a lot, green tea", id="2")
    )

    assert texts.find("green tea").sources == {"1", "2"}


def test_who_said_it() -> None:
    assert ALL.said_by_assistant_alone({"advice"})
    assert not ALL.said_by_assistant_alone({"advice", "moved"})
    assert not ALL.said_by_assistant_alone({"of an earlier run"})
    assert not ALL.said_by_assistant_alone(())


def test_the_summary_counts_only_where_nothing_else_was_said() -> None:
    summary = make.text("Alice lives in Hangzhou", id="summary")
    spoken = Rolling("default", summary.text, (MOVED,))
    silent = Rolling("default", summary.text, ())
    source = make.active("r1", evidence=[TEA])

    assert grounds(spoken, [], summary=summary).texts == (MOVED,)
    assert grounds(silent, [source], summary=summary).texts == (TEA,)
    assert grounds(silent, [make.active("r1")], summary=summary).texts == (summary,)
    assert grounds(None, []).texts == ()


def test_evidence_of_two_active_entities_is_one_text() -> None:
    both = [make.active("r1", evidence=[TEA, MOVED]), make.active("r2", evidence=[TEA])]

    assert grounds(Rolling("default", "", (MOVED,)), both).texts == (MOVED, TEA)


@contextmanager
def counted_searches() -> Iterator[Counter[str]]:
    """Count the calls of the methods that look into a text."""
    counts: Counter[str] = Counter()
    before = sys.getprofile()

    def count(_: FrameType, event: str, called: Any) -> None:
        if event == "c_call" and called.__name__ in {"find", "startswith"}:
            counts[called.__name__] += 1

    sys.setprofile(count)
    try:
        yield counts
    finally:
        sys.setprofile(before)


@pytest.mark.parametrize("letter", ["a", "茶"])
def test_a_word_that_holds_a_quote_at_each_letter_is_not_tried_at_each(letter: str) -> None:
    texts = make.grounds(*(make.text(letter * 2_000, id=str(number)) for number in range(10)))
    with counted_searches() as counts:
        found = [bool(texts.find(letter * length).sources) for length in range(4, 600, 20)]

    assert all(found) == (letter == "茶"), "an ideograph is a word of its own"
    assert sum(counts.values()) <= len(found) * (3 * len(texts.texts) + 1)


words = st.lists(st.sampled_from(["ab", "aba", "b", "中", "b中"]), max_size=8)


@given(st.lists(words, max_size=3), words)
def test_a_quote_is_found_where_it_stands_whole(contents: list[list[str]], quote: list[str]) -> None:
    texts = make.grounds(*(make.text(" ".join(content), id=str(n)) for n, content in enumerate(contents)))
    grounding = texts.find(" ".join(quote))
    if grounding.refused in {DropCode.QUOTE_MISSING, DropCode.QUOTE_TOO_SHORT}:
        return
    holding = {
        str(number)
        for number, content in enumerate(contents)
        for pieces in [WORD.findall(" ".join(content))]
        for first in range(len(pieces))
        for last in range(first, len(pieces))
        if "".join(pieces[first : last + 1]) == "".join(quote)
    }

    assert grounding.sources == holding


@given(st.lists(st.text(max_size=30), max_size=5), st.text(max_size=30))
def test_never_raises_and_finds_only_what_is_there(contents: list[str], quote: str) -> None:
    texts = Grounds(tuple(make.text(content, id=str(place)) for place, content in enumerate(contents)))
    grounding = texts.find(quote)

    assert bool(grounding.sources) != bool(grounding.refused)
    assert grounding.sources <= {text.id for text in texts.texts}


@given(st.sampled_from([MOVED, TEA, PHONE, ADVICE]), st.data())
def test_whole_words_of_a_text_are_found_in_it(source: object, data: st.DataObject) -> None:
    assert source in ALL.texts
    words = MOVED.text.split()
    start = data.draw(st.integers(0, len(words) - 1))
    quote = " ".join(words[start : data.draw(st.integers(start + 1, len(words)))])
    grounding = ALL.find(quote)

    assert grounding.sources == {"moved"} or grounding.refused is DropCode.QUOTE_TOO_SHORT
