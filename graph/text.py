"""Text as search terms: the same analysis for what is stored and for what is asked.

Terms are ours, not the database's: Latin words without function words and by their English stem, scripts without word
boundaries as bigrams (a lone character as itself), Traditional Chinese as Simplified, no case, no diacritics. The graph
stores them next to the text, indexed with an analyser that only splits at blanks, so what matches here matches there.
A stored term carries the token of its space in front (`s3f9a…`): a search for it cannot leave its space, and its
document frequency is that of its space alone, whatever else the database holds.
"""

import re
import threading
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2s
from itertools import pairwise
from typing import Final

import snowballstemmer

from graph.function_words import CHINESE_CHARACTERS, CHINESE_WORDS, ENGLISH, ENGLISH_FORMULAS
from graph.names import fold, plain_letters

MAX_TERM: Final = 64
"""Longer runs of letters (keys, hashes, words without blanks) are kept by their first 64 characters."""

# Scripts written without blanks between words: kana, Han, Hangul, Thai, Lao, Khmer, Burmese.
_UNSPACED: Final = (
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\uff66-\uff9f"
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\U00020000-\U0003ffff"
)
# Vowel signs and other marks that belong to a word although they are no letters.
_MARKS: Final = "\u0300-\u036f\u0591-\u05bd\u0610-\u061a\u064b-\u065f\u0670\u0900-\u0963\u0966-\u0dff"
UNSPACED: Final = re.compile(f"[{_UNSPACED}]")
WORD: Final = re.compile(f"[{_UNSPACED}]+|(?:(?![{_UNSPACED}])[^\\W_]|[{_MARKS}])+")
"""A run of unspaced script, or one word of any other."""
_NO_CONTENT: Final = "the"


class _Stemmer(threading.local):
    """One stemmer a thread: it keeps the word it works on in itself, and imports analyse beside recalls."""

    def __init__(self) -> None:
        self.stem = snowballstemmer.stemmer("english").stemWord


_STEMMER: Final = _Stemmer()


def search_terms(text: str) -> tuple[str, ...]:
    """Return the content terms of a text in order, with repetitions; function words are left out.

    >>> search_terms("Her brothers live in 北京大学")
    ('brother', 'live', '北京', '京大', '大学')
    """
    return folded_terms(fold(text))


def folded_terms(folded: str) -> tuple[str, ...]:
    """Return the content terms of a folded text; see `search_terms`."""
    words = WORD.findall(plain_letters(folded))
    formulas = [place for place, pair in enumerate(pairwise(words)) if pair in ENGLISH_FORMULAS]
    for place in formulas:
        words[place] = words[place + 1] = _NO_CONTENT
    return tuple(term for word in words for term in _terms_of(word))


def _terms_of(word: str) -> Iterable[str]:
    if not UNSPACED.match(word):
        return () if word in ENGLISH else (_stem(word[:MAX_TERM]),)
    if word in CHINESE_WORDS:
        return ()
    if len(word) == 1:
        return () if word in CHINESE_CHARACTERS else (word,)
    pairs = (word[start : start + 2] for start in range(len(word) - 1))
    return (pair for pair in pairs if not is_function_pair(pair))


def is_function_pair(pair: str) -> bool:
    """Tell whether two ideographs are grammar only."""
    return pair in CHINESE_WORDS or (pair[0] in CHINESE_CHARACTERS and pair[1] in CHINESE_CHARACTERS)


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    stemmed: str = _STEMMER.stem(word)
    return stemmed


def scope_token(*scope: str) -> str:
    """Return the token of a space, or of a conversation in a space: letters and digits only, 11 of them.

    40 bits: two of a thousand scopes collide with a probability of one in two million, and every hit is checked
    against its space once more.
    """
    return "s" + blake2s("\0".join(scope).encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()


def scoped(terms: Iterable[str], token: str) -> str:
    """Return terms as the graph stores them: distinct order kept, each behind the token of its scope."""
    return " ".join(token + term for term in terms)


def unscoped(stored: str, token: str) -> tuple[str, ...]:
    """Return the terms of a stored text, the inverse of `scoped`."""
    return tuple(term[len(token) :] for term in stored.split(" ") if term)


def lucene_query(terms: Iterable[str], token: str) -> str:
    """Return the full-text query for any of the terms; empty when there are none.

    Terms hold letters, digits and marks only, so nothing in them is syntax; the token in front keeps `and`, `or` and
    `not` words.
    """
    return " ".join(f"{token}{term}" for term in terms)
