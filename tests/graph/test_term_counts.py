from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from graph.term_counts import term_changes
from graph.text import scoped

documents = st.lists(st.lists(st.sampled_from(["a", "b", "刘备", "z9"]), max_size=5), max_size=6)


def test_a_document_counts_each_term_and_itself_once() -> None:
    changes = term_changes("s1", added=["s1run s1run s1amok", ""], removed=["s1run", "s1gone"])
    assert changes == [{"key": "s1", "by": 0}, {"key": "s1amok", "by": 1}, {"key": "s1gone", "by": -1}]


def test_the_bare_token_comes_first_even_with_nothing_to_do() -> None:
    assert term_changes("s1") == [{"key": "s1", "by": 0}]


@given(documents, documents)
def test_adding_and_removing_are_opposites(added: list[list[str]], removed: list[list[str]]) -> None:
    plus, minus = [scoped(terms, "s1") for terms in added], [scoped(terms, "s1") for terms in removed]
    there, back = term_changes("s1", added=plus, removed=minus), term_changes("s1", added=minus, removed=plus)
    assert [(change["key"], -int(change["by"])) for change in there] == [
        (change["key"], int(change["by"])) for change in back
    ]
    assert [change["key"] for change in there] == sorted(str(change["key"]) for change in there)
    expected = Counter({"s1": len(added) - len(removed)})
    for terms in added:
        expected.update({f"s1{term}" for term in terms})
    for terms in removed:
        expected.subtract({f"s1{term}" for term in terms})
    assert {change["key"]: change["by"] for change in there if change["by"]} == {
        key: by for key, by in expected.items() if by
    }
