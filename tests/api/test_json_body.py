from json import JSONDecodeError, dumps

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.json_body import decode_json

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES), st.booleans())
def test_an_object_is_decoded_as_it_was_encoded(body: dict[str, object], ascii_only: bool) -> None:  # noqa: FBT001
    text = dumps(body, ensure_ascii=ascii_only)

    assert decode_json(text) == body
    assert decode_json(text.encode()) == body


def test_a_list_of_objects_and_a_whole_surrogate_pair_pass() -> None:
    assert decode_json(b'[{"a": 1}, {}]') == [{"a": 1}, {}]
    assert decode_json(b'{"a": "\\ud83d\\ude00"}') == {"a": "\U0001f600"}
    assert decode_json(b'{"a": "\\\\ud800"}') == {"a": "\\ud800"}
    assert decode_json(b"[]") == []


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"5",
        b"null",
        b'"x"',
        b"[5]",
        b'[{"a": 1}, null]',
        b"{",
        b"\xff\xfe{}",
        b'{"a": "\xed\xa0\x80"}',
        b'{"a": "\\ud800"}',
        b'{"\\udfff": 1}',
        b'{"a": NaN}',
        b'{"a": -Infinity}',
        b'{"a": ' + b"9" * 5_000 + b"}",
        b'{"a": ' + b"9" * 41 + b"}",
        b"[" * 100_000,
        b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ],
)
def test_anything_else_is_refused_in_one_way(body: bytes) -> None:
    with pytest.raises(JSONDecodeError):
        decode_json(body)


def test_a_message_that_is_already_text_is_checked_as_well() -> None:
    with pytest.raises(JSONDecodeError):
        decode_json('{"a": "\ud800"}')
