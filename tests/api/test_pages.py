"""Cursors: opaque to a client, and refused where they are none of ours."""

from datetime import UTC, datetime

import pytest

from api.types.pages import cursor_of, moment_of, place_of
from graph.errors import InvalidInput
from tests.api.update_api import Api

RUNS = "query($after: String, $space: String!) { updateRuns(space: $space, after: $after) { edges { cursor } } }"


def test_a_cursor_comes_back_as_it_went() -> None:
    at = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
    assert moment_of(cursor_of((at.isoformat(), "u"))) == (at, "u")
    assert moment_of(None) is None
    assert place_of(None) == ("", "")


NONE_OF_OURS = [
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-14:00",
    "2026-03-04T05:06:07",
    "2026-03-04",
    "10000-01-01T00:00:00Z",
    "yesterday",
]


@pytest.mark.parametrize("at", NONE_OF_OURS)
def test_a_moment_out_of_range_or_without_a_zone_is_no_cursor(at: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        moment_of(cursor_of((at, "u")))
    assert refused.value.code == "CURSOR_INVALID"


@pytest.mark.parametrize("at", NONE_OF_OURS)
async def test_the_api_says_so(api: Api, at: str) -> None:
    answer = await api.raw(RUNS, after=cursor_of((at, "u")))
    assert [error["extensions"]["code"] for error in answer["errors"]] == ["CURSOR_INVALID"]
