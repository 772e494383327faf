"""What an unmatched input may be called."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from graph.names import identity_key
from resolvers.name_like import LONGEST, name_like


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("My sister Anna moved to Leeds", ("Anna", "Leeds")),
        ("I met Zoë Müller there", ("Zoë Müller",)),
        ("we read J. R. R. Tolkien", ("J. R. R. Tolkien",)),
        ("she saw Dr. Watson. He waved", ("Dr. Watson",)),
        ("we asked Watson. Nobody knew", ("Watson",)),
        ("at the Bank of England", ("Bank of England",)),
        ("Vincent van Gogh painted", ("Vincent van Gogh",)),
        ("GPT-4o is out", ("GPT-4o",)),
        ("the Friday Club meets", ("Friday Club",)),
        ("that is O'Brien's", ("O'Brien",)),
        ("I'd ask Anna's mother", ("Anna",)),
        ("with Anna, Bob and Carol", ("Anna", "Bob", "Carol")),
        ("what about 'Blue Harbour'?", ("Blue Harbour",)),
        ('they call it "blue harbour" now', ("blue harbour",)),
        ("我和Anna Müller去了", ("Anna Müller",)),
        ("他叫林小雨的姐姐", ("林小雨",)),
        ("叫我小王吧", ("小王",)),
        ("叫于谦来", ("于谦",)),
        ("我名叫张三丰。", ("张三丰",)),
        ("在看《三体》，还有「小满」和『蓝港』", ("三体", "小满", "蓝港")),
        ("“蓝港”开业了", ("蓝港",)),
        ("Привет, это Иван Петров пришёл", ("Иван Петров",)),
        ("Anna met anna and ANNA", ("ANNA",)),
    ],
)
def test_a_name_is_guessed(text: str, names: tuple[str, ...]) -> None:
    assert name_like(text) == names


@pytest.mark.parametrize(
    "text",
    [
        "ok, thanks", "OK! Thanks.", "Good morning!", "See you tomorrow", "I think I would", "That's great!",
        "Is it? Yes.",
        "好的", "哈哈", "叫他来", "叫上我", "привет, как дела", "élan vital", "नमस्ते दुनिया", "مرحبا بالعالم", "สวัสดี",
        "it opens on Monday", "early in May", "on Fridays", "at 9 AM",
        "iPhone", "", "?!", "''", '""', "《》", "a" * 100,
    ],
)  # fmt: skip
def test_no_name_is_guessed(text: str) -> None:
    assert name_like(text) == ()


@given(st.text(st.characters(codec=None) | st.sampled_from("AbÉ .'’-《》“”\"叫我小王:\n4"), max_size=80))
def test_a_guess_is_a_short_name_each_once_and_never_an_error(text: str) -> None:
    keys = [identity_key(name) for name in name_like(text)]

    assert all(keys)
    assert len(set(keys)) == len(keys)
    assert all(1 < len(name) <= LONGEST for name in name_like(text))


@pytest.mark.parametrize(
    "piece", ["a B ", "\n\n\n\nAb c", "A", "Ab ", "Aa of ", '"', '"a', "叫", "A.", "Ab" + " " * 50, "Ok "]
)
def test_long_odd_texts_are_read_in_one_pass(piece: str) -> None:
    """Some of these took seconds, quadratic in their length."""
    name_like((piece * 20_000)[:20_000])
