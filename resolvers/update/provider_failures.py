"""What went wrong between us and a language model's provider, read from exceptions whose classes we do not import.

Pure: by class name, status, headers and body, so that it serves every provider, most of whose libraries are not here.
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from pydantic import ValidationError

from resolvers.update.observer_port import FailureCode
from resolvers.update.prompts import Prompt

_TRANSPORT: Final[Mapping[str, FailureCode]] = {
    "TimeoutError": FailureCode.TIMEOUT,
    "APITimeoutError": FailureCode.TIMEOUT,
    "TimeoutException": FailureCode.TIMEOUT,
    "APIConnectionError": FailureCode.UNREACHABLE,
    "TransportError": FailureCode.UNREACHABLE,
    "ConnectionError": FailureCode.UNREACHABLE,
}
"""By class name, the nearest first: the providers' libraries share names, and most of them are not installed."""


def transport_code(cause: BaseException | None) -> FailureCode | None:
    """Return why a request did not arrive or was not answered; None where it was."""
    names = (kind.__name__ for kind in type(cause).__mro__)
    return next((_TRANSPORT[name] for name in names if name in _TRANSPORT), None)


def status_of(cause: BaseException | None) -> int | None:
    """Return the HTTP status behind a provider's exception."""
    for name in ("status_code", "code"):
        status = getattr(cause, name, None)
        if isinstance(status, int):
            return status
    return None


_OVERLOADED: Final = frozenset({429, 529})
_REQUEST_TIMEOUT: Final = 408
_SERVERS_FAULT_FROM: Final = 500


def code_of_status(status: int) -> FailureCode:
    """Return what an HTTP status means for a batch."""
    if status in {401, 403}:
        return FailureCode.UNAUTHORIZED
    if status in _OVERLOADED:
        return FailureCode.RATE_LIMITED
    if status == _REQUEST_TIMEOUT:
        return FailureCode.TIMEOUT
    return FailureCode.SERVER_ERROR if status >= _SERVERS_FAULT_FROM else FailureCode.BAD_REQUEST


def is_lasting(code: FailureCode, cause: BaseException | None, *, foreign: bool) -> bool:
    """Tell whether the same batch would fail again, however long one waits."""
    if code is FailureCode.RATE_LIMITED:
        return getattr(cause, "code", None) == "insufficient_quota"
    if code is FailureCode.SERVER_ERROR:
        return foreign or isinstance(cause, json.JSONDecodeError)  # instructor has asked again
    return code in {
        FailureCode.UNAUTHORIZED,
        FailureCode.BAD_REQUEST,
        FailureCode.TRUNCATED,
        FailureCode.REFUSED,
    }


def retry_after_ms(cause: BaseException | None) -> int | None:
    """Return how long a provider asks to wait, in milliseconds."""
    headers = getattr(getattr(cause, "response", None), "headers", None)
    if headers is None:
        return None
    for name, unit in (("retry-after-ms", 1), ("retry-after", 1000)):
        try:
            return max(0, int(float(headers.get(name, "")) * unit))
        except (ValueError, OverflowError):
            continue
    try:
        at = parsedate_to_datetime(headers.get("retry-after", ""))
    except (TypeError, ValueError):
        return None
    return max(0, int((at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds() * 1000))


_MOST_WORDS: Final = 200
_ECHO: Final = 16
"""Characters in a row by which a server's words are taken for an echo of the prompt."""


def server_words(cause: BaseException | None, prompt: Prompt, key: str | None) -> str:
    """Return what the server says about a refused request, unless it repeats what it was sent."""
    body = getattr(cause, "body", None)
    if not isinstance(body, dict):
        return ""
    words = next((each for name in ("message", "detail") if isinstance(each := body.get(name), str)), "")
    words = " ".join(words.split())
    if key and key.strip():
        words = words.replace(key.strip(), "***")
    words = words[:_MOST_WORDS]
    if not words or any(words[at : at + _ECHO] in prompt.user for at in range(max(1, len(words) - _ECHO + 1))):
        return ""
    return f" ({words})"


_FAULTS_SHOWN: Final = 3


def faults_in(error: ValidationError) -> str:
    """Say where an answer is no plan, without what stood there."""
    faults = error.errors(include_url=False, include_context=False, include_input=False)
    shown = [f"{'.'.join(map(str, fault['loc'])) or 'answer'}: {fault['msg']}" for fault in faults[:_FAULTS_SHOWN]]
    more = len(faults) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more > 0 else "")
