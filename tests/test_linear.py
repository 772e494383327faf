"""Nothing that looks at a text takes time that grows faster than the text.

Each function reads a text of a shape, and one four times as long. Linear work takes four times as long, quadratic work
sixteen times. Measured is processor time of the thread, the best of several tries, and a pair that looks bad is
measured again: what else the machine does makes nothing look quadratic.
"""

import gc
import time
from collections.abc import Callable
from itertools import islice
from typing import Final

import pytest

from graph.checks import check_text
from graph.errors import InvalidInput
from graph.names import check_name, cut_marks, fold, identity_key, loose_key, plain_letters
from graph.text import search_terms
from resolvers.context import estimate_tokens
from resolvers.name_like import name_like
from resolvers.recall.asking import Question, covers, read
from resolvers.recall.spans import is_function_name, longest_only, name_candidates, units
from resolvers.update.answers import SchemaEchoed, json_in, plan_shaped
from resolvers.update.generic import is_assistant, is_first_person, is_generic
from resolvers.update.ground import Grounds
from resolvers.update.intake import holds_id, shown, without_full_stop
from resolvers.update.seen import Role, SourceText
from resolvers.update.templated import is_templated
from tests.fakes import NOON
from tests.shapes import SHAPES

LENGTH: Final = 2_500
"""Characters of the shorter text; eight times as many are the most that is taken."""
MOST: Final = 6.0
"""Times as long that four times the text may take: linear work takes four."""
NOTHING: Final = 0.004
"""Seconds for the longer text below which it does not matter, and which no clock tells apart well enough."""

Reader = Callable[[str], object]


def _refused(check: Reader) -> Reader:
    def checked(text: str) -> object:
        try:
            return check(text)
        except (InvalidInput, SchemaEchoed):
            return None

    return checked


def _said(text: str) -> Grounds:
    return Grounds((SourceText("1", text, Role.USER, None, NOON),))


def _longest(text: str) -> object:
    spans = name_candidates(text).spans
    return longest_only(spans, set(islice(spans, 0, None, 4)))  # the database answers with 500 bearers at most


READERS: Final[dict[str, Reader]] = {
    "graph.names.fold": fold,
    "graph.names.identity_key": identity_key,
    "graph.names.loose_key": loose_key,
    "graph.names.plain_letters": lambda text: plain_letters(fold(text)),
    "graph.names.cut_marks": cut_marks,
    "graph.names.check_name": _refused(lambda text: check_name(text, "name")),
    "graph.text.search_terms": search_terms,
    "graph.checks.check_text": _refused(lambda text: check_text(text, "text")),
    "resolvers.name_like": name_like,
    "resolvers.context.estimate_tokens": estimate_tokens,
    "resolvers.recall.spans.name_candidates": name_candidates,
    "resolvers.recall.spans.longest_only": _longest,
    "resolvers.recall.spans.units": units,
    "resolvers.recall.spans.is_function_name": is_function_name,
    "resolvers.recall.asking.read": lambda text: read(Question(text, "s", "c", NOON, speaker="Ann")),
    "resolvers.recall.asking.covers": lambda text: covers(search_terms(text), [text]),
    "resolvers.update.answers.json_in": json_in,
    "resolvers.update.answers.json_in in a fence": lambda text: json_in("```" + text),
    "resolvers.update.answers.plan_shaped": _refused(lambda text: plan_shaped({text: [{"subject": text}]})),
    "resolvers.update.ground.Grounds": _said,
    "resolvers.update.ground.find": lambda text: _said(text).find(text),
    "resolvers.update.ground.find half": lambda text: _said(text).find(text[: len(text) // 2] + "x"),
    "resolvers.update.ground.find short": lambda text: _said(text + " x").find(text[:600] + "x"),
    "resolvers.update.generic.is_generic": is_generic,
    "resolvers.update.generic.is_first_person": is_first_person,
    "resolvers.update.generic.is_assistant": is_assistant,
    "resolvers.update.templated.is_templated": lambda text: is_templated(text, ["Alice", text[:200]]),
    "resolvers.update.intake.holds_id": holds_id,
    "resolvers.update.intake.shown": shown,
    "resolvers.update.intake.without_full_stop": without_full_stop,
}


def _seconds(read_it: Reader, text: str, tries: int) -> float:
    best = float("inf")
    gc.disable()  # it looks through whatever the whole run of tests has loaded
    try:
        for _ in range(tries):
            started = time.thread_time()
            read_it(text)
            best = min(best, time.thread_time() - started)
    finally:
        gc.enable()
    return best


def _growth(read_it: Reader, shape: Callable[[int], str]) -> float:
    """Return how many times as long the longer text takes; 0 where it takes no time worth telling."""
    short, long = shape(LENGTH), shape(4 * LENGTH)
    growth = 0.0
    for tries in (1, 3, 9):
        longer = _seconds(read_it, long, tries)
        if longer < NOTHING:
            return 0.0
        growth = longer / _seconds(read_it, short, tries)
        if growth <= MOST:
            break
    return growth


@pytest.mark.parametrize("name", READERS)
def test_four_times_the_text_takes_no_more_than_six_times_as_long(name: str) -> None:
    grown = {shape: _growth(READERS[name], make) for shape, make in SHAPES.items()}
    assert {shape: round(growth, 1) for shape, growth in grown.items() if growth > MOST} == {}


def test_the_measure_finds_what_is_quadratic() -> None:
    assert _growth(lambda text: [text.count(text[:place]) for place in range(len(text))], SHAPES["digits"]) > MOST
