"""JSON as it comes from a client: objects and lists of objects, in valid Unicode, with finite numbers."""

import json
import re
from json import JSONDecodeError
from typing import Any, Final, NoReturn

_SURROGATE_ESCAPE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_LONGEST_INTEGER: Final = 40
"""Digits. No number of the schema needs as many, and every larger one would have to be guarded against again."""


def decode_json(text: str | bytes) -> dict[str, Any] | list[dict[str, Any]]:
    """Decode one request body or WebSocket message.

    Raises:
        JSONDecodeError: for everything else, whatever is wrong with it: not UTF-8, not JSON, nested too deeply, NaN or
            an infinity, an integer of more than 40 digits, half a surrogate pair, no object and no list of objects.
    """
    try:
        decoded = _parse(text)
    except JSONDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise _refusal(f"{type(error).__name__} in the JSON text") from error
    if isinstance(decoded, dict) or (isinstance(decoded, list) and all(isinstance(each, dict) for each in decoded)):
        return decoded
    raise _refusal("neither an object nor a list of objects")


def _parse(text: str | bytes) -> Any:
    source = text if isinstance(text, str) else text.decode()
    decoded = json.loads(source, parse_constant=_refuse_constant, parse_int=_read_integer)
    if isinstance(text, str) or _SURROGATE_ESCAPE.search(source):
        # Half a surrogate pair passes the parser and fails here.
        json.dumps(decoded, ensure_ascii=False).encode()
    return decoded


def _refuse_constant(constant: str) -> NoReturn:
    raise _refusal(f"{constant} is not JSON")


def _read_integer(digits: str) -> int:
    if len(digits) > _LONGEST_INTEGER:
        raise _refusal("integer too long")
    return int(digits)


def _refusal(message: str) -> JSONDecodeError:
    return JSONDecodeError(message, "", 0)
