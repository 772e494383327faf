"""Terms: what is stored and asked alike, whatever the script."""

import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.text import MAX_TERM, lucene_query, scope_token, scoped, search_terms, unscoped

# Any code point, lone surrogates and controls included.
ANY_TEXT = st.text(st.characters(codec=None), max_size=60)
MIXED_TEXT = st.text(
    'aß Ⅷé漢字汉的我ไทย한あアｱนี่हिन्दीعربيx1½_-+&|!(){}[]^"~*?:\\/<>=@#.\u0301\u200d🙂👩‍💻\u3000\n', max_size=40
)
TEXTS = ANY_TEXT | MIXED_TEXT
NAMES_OF_SPACES = st.text("abcXYZ019_.-", min_size=1, max_size=12)
LUCENE = re.compile(r'[+\-&|!(){}\[\]^"~*?:\\/<>=\s]')


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        pytest.param("Her brothers live in 北京大学", ("brother", "live", "北京", "京大", "大学"), id="mixed"),
        pytest.param("MANAGERS, managing; Manager's", ("manag", "manag", "manag"), id="English stems"),
        pytest.param("Zoë Müller", ("zoe", "muller"), id="diacritics"),
        pytest.param("諸葛亮", ("诸葛", "葛亮"), id="Traditional as Simplified"),
        pytest.param("ＡＢＣ　Ⅷ", ("abc", "viii"), id="width"),
        pytest.param("龙", ("龙",), id="a lone ideograph"),
        pytest.param("กรุงเทพ", ("กร", "รุ", "ุง", "งเ", "เท", "ทพ"), id="Thai"),
        pytest.param("हिन्दी भाषा", ("हिन्दी", "भाषा"), id="Hindi keeps its vowel signs"),
        pytest.param("مُحَمَّد", ("محمد",), id="Arabic without vowel points"),
        pytest.param("서울 사람", ("서울", "사람"), id="Korean"),
        pytest.param("東京タワー", ("东京", "京タ", "タワ", "ワー"), id="Japanese"),
        pytest.param("GPT-4o and C++", ("gpt", "4o", "c"), id="symbols part words"),
        pytest.param("🙂 👩‍💻 !!! ___ ‐‑–", (), id="emoji and symbols alone"),
        pytest.param("And what did he do with it?", (), id="English function words"),
        pytest.param("我们的，你们，他呢", (), id="Chinese function words"),
        pytest.param("好的好的，哈哈，谢谢！", (), id="small talk"),
        pytest.param("Ha, sure. Thanks, bye!", (), id="English small talk"),
        pytest.param("明白了", (), id="a formula that is a whole run"),
        pytest.param("Fair enough. Sounds good!", (), id="English formulas"),
        pytest.param("a fair price, a good point", ("fair", "price"), id="their words alone have content"),
        pytest.param("x" * 200, ("x" * MAX_TERM,), id="a long word by its beginning"),
    ],
)
def test_terms_of_a_text(text: str, terms: tuple[str, ...]) -> None:
    assert search_terms(text) == terms


@given(TEXTS)
def test_no_text_is_refused_and_no_term_is_syntax(text: str) -> None:
    for term in search_terms(text):
        assert term
        assert not LUCENE.search(term)
        assert len(term) <= MAX_TERM + 8  # a stem may end otherwise than its word


@given(TEXTS)
def test_terms_are_the_same_in_any_case_and_width(text: str) -> None:
    assert search_terms(text.casefold()) == search_terms(text)


@given(st.lists(TEXTS), NAMES_OF_SPACES)
def test_unscoped_is_the_inverse_of_scoped(texts: list[str], space: str) -> None:
    terms = tuple(term for text in texts for term in search_terms(text))
    token = scope_token(space)

    assert unscoped(scoped(terms, token), token) == terms


@given(TEXTS, NAMES_OF_SPACES)
def test_the_token_never_leaks_into_the_terms(text: str, space: str) -> None:
    token = scope_token(space)

    for term in unscoped(scoped(search_terms(text), token), token):
        assert token not in term


@given(TEXTS, NAMES_OF_SPACES)
def test_a_full_text_query_is_terms_behind_their_token_only(text: str, space: str) -> None:
    token, terms = scope_token(space), search_terms(text)
    query = lucene_query(terms, token)

    assert query == scoped(terms, token)
    clauses = query.split()
    assert len(clauses) == len(terms)
    assert all(clause.startswith(token) and clause not in {"AND", "OR", "NOT"} for clause in clauses)


@given(st.lists(NAMES_OF_SPACES, min_size=2, max_size=2, unique=True), TEXTS)
def test_the_same_words_of_two_spaces_share_no_stored_term(spaces: list[str], text: str) -> None:
    here, there = (set(scoped(search_terms(text), scope_token(space)).split()) for space in spaces)

    assert not here & there


@given(NAMES_OF_SPACES, NAMES_OF_SPACES)
def test_a_token_is_eleven_letters_and_digits_and_tells_scopes_apart(space: str, conversation: str) -> None:
    token = scope_token(space)

    assert re.fullmatch("s[0-9a-f]{10}", token)
    assert token == scope_token(space)
    assert scope_token(space, conversation) != token


def test_a_token_keeps_its_words_apart() -> None:
    assert scope_token("a", "bc") != scope_token("ab", "c")
    assert scope_token("a\ud800") != scope_token("a")


def test_an_input_without_terms_asks_for_nothing() -> None:
    assert lucene_query(search_terms("?! and the"), scope_token("a")) == ""


def test_threads_that_analyse_at_once_do_not_disturb_each_other() -> None:
    """The stemmer keeps the word it works on in itself; an import analyses in a thread while recalls go on."""
    letters = "abeginglyedsation"
    texts = ["".join(pair) * 3 + f"{number}ing" for number, pair in enumerate(pairwise(letters * 200))]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as threads:
            together = list(threads.map(search_terms, texts))
    finally:
        sys.setswitchinterval(interval)

    assert together == [search_terms(text) for text in texts]
