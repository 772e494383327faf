"""Attacks collected outside this repository, each against a small schema behind the real guards.

Read from the folder that IMPRESSIONS_TEST_DATA names, else beside the checkout; skipped where there is none.
"""

import json
import os
import re
import time
from pathlib import Path

import pytest

from tests.api.small_service import codes, post, small_app

ATTACKS = (
    Path(os.environ.get("IMPRESSIONS_TEST_DATA", Path(__file__).parents[3] / "shared" / "data")) / "graphql_attacks"
)
FILES = sorted(ATTACKS.glob("*.graphql")) + sorted(ATTACKS.glob("*.json"))
FIELDS = {
    "ENTITIES": "entities",
    "ENTITY_BY_ID": "entityById",
    "RECALL": "recall",
    "UPSERT_ENTITY": "upsertEntity",
    "RELATIONS": "relations",
    "TARGET": "target",
    "SUBJECT": "subject",
}
APP = small_app()

# What each is refused with; None where it is ordinary and answered. The others are refused without a code of ours.
EXPECTED: dict[str, str | None] = {
    "04": "DEPTH_LIMIT",
    "05": "DEPTH_LIMIT",
    "11": "DEPTH_LIMIT",
    "13": "TOKEN_LIMIT",
    "18": None,
    "20": None,
    "21": None,
    "25": "OPERATION_NAME_REQUIRED",
    "26": "TOKEN_LIMIT",
    "34": "BAD_REQUEST",
    "35": "BAD_REQUEST",
    "37": None,
    "38": "BAD_REQUEST",
}


def with_fields_of_this_schema(file: Path) -> str:
    longest_first = "|".join(sorted(FIELDS, key=len, reverse=True))
    return re.sub(longest_first, lambda token: FIELDS[token[0]], file.read_text())


@pytest.mark.skipif(not FILES, reason="the collection of attacks is not on this machine")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
async def test_an_attack_is_refused_or_harmless(file: Path) -> None:
    text = with_fields_of_this_schema(file)
    body = text.encode() if file.suffix == ".json" else json.dumps({"query": text}).encode()
    started = time.process_time()

    response = await post(APP, body)

    assert time.process_time() - started < 5, "seconds of this process, whatever else the machine does"
    assert response.status_code in {200, 400}
    assert "Traceback" not in response.text
    expected = EXPECTED.get(file.name[:2], "refused")
    if expected is None:
        assert "errors" not in response.json()
    elif expected == "refused":
        assert response.json()["errors"]
    else:
        assert codes(response) == [expected]
