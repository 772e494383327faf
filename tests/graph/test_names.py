import time
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from graph.errors import InvalidInput
from graph.names import MAX_NAME, check_name, cut_marks, fold, identity_key, loose_key, trim

# Plain text of any script, lone surrogates included, and text dense in the characters these functions treat specially.
ANY_TEXT = st.text(st.characters(codec=None), max_size=40)
ODD_TEXT = st.text(
    "aÀßİıſøé漢汉乾5.7- \t\u00a0'`\u2019\u00b4\"“”()（）「」《》[]，,:;。、·・‐—ⅷ"
    "\u200b\u200d\ufeff\u0301\u0345\u0338\u3099\u304b\u1112\u1161\ud800",
    max_size=12,
)
NAMES = ANY_TEXT | ODD_TEXT


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("Alice", "alice"),
        ("  Alice \t Johnson\n", "alice johnson"),
        ("Ａｌｉｃｅ　Ｊｏｈｎｓｏｎ", "alice johnson"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Cafe\u0301", "café"),
        ("Al\u200bi\u00adce\u202e", "alice"),
        ("e\u200d\u0301", "é"),
        ("Norf’k", "norf'k"),
        ("Norf´k", "norf'k"),
        ("Jean–Luc", "jean-luc"),
        ("列夫•托尔斯泰", "列夫·托尔斯泰"),
        ("アルベルト・アインシュタイン", "アルベルト·アインシュタイン"),
        ("“Going Away”", "going away"),
        ("「阿Ｑ」", "阿q"),
        ("《红楼梦》，", "红楼梦"),
        ("(“Alice”,):", "alice"),
        ("''Alice''", "alice"),
        ("津巴布韦，", "津巴布韦"),
        ("Alice;", "alice"),
    ],
)
def test_origin_p6_spellings_of_one_name_share_the_identity_key(written: str, key: str) -> None:
    assert identity_key(written) == key


def test_symbols_that_make_a_name_stay() -> None:
    names = ["C", "C++", "C#", ".NET", "NET", "GPT-4", "GPT-4o", "GPT 4", "Yahoo!", "Yahoo", "U.S.A.", "!!!"]

    assert len({identity_key(name) for name in names}) == len(names)


def test_look_alikes_of_other_scripts_are_other_names() -> None:
    assert identity_key("Alice") != identity_key("\u0410lice")
    assert loose_key("Alice") != loose_key("\u0410lice")


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("柳如是（明末名妓）", "柳如是(明末名妓)"),
        ("(G)I-DLE", "(g)i-dle"),
        ("(a) and (b)", "(a) and (b)"),
        ("(a)(b)", "(a)(b)"),
        ('"a" or "b"', '"a" or "b"'),
        ("(a]", "(a]"),
        ("rock 'n' roll", "rock 'n' roll"),
        ("Get Free (remix)", "get free (remix)"),
    ],
)
def test_brackets_and_quotes_within_a_name_stay(name: str, key: str) -> None:
    assert identity_key(name) == key


@pytest.mark.parametrize(
    "nothing", ["", " ", "\u3000", "。", "，", "《》", '""', "“”", "\u200b", "\ufe0f", "：；", "(「」)"]
)
def test_nothing_but_wrapping_is_no_name(nothing: str) -> None:
    assert identity_key(nothing) == ""
    assert loose_key(nothing) == ""


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("諸葛亮", "诸葛亮"),
        ("乾隆", "干隆"),
        ("José", "Jose"),
        ("Søren Łukasz", "Soren Lukasz"),
        ("Алёна", "Алена"),
        ("J. K. Rowling", "JK Rowling"),
        ("Node.js", "NodeJS"),
        ("E-mail", "email"),
        ("O'Brien", "OBrien"),
        ("列夫·托尔斯泰", "列夫托尔斯泰"),
        ("GPT-4", "GPT 4"),
        (".NET", "net"),
        ("שָׁלוֹם", "שלום"),
    ],
)
def test_variants_share_the_loose_key_only(one: str, other: str) -> None:
    assert loose_key(one) == loose_key(other)
    assert identity_key(one) != identity_key(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("GPT-3.5", "GPT-35"),
        ("GPT-4", "GPT-4o"),
        ("C", "C++"),
        ("C++", "C#"),
        ("2-1", "2.1"),
        ("がき", "かき"),
        ("กา", "ก"),
        ("कि", "क"),
        (".", "-"),
    ],
)
def test_different_names_are_no_variants(one: str, other: str) -> None:
    assert loose_key(one) != loose_key(other)


def test_a_separator_between_digits_stays_however_it_is_spaced() -> None:
    assert loose_key("GPT-3 . 5") == loose_key("gpt 3.5") == "gpt3.5"
    assert loose_key("10 000 Maniacs") == "10 000maniacs"


def test_a_loose_key_depends_on_no_neighbouring_word() -> None:
    assert loose_key("乾隆帝的皇后") == loose_key("乾隆帝") + loose_key("的皇后")


@given(NAMES)
@example("e\u200d\u0301")
@example("\u0345\u0301")
@example("-(a)")
def test_keys_are_idempotent(name: str) -> None:
    key = identity_key(name)
    loose = loose_key(name)

    assert identity_key(key) == key
    assert loose_key(loose) == loose
    assert identity_key(loose) == loose


@given(NAMES)
def test_the_loose_key_follows_from_the_identity_key(name: str) -> None:
    assert loose_key(identity_key(name)) == loose_key(name)
    assert bool(loose_key(name)) == bool(identity_key(name))


@given(NAMES, st.sampled_from([" ", "\t", "\u200b", "\ufeff", "，", ":"]))
def test_what_is_wrapped_around_a_name_makes_no_difference(name: str, around: str) -> None:
    assert identity_key(name + around) == identity_key(name)


@given(st.lists(NAMES, max_size=4).map(" ".join), st.data())
def test_slices_of_a_folded_text_only_need_trimming(text: str, data: st.DataObject) -> None:
    folded = fold(text)
    start = data.draw(st.integers(0, len(folded)))
    piece = folded[start : data.draw(st.integers(start, len(folded)))]

    assert fold(folded) == folded
    assert trim(piece) == identity_key(piece)


@pytest.mark.parametrize("long", ["(" * 200_000 + ")" * 200_000, "'\"" * 200_000, "a " * 200_000, "，。 " * 200_000])
def test_long_input_takes_linear_time(long: str) -> None:
    started = time.perf_counter()

    identity_key(long)
    loose_key(long)

    assert time.perf_counter() - started < 5


def test_a_valid_name_is_returned_as_it_is_shown() -> None:
    assert check_name("  Alice  Johnson ", "input.subject") == "Alice  Johnson"
    assert check_name("あ" * MAX_NAME, "input.subject") == "あ" * MAX_NAME
    assert check_name("👩‍🚀", "input.subject") == "👩‍🚀"


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("", "NAME_EMPTY"),
        ("《》", "NAME_EMPTY"),
        ("\u200b", "NAME_EMPTY"),
        ("a" * (MAX_NAME + 1), "NAME_TOO_LONG"),
        ("\ufdfa" * (MAX_NAME // 10), "NAME_TOO_LONG"),
        ("a\x00b", "NAME_INVALID_CHARACTERS"),
        ("a\ud800b", "NAME_INVALID_CHARACTERS"),
        ("a\nb", "NAME_INVALID_CHARACTERS"),
        ("a\u2028b", "NAME_INVALID_CHARACTERS"),
        ("a\x1b[8m", "NAME_INVALID_CHARACTERS"),
    ],
)
def test_what_is_no_name_is_refused_with_its_reason(name: str, code: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_name(name, "input.subject")

    assert refused.value.code == code
    assert refused.value.path == "input.subject"
    str(refused.value).encode()


def test_a_run_of_marks_is_compared_by_its_first_thirty() -> None:
    thirty = "x" + "\u0330" * 30
    assert fold(thirty + "\u0330" * 5) == fold(thirty) != fold(thirty[:-1])
    assert cut_marks(thirty) == 0
    assert cut_marks(thirty + "\u200d\u0330") == 31, "a joiner between two marks parts them for nobody"
    with pytest.raises(InvalidInput, match="31 combining marks"):
        check_name(thirty + "\u0330", "name")


def test_every_character_that_becomes_a_mark_counts_as_one() -> None:
    def is_missed(point: int) -> bool:
        character = chr(point)
        if 0xD800 <= point <= 0xDFFF or cut_marks(character * 31):
            return False
        forms = (unicodedata.normalize("NFKD", form) for form in (character, character.casefold()))
        return any(form and unicodedata.combining(form[0]) for form in forms)

    assert [hex(point) for point in range(0x110000) if is_missed(point) and fold(chr(point))] == []


@given(st.text(st.sampled_from("a\u0301\u0344\u0334\u0345\u3099\uff9e\u200d\u0f73 ."), max_size=200))
def test_folding_marks_is_idempotent_and_leaves_no_long_run(text: str) -> None:
    folded = fold(text)
    assert fold(folded) == folded
    assert cut_marks(folded) == 0
