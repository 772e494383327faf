"""How long the lists of the schema are at most, said where each list is declared; `api.cost` multiplies them.

Every list in the schema has such a size, or a test fails: it is a bound that the service keeps, not a guess.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

SIZE: Final = "size"
PAGE: Final = "page"


@dataclass(frozen=True, slots=True)
class Size:
    """The length of a list."""

    most: int
    """Whatever is asked for."""
    argument: str | None = None
    """The field's argument that says it: a number, or a list of which it has one item each."""


def sized(most: int, argument: str | None = None) -> Mapping[str, Size]:
    """Return the metadata of a list field of at most so many items, or as many as an argument says."""
    return {SIZE: Size(most, argument)}


def paged(most: int, argument: str | None = None) -> Mapping[str, Size]:
    """Return the metadata of a field whose type holds the list, or lists, marked by `OF_PAGE`."""
    return {PAGE: Size(most, argument)}


OF_PAGE: Final[Mapping[str, None]] = {SIZE: None}
"""The metadata of a list field that is as long as the field above says."""
