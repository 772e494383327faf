import pytest
from hypothesis import given
from hypothesis import strategies as st

from resolvers.update.batch import batches
from tests.resolvers.update.given import active


def test_fifty_active_entities_are_all_covered_in_batches_of_eight() -> None:
    sources = [active(f"{number:012x}", minutes_ago=number) for number in range(50)]

    made = batches(sources)

    assert [len(batch.sources) for batch in made] == [8, 8, 8, 8, 8, 8, 2]
    assert [batch.number for batch in made] == list(range(7))
    shown = [each.source.runtime_id for batch in made for each in batch.sources]
    assert shown == [f"{number:012x}" for number in reversed(range(50))]


def test_labels_start_anew_and_lead_to_runtime_ids() -> None:
    first, second = batches([active("b", minutes_ago=1), active("a", minutes_ago=1), active("c")], size=2)

    assert first.labels == {"A1": "a", "A2": "b"}
    assert second.labels == {"A1": "c"}


def test_without_active_entities_the_messages_are_observed_all_the_same() -> None:
    (only,) = batches([])

    assert only.sources == ()
    assert only.labels == {}


def test_a_batch_of_none_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least, not 0"):
        batches([], size=0)


@given(
    st.lists(
        st.tuples(st.integers(0, 5), st.text("0123456789abcdef", min_size=1, max_size=4)),
        unique_by=lambda each: each[1],
    ),
    st.integers(1, 10),
    st.randoms(),
)
def test_order_of_the_sources_makes_no_difference(given_ones: list[tuple[int, str]], size: int, chance: object) -> None:
    sources = [active(runtime_id, minutes_ago=minutes) for minutes, runtime_id in given_ones]
    made = batches(sources, size=size)
    chance.shuffle(sources)  # type: ignore[attr-defined] # random.Random

    assert batches(sources, size=size) == made
    assert sorted(each for batch in made for each in batch.labels.values()) == sorted(each[1] for each in given_ones)
