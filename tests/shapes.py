"""Texts of any length that have one thing in common: a character, a pair, a word, a bracket that is never closed."""

from collections.abc import Callable
from typing import Final

Shape = Callable[[int], str]


def _again(piece: str) -> Shape:
    return lambda length: (piece * (length // len(piece) + 1))[:length]


def _counted(word: str) -> Shape:
    return lambda length: " ".join(f"{word}{number}" for number in range(length // (len(word) + 5) + 1))[:length]


def _nested(opening: str, closing: str) -> Shape:
    return lambda length: opening * (length // 2) + closing * (length // 2)


def _between(first: str, piece: str, last: str) -> Shape:
    return lambda length: first + piece * ((length - len(first) - len(last)) // len(piece)) + last


def _in_halves(first: str, last: str) -> Shape:
    return lambda length: first * (length // 2) + last * (length // 2)


SHAPES: Final[dict[str, Shape]] = {
    "one letter": _again("a"),
    "one capital": _again("A"),
    "letters": _again("abcdefghij"),
    "single letters": _again("a "),
    "single capitals": _again("A "),
    "capitals with stops": _again("J. "),
    "stops inside": _again("a.b."),
    "words": _again("lorem ipsum dolor sit amet "),
    "counted words": _counted("word"),
    "names": _again("Alice Smith "),
    "counted names": _counted("Alice"),
    "names of grammar": _again("The The Of "),
    "particles": _between("Otto", " von", " Bismarck"),
    "mentioned": _again("mentioned by the user "),
    "further": _between("no ", "further other ", "information x"),
    "named again": _between("Alice ", "alice and alice ", "was mentioned"),
    "digits": _again("1234567890"),
    "numbers": _again("12 "),
    "decimals": _again("3.5-"),
    "hexadecimal": _again("0123456789ab"),
    "a long uuid": _again("deadbeef-"),
    "blanks": _again(" "),
    "blanks in a word": _between("a", " ", "b"),
    "ideographic blanks": _between("a", "\u3000", "b"),
    "newlines": _again("\n"),
    "newlines and tabs": _between("a", "\n\t", "b"),
    "lines": _again("Alice: hello\n"),
    "colons": _again("a:"),
    "commas": _again("a,"),
    "semicolons at the end": _between("a", ";", ""),
    "hyphens": _again("-"),
    "hyphenated": _again("a-"),
    "kinds of dash": _again("\u2010\u2014\u2212"),
    "underscores": _again("_"),
    "words and underscores": _again("a_"),
    "apostrophes": _again("'"),
    "apostrophes inside": _again("O'"),
    "kinds of apostrophe": _again("\u2019\u00b4\u02bc"),
    "quotes": _again('"'),
    "quoted": _again('"a" '),
    "opening quotes": _again("\u201c"),
    "curly quoted": _again("\u201cAlice\u201d"),
    "titles": _again("《三体》"),
    "opening titles": _again("《"),
    "corner brackets": _again("「"),
    "opening brackets": _again("("),
    "nested brackets": _nested("(", ")"),
    "square brackets": _nested("[", "]"),
    "closed brackets": _again("()"),
    "braces": _again("{"),
    "JSON begun": _again('{"a":['),
    "JSON objects": _again('{"a":1} '),
    "symbols": _again("+#!"),
    "words and symbols": _again("C++ "),
    "mixed symbols": _again("a+b#c!"),
    "fence and blanks": _between("```json", " ", "x"),
    "fences": _again("```"),
    "fence and newlines": _between("```", "\n", "x```y"),
    "thoughts": _again("<think>"),
    "ended thoughts": _again("</think>"),
    "thought and blanks": _between("</think>", " ", "x</think>"),
    "tags": _again("<a>"),
    "links": _again("https://example.org/a?b=c&d "),
    "one link": _between("https://example.org/", "a/", "?q"),
    "labels": _again("[A1]: "),
    "one mark": _between("a", "\u0301", ""),
    "marks out of order": _in_halves("\u0344", "\u0334"),
    "marks by turns": _again("\u0334\u0301\u0316"),
    "marked letters": _again("a\u0301\u0323"),
    "marks between joiners": _again("\u0301\u200d\u0334"),
    "enclosing marks": _again("\u20dd"),
    "half-width voicing": _in_halves("\uff9e", "\u0334"),
    "iotas below": _again("\u0345"),
    "joiners": _again("\u200d"),
    "letters and joiners": _again("a\u200b"),
    "variation selectors": _again("\u2764\ufe0f"),
    "flags": _again("\U0001f1e8\U0001f1f3"),
    "emoji": _again("\U0001f600"),
    "families": _again("\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    "emoji between blanks": _again("\U0001f600 "),
    "wide letters": _again("\uff21"),
    "ligatures": _again("\ufb03\ufdfa"),
    "sharp letters": _again("\u00df\u0130"),
    "Chinese": _again("今天我和小王去杭州看西湖"),
    "one ideograph": _again("王"),
    "called": _again("叫林小雨"),
    "called on": _between("名叫", "王", ""),
    "pronouns": _again("我他"),
    "traditional": _again("廣東話"),
    "Chinese and Latin": _again("小王a"),
    "Chinese mentioned": _again("用户提到了"),
    "lacking": _between("暂无", "更多其他", "信息x"),
    "function words": _again("没关系"),
    "kana": _again("ひらがなカタカナ"),
    "half-width kana": _again("ｶﾞ"),
    "long vowels": _between("カ", "ー", ""),
    "Hangul": _again("한국어"),
    "jamo": _again("\u1112\u1161\u11ab"),
    "Thai": _again("ภาษาไทย"),
    "Hindi": _again("हिन्दी"),
    "Arabic": _again("العَرَبِيَّة "),
    "Hebrew": _again("עִבְרִית "),
    "Greek": _again("\u0390\u1f80"),
    "Cyrillic": _again("Анна "),
    "scripts by turns": _again("aя王ก가あא"),
    "bidi controls": _again("\u202ea\u202c"),
    "surrogates": _again("\ud800"),
    "private use": _again("\ue000"),
    "replacement": _again("\ufffd"),
}
