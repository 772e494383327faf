"""The values of a string field, for its description: the fields stay strings, so that a new code breaks no client."""

from enum import StrEnum


def listed(codes: type[StrEnum]) -> str:
    """Return all values of an enumeration as one phrase: `A, B or C`."""
    *most, last = (code.value for code in codes)
    return f"{', '.join(most)} or {last}"
