import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from resolvers.recall import normalise
from resolvers.recall.fuse import WEIGHTS
from resolvers.recall.normalise import CALIBRATIONS, USUAL_CALIBRATION, Calibration, Rarity
from resolvers.recall.values import Channel

unit = st.floats(0, 1)
rarities = st.builds(
    Rarity, st.integers(0, 10**7), st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 2 * 10**7), max_size=6)
)


@given(st.floats(0, 1000), unit)
def test_a_name_is_in_the_unit_range_and_grows_with_length_and_rarity(units: float, rarity: float) -> None:
    value = normalise.name(units, rarity)

    assert 0 <= value <= 1
    assert normalise.name(units + 1, rarity) >= value
    assert normalise.name(units, 1.0) >= value


@given(st.floats(normalise.DIRECT_UNITS, 100), unit)
def test_the_weakest_direct_name_beats_all_other_channels_together(units: float, rarity: float) -> None:
    others = math.prod(1 - weight for channel, weight in WEIGHTS.items() if channel is not Channel.NAME)

    assert WEIGHTS[Channel.NAME] * normalise.name(units, rarity) > 1 - others


@given(rarities, st.sampled_from("abcxyz"))
def test_idf_is_positive_and_never_above_that_of_an_unheard_term(rarity: Rarity, term: str) -> None:
    assert 0 < rarity.idf(term) <= rarity.highest


@given(st.integers(1, 10**6), st.data())
def test_the_commoner_a_term_the_lower_its_idf(documents: int, data: st.DataObject) -> None:
    rare, common = sorted(data.draw(st.tuples(st.integers(0, documents), st.integers(0, documents))))
    rarity = Rarity(documents, {"rare": rare, "common": common})

    assert rarity.idf("rare") >= rarity.idf("common")


@given(
    rarities, st.dictionaries(st.sampled_from("abcxyz"), st.integers(1, 1000), min_size=1), st.integers(0, 500), unit
)
def test_text_is_in_the_unit_range_whatever_matches(
    rarity: Rarity, shared: dict[str, int], more: int, share: float
) -> None:
    score = normalise.bm25(shared, sum(shared.values()) + more, rarity)

    assert score >= 0
    assert 0 <= normalise.text(score, share, rarity.highest) <= 1


@given(rarities, st.integers(1, 50), st.integers(1, 50))
def test_a_long_statement_is_worth_less_than_a_short_one_of_the_same_matches(
    rarity: Rarity, length: int, more: int
) -> None:
    short, long = (normalise.bm25({"a": 1}, each, rarity) for each in (length, length + more))

    assert long < short


def test_origin_p4_a_score_does_not_saturate_with_a_few_shared_words() -> None:
    """One common word of six shared with a statement, in a space of a thousand documents."""
    rarity = Rarity(1000, {"common": 300})
    score = normalise.bm25({"common": 1}, 12, rarity)
    share = rarity.idf("common") / (rarity.idf("common") + 5 * rarity.highest)

    assert normalise.text(score, share, rarity.highest) < 0.1


@given(st.floats(-1, 1), st.floats(-0.5, 0.9), st.floats(0.01, 1))
def test_a_cosine_is_in_the_unit_range_and_nothing_below_the_floor(cosine: float, floor: float, span: float) -> None:
    value = normalise.vector(cosine, Calibration(floor, span))

    assert 0 <= value <= 1
    assert (value == 0) == (cosine <= floor)


@pytest.mark.parametrize("calibration", [*CALIBRATIONS.values(), USUAL_CALIBRATION])
def test_equal_texts_are_certain_with_every_calibration(calibration: Calibration) -> None:
    assert normalise.vector(1.0, calibration) == 1.0
    assert normalise.vector(calibration.floor + calibration.span / 2, calibration) == pytest.approx(0.5)


@given(st.floats(-(10**9), 10**9), st.floats(1, 10**7))
def test_decay_is_in_the_unit_range_and_halves_with_the_half_life(age: float, half_life: float) -> None:
    value = normalise.decay(age, half_life)

    assert 0 <= value <= 1
    assume(age >= 0)
    assert normalise.decay(age + half_life, half_life) == pytest.approx(value / 2, abs=1e-12)


def test_decay_by_the_designs_half_lives() -> None:
    minutes, hours = 60.0, 3600.0

    assert normalise.decay(0, 15 * minutes) == 1
    assert normalise.decay(15 * minutes, 15 * minutes) == 0.5
    assert normalise.decay(48 * hours, 24 * hours) == 0.25
    assert normalise.decay(-5 * minutes, 15 * minutes) == 1, "a clock a little ahead is now"
