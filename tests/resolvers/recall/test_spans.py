"""Where names stand in a text."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.names import fold, identity_key
from resolvers.recall import spans
from resolvers.recall.spans import Span, is_function_name, longest_only, name_candidates, units

TEXTS = st.text(st.characters(codec=None) | st.sampled_from("ab 北京.+!'’\"「」-🙂\n"), max_size=80)


def standing(text: str, *names: str) -> set[str]:
    """Return which of the names stand in the text outside every longer one."""
    candidates = name_candidates(text)
    keys = {identity_key(name): name for name in names}
    return {keys[key] for key in longest_only(candidates.spans, set(keys))}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Has anyone seen Alice?", "Alice"),
        ("Alice's manager called", "Alice"),
        ("Alice’s manager called", "Alice"),
        ("“Alice,” he said", "Alice"),
        ("(Alice)", "Alice"),
        ("ALICE!!!", "alice"),
        ("the Ａｌｉｃｅ file", "Alice"),
        ("I write C++, mostly", "C++"),
        ("I write C++.", "C++"),
        ("back to .NET again", ".NET"),
        ("GPT-4o's answer", "GPT-4o"),
        ("search it on Yahoo! then", "Yahoo!"),
        ("我昨天在北京大学看书", "北京大学"),
        ("小明说：“Alice来了”", "Alice"),
        ("找Alice问问", "Alice"),
        ("the \u200bAl\u00adice file", "Alice"),
        ("O'Brien's here", "O'Brien"),
        ("Jean–Luc came", "Jean-Luc"),
        ("New\n  York", "New York"),
        ("we met 🙂 there", "🙂"),
        ("《三体》好看", "三体"),
        ("see U.S.A. now", "U.S.A."),
        ("ask Dr. John H. Watson today", "Dr. John H. Watson"),
        ("snake_case_name is odd", "snake_case_name"),
    ],
)
def test_a_name_is_found_inside_a_sentence(text: str, name: str) -> None:
    assert standing(text, name) == {name}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Alicent came", "Alice"),
        ("malice", "alice"),
        ("GPT-4o is out", "GPT"),
        ("GPT-40", "GPT-4"),
        ("Jean–Luc came", "Luc Jean"),
        ("I like C", "C++"),
    ],
)
def test_a_part_of_a_word_is_no_name(text: str, name: str) -> None:
    found = standing(text, name)

    assert found == ({name} if name == "GPT" else set()), "GPT stands before a hyphen, and hides behind a longer name"
    assert standing(text, name, "GPT-4o") <= {"GPT-4o"}


def test_the_longest_name_wins() -> None:
    assert standing("在北京大学", "北京", "北京大学", "大学") == {"北京大学"}
    assert standing("off to New York", "York", "New York") == {"New York"}
    assert standing("用 C++ 写", "C", "C++") == {"C++"}


def test_a_name_that_also_stands_alone_stays() -> None:
    assert standing("New York, not York", "York", "New York") == {"York", "New York"}


def test_overlapping_names_both_stay() -> None:
    assert standing("北京大学生", "北京大学", "大学生") == {"北京大学", "大学生"}


@given(TEXTS)
def test_every_candidate_is_an_identity_key_of_a_slice(text: str) -> None:
    candidates = name_candidates(text)

    assert candidates.folded == fold(text)
    for key, places in candidates.spans.items():
        assert key
        assert identity_key(key) == key
        for place in places:
            assert identity_key(candidates.folded[place.start : place.end]) == key
        assert len(set(places)) == len(places)


@given(st.data())
def test_longest_only_is_what_its_definition_says(data: st.DataObject) -> None:
    """Against the definition, read off pair by pair."""
    pairs = st.tuples(st.integers(0, 12), st.integers(1, 6)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))
    placed = data.draw(st.dictionaries(pairs, st.sampled_from("abcde")))
    where = {key: tuple(span for span, name in placed.items() if name == key) for key in "abcde"}
    known = data.draw(st.sets(st.sampled_from("abcdef")))

    def hidden(span: Span, key: str) -> bool:
        return any(
            other != span and other.start <= span.start and span.end <= other.end
            for longer in known - {key}
            for other in where.get(longer, ())
        )

    expected = {key: {span for span in where.get(key, ()) if not hidden(span, key)} for key in known}
    found = longest_only(where, known)

    assert {key: set(places) for key, places in found.items()} == {key: each for key, each in expected.items() if each}
    assert all(list(places) == sorted(places) for places in found.values())


def test_the_number_of_keys_is_capped_the_longest_left_out_and_the_rest_reported() -> None:
    words = " ".join(f"w{number}" for number in range(1500))

    candidates = name_candidates(words)

    assert len(candidates.spans) == spans.MAX_KEYS
    assert candidates.left_out > 0
    assert all(f"w{number}" in candidates.spans for number in range(1500)), "single words first"
    assert name_candidates("Alice and Bob").left_out == 0


@pytest.mark.parametrize("piece", ["a!!!", "a.b-", "a ", '"a" ', "Alice ", "字", "((a))", "🙂 "])
def test_the_places_looked_at_are_bounded_however_odd_the_text(piece: str) -> None:
    """Without a bound these texts took up to a minute, in which nobody else was served."""
    text = (piece * 20_000)[:20_000]

    candidates = name_candidates(text)

    assert sum(map(len, candidates.spans.values())) <= spans.MAX_SLICES
    assert longest_only(candidates.spans, set(candidates.spans))


def test_short_names_come_first_where_places_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spans, "MAX_SLICES", 100)
    words = [f"w{number}" for number in range(90)]
    random.Random(1).shuffle(words)

    candidates = name_candidates(" ".join(words))

    assert set(words) <= candidates.spans.keys()
    assert candidates.left_out == sum(90 - length + 1 for length in range(1, spans.LONGEST + 1)) - 100


@pytest.mark.parametrize(
    ("key", "expected"),
    [("龙", 1.0), ("北京", 2.0), ("alice", 2.5), ("new york", 5.0), ("c", 1.0), ("c++", 3.0), ("🙂", 1.0), ("", 0.0)],
)
def test_units_measure_a_name(key: str, expected: float) -> None:
    assert units(key) == expected


@pytest.mark.parametrize("key", ["will", "it is", "我们", "the who"])
def test_function_words_make_no_direct_name(key: str) -> None:
    assert is_function_name(key)


@pytest.mark.parametrize("key", ["will smith", "北京", "the band", "🙂"])
def test_one_content_word_makes_a_name(key: str) -> None:
    assert not is_function_name(key)
