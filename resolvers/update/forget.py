"""Forget an entity: the one write without a way back, complete in one transaction."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any, Final
from uuid import uuid4

from cypher import load
from graph.errors import NotFound
from graph.names import fold, identity_key
from graph.ports import Clock
from graph.store import Store, Transaction
from graph.term_counts import term_changes
from graph.text import scope_token, scoped, search_terms
from resolvers.recall.spans import units
from resolvers.update.changes import CHANGES, EntityChange, NameChange
from resolvers.update.landing import lock_and_read
from resolvers.update.runs import ConfirmMode, Origin, Run, RunStatus, properties
from resolvers.update.state import StoredEntity
from resolvers.update.vicinity import Vicinity

TELLING_UNITS: Final = 2.0
"""Units from which a name inside another text is more than chance."""
MOST_MENTIONS: Final = 100
"""Statements of others listed for each name at most."""


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten, in numbers, and what of others still speaks of it."""

    run: Run
    mentions: tuple[str, ...]
    """Statements of others and shared evidence, each as it stands."""


async def forget_entity(store: Store, clock: Clock, space: str, uuid: str) -> Forgotten:
    """Forget an entity and everything that was only about it, what was merged into it included.

    Raises:
        NotFound: the space has no such entity.
        Unavailable: the database does not answer; nothing was forgotten, or all of it.
    """

    async def work(transaction: Transaction) -> Forgotten:
        state = await lock_and_read(transaction, space, Vicinity(uuids=(uuid,)))
        entity = state.entities.get(uuid)
        if entity is None:
            raise NotFound(f"no entity {uuid!r} in space {space!r}")
        history = (await transaction.run(load("update/read_history"), uuid=uuid)).one()
        names = _names(entity, history)
        mentions = await _mentions(transaction, space, entity)
        traces = [_trace(text) for text in (*history["uuids"], *names)]
        done = (
            await transaction.run(
                load("update/forget_entity"), space=space, uuid=uuid, uuids=history["uuids"], traces=traces
            )
        ).one()
        run = _run(space, clock, done)
        await transaction.run(load("update/store_run"), run=properties(run))
        step = {"order": 0, "kind": "forget", "payload": "{}", "changes": "[]", "diff": None, "entities": [uuid]}
        await transaction.run(load("update/close_run"), runId=run.id, run=properties(run), steps=[step])
        said = await transaction.run(
            load("update/find_evidence_mentions"),
            space=space,
            traces=[_trace(name, whole=False) for name in names],
            most=MOST_MENTIONS,
        )
        await transaction.run(
            load("update/count_terms"),
            space=space,
            changes=term_changes(scope_token(space), removed=_documents(space, entity)),
        )
        stays = {each["uuid"]: f"evidence: {each['content']}" for each in (*done["shared"], *said)}
        return Forgotten(run, (*mentions, *stays.values()))

    return await store.transaction("forget entity", work)


def _names(entity: StoredEntity, history: Mapping[str, Any]) -> list[str]:
    """Return all names it was ever known by, and those of what was merged into it."""
    uuids = set(history["uuids"])
    names = {name.text for name in entity.names} | {entity.subject, *history["subjects"]}
    for change in chain.from_iterable(map(CHANGES.validate_json, history["changes"])):
        match change:
            case NameChange() if change.entity in uuids:
                names |= {record.text for record in (change.before, change.after) if record}
            case EntityChange() if change.uuid in uuids:
                names |= {record.subject for record in (change.before, change.after) if record}
            case _:
                pass
    return sorted(names)


async def _mentions(transaction: Transaction, space: str, entity: StoredEntity) -> tuple[str, ...]:
    token = scope_token(space)
    found: dict[str, str] = {}
    for name in entity.names:
        if not (terms := search_terms(name.text)):
            continue
        query = " ".join(f"+{token}{term}" for term in dict.fromkeys(terms))
        rows = await transaction.run(
            load("update/find_mentions"), space=space, query=query, uuid=entity.uuid, most=MOST_MENTIONS
        )
        found |= {row["uuid"]: f"{row['owner']}: {row['text']}" for row in rows if fold(name.text) in fold(row["text"])}
    return tuple(found.values())


def _documents(space: str, entity: StoredEntity) -> list[str]:
    texts = [
        *(name.text for name in entity.names),
        *(statement.text for statement in entity.statements),
        *(relation.relation for relation in entity.relations),
    ]
    return [scoped(search_terms(text), scope_token(space)) for text in texts]


def _trace(text: str, *, whole: bool = True) -> dict[str, str]:
    """Return what finds a text inside a longer one, in lower case: as words of its own, not inside others.

    Args:
        text: a name, or an id.
        whole: in stored JSON, where a short name is looked for as a whole string only: a letter is found everywhere.
    """
    part = json.dumps(text, ensure_ascii=False).lower()
    if not whole or units(identity_key(text)) >= TELLING_UNITS:
        part = part[1:-1]
    before = _AFTER_NO_LETTER if _is_letter(part[0]) else ""
    after = _BEFORE_NO_LETTER if _is_letter(part[-1]) else ""
    return {"part": part, "pattern": f"(?s).*{before}{_literally(part)}{after}.*"}


_AFTER_NO_LETTER: Final = r"(?:(?<![\p{L}\p{N}])|(?<=\\[nrt]))"
_BEFORE_NO_LETTER: Final = r"(?![\p{L}\p{N}])"


def _is_letter(character: str) -> bool:
    """Tell whether words of its script are told apart by what stands around them."""
    return character.isalnum() and character < "\u2e80" and not "\u0e00" <= character <= "\u0eff"


def _literally(text: str) -> str:
    """Return a text as a pattern of the database's."""
    return "\\Q" + text.replace("\\E", "\\E\\\\E\\Q") + "\\E"


def _run(space: str, clock: Clock, done: dict[str, object]) -> Run:
    now = clock()
    kinds = ("statements", "relations", "actives", "evidence", "runs", "observations")
    numbers = ", ".join(f"{done[kind]} {kind}" for kind in kinds)
    return Run(
        id=uuid4().hex,
        space=space,
        conversation="",
        origin=Origin.CURATION,
        confirm=ConfirmMode.AUTO,
        status=RunStatus.APPLIED,
        created_at=now,
        updated_at=now,
        reason="an entity was forgotten; this cannot be undone",
        notes=(f"forgotten: {numbers}",),
    )
