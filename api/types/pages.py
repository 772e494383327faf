"""Connections in Relay's form: pages of a total order, after a cursor."""

import base64
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

import strawberry
from pydantic import TypeAdapter

from api.sizes import OF_PAGE, sized
from api.types.entities import Entity
from graph.errors import InvalidInput
from resolvers.reading import EntityPage

MOST_KEYS: Final = 200
_PLACE: Final = TypeAdapter(tuple[str, str])
_NO_CURSOR: Final = "this is no cursor of this connection"


@strawberry.type
class PageInfo:
    has_next_page: bool
    has_previous_page: bool
    start_cursor: str | None
    end_cursor: str | None


@strawberry.type
class EntityEdge:
    node: Entity
    cursor: str


@strawberry.type(description="One page of entities, in the order of their subjects.")
class EntityConnection:
    edges: list[EntityEdge] = strawberry.field(metadata=OF_PAGE)
    page_info: PageInfo

    @classmethod
    def of(cls, page: EntityPage, after: str | None) -> "EntityConnection":
        edges = [
            EntityEdge(node=Entity.of(each), cursor=cursor_of((each.subject, each.uuid))) for each in page.entities
        ]
        return cls(
            edges=edges, page_info=page_info([edge.cursor for edge in edges], has_more=page.has_more, after=after)
        )


@strawberry.type(description="A name and the entity it leads to, as identity decisions see it.")
class KnownEntityIdentity:
    entity: Entity
    subject_key: str = strawberry.field(description="The subject as it is compared.")
    alias_keys: list[str] = strawberry.field(
        description=f"The aliases as they are compared, deprecated ones too; of {MOST_KEYS} aliases at most.",
        metadata=sized(MOST_KEYS),
    )


@strawberry.type
class KnownEntityIdentityEdge:
    node: KnownEntityIdentity
    cursor: str


@strawberry.type(description="One page of the identity index, in the order of the subjects.")
class KnownEntityIdentityConnection:
    edges: list[KnownEntityIdentityEdge] = strawberry.field(metadata=OF_PAGE)
    page_info: PageInfo


def page_info(cursors: Sequence[str], *, has_more: bool, after: str | None) -> PageInfo:
    """Return the page info for the cursors of a page."""
    return PageInfo(
        has_next_page=has_more,
        has_previous_page=after is not None,
        start_cursor=cursors[0] if cursors else None,
        end_cursor=cursors[-1] if cursors else None,
    )


def cursor_of(place: tuple[str, str]) -> str:
    """Write a place in the order as an opaque cursor."""
    return base64.urlsafe_b64encode(json.dumps(place).encode()).decode()


def place_of(cursor: str | None) -> tuple[str, str]:
    """Read a cursor; None is the place before the first.

    Raises:
        InvalidInput: `CURSOR_INVALID`.
    """
    if cursor is None:
        return "", ""
    try:
        place = _PLACE.validate_json(base64.urlsafe_b64decode(cursor.encode()))
    except ValueError as error:
        raise InvalidInput("CURSOR_INVALID", "after", _NO_CURSOR) from error
    return place


def moment_of(cursor: str | None) -> tuple[datetime, str] | None:
    """Read a cursor of things in the order of their moments; None is the place before the first.

    Raises:
        InvalidInput: `CURSOR_INVALID`.
    """
    if cursor is None:
        return None
    at, uuid = place_of(cursor)
    try:
        moment = datetime.fromisoformat(at)
        # Ours are in UTC. One near an end of the calendar passes as a date and fails where it is brought there.
        if moment.tzinfo is not None:
            return moment.astimezone(UTC), uuid
    except (ValueError, OverflowError) as error:
        raise InvalidInput("CURSOR_INVALID", "after", _NO_CURSOR) from error
    raise InvalidInput("CURSOR_INVALID", "after", _NO_CURSOR)
