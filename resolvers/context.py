"""What a conversation is about, as a block of text for the agent's prompt, within a budget of tokens."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from graph.text import UNSPACED
from graph.values import ActiveEntity, Alias, Entity, EvidenceLink, ProjectedStatement, Statement, StatementKind
from resolvers.reading import MOST_PROJECTED, MOST_STATEMENTS, Reader
from resolvers.recall.values import Match, TargetType

MOST_ENTITIES: Final = 20
_MOST_ACTIVES: Final = 2 * MOST_ENTITIES
"""Active entities that are looked at: several may stand for one entity."""
_NAMES_SHOWN: Final = 20
_EVIDENCE_SHOWN: Final = 3
_SHORTEST_LINE: Final = 2
"""Tokens: a dash and one word."""
_WORD: Final = re.compile(r"\w+|[^\w\s]")
_TOKENS_A_WORD: Final = 1.3
"""Usual of byte-pair vocabularies on English words; an ideograph is about one."""


@dataclass(frozen=True, slots=True)
class Portrait:
    """One thing the conversation is about, with all that could be said of it."""

    entity: Entity | None
    active: ActiveEntity | None
    aliases: tuple[Alias, ...]
    touched: tuple[ProjectedStatement, ...]
    statements: tuple[Statement, ...]
    evidence: tuple[EvidenceLink, ...]


@dataclass(frozen=True, slots=True)
class ContextBlock:
    """A ready prompt block."""

    text: str
    tokens: int
    """Estimated, see `estimate_tokens`."""
    entities: tuple[Entity, ...]
    truncated: bool
    """Whether something was left out for the budget."""


async def context(
    reader: Reader,
    *,
    space: str,
    conversation: str,
    matches: Sequence[Match],
    token_budget: int,
    now: datetime,
) -> ContextBlock:
    """Return what is known of the things a text and its conversation are about.

    Args:
        reader: where to read.
        space: name of the space.
        conversation: name of the conversation.
        matches: of the text to come, the attached of which go first; may be empty.
        token_budget: tokens the block may take.
        now: moment of the request.

    Raises:
        Unavailable: the database did not answer.
    """
    actives = await reader.conversation(space, conversation, include_expired=False, now=now, most=_MOST_ACTIVES)
    named = [match.target.id for match in matches if match.attached and match.target.type is TargetType.ENTITY]
    uuids = list(dict.fromkeys([*named, *(active.bound_uuid for active in actives if active.bound_uuid)]))
    unbound = [active for active in actives if active.bound_uuid is None]
    more = len(uuids) + len(unbound) > MOST_ENTITIES or len(actives) == _MOST_ACTIVES
    uuids = uuids[:MOST_ENTITIES]
    unbound = unbound[: MOST_ENTITIES - len(uuids)]
    bound = [each for each in actives if each.bound_uuid in uuids]
    portraits, cut = await _portraits(
        reader, space, uuids, bound, unbound, most_lines=min(MOST_STATEMENTS, token_budget // _SHORTEST_LINE)
    )
    return await asyncio.to_thread(render, portraits, token_budget, more=more or cut)


async def _portraits(
    reader: Reader,
    space: str,
    uuids: Sequence[str],
    bound: Sequence[ActiveEntity],
    unbound: Sequence[ActiveEntity],
    *,
    most_lines: int,
) -> tuple[list[Portrait], bool]:
    """Return the portraits, with no more lines than there is room for, and whether more is known."""
    entities = await reader.entities(space, uuids)
    aliases = await reader.aliases(space, uuids, _NAMES_SHOWN + 1)
    said, cut = await _statements(reader, space, uuids, most_lines)
    by_uuid = {active.bound_uuid: active for active in bound}
    runtime_ids = [active.runtime_id for active in bound]
    room = max(1, min(MOST_PROJECTED, most_lines))
    touched = dict(zip(runtime_ids, await reader.projected_statements(space, runtime_ids, room), strict=True))
    new_ids = [active.runtime_id for active in unbound]
    evidence = dict(zip(new_ids, await reader.evidence_of_actives(space, new_ids, _EVIDENCE_SHOWN), strict=True))
    known = []
    for entity, names in zip(entities, aliases, strict=True):
        if entity is not None:
            active = by_uuid.get(entity.uuid)
            hits = touched[active.runtime_id] if active else []
            known.append(Portrait(entity, active, tuple(names[:_NAMES_SHOWN]), tuple(hits), said[entity.uuid], ()))
    new = [Portrait(None, active, (), (), (), tuple(evidence[active.runtime_id])) for active in unbound]
    return [*known, *new], cut or any(len(names) > _NAMES_SHOWN for names in aliases)


async def _statements(
    reader: Reader, space: str, uuids: Sequence[str], most_lines: int
) -> tuple[dict[str, tuple[Statement, ...]], bool]:
    """Return each entity's statements, and whether some were left unread because the block cannot show as many.

    The entities take turns in the block: each is read as far as its share, and only where others leave room further.
    """
    found: dict[str, tuple[Statement, ...]] = dict.fromkeys(uuids, ())
    cut, most = list(uuids), max(1, -(-most_lines // max(1, len(uuids))))
    while cut:
        features = await reader.features(space, cut, most)
        impressions = await reader.impressions(space, cut, most)
        found |= {uuid: (*some, *more) for uuid, some, more in zip(cut, features, impressions, strict=True)}
        full = zip(cut, features, impressions, strict=True)
        cut = [uuid for uuid, some, more in full if most in {len(some), len(more)}]
        if most >= most_lines or sum(map(len, found.values())) >= most_lines:
            break
        most = max(1, most_lines)
    return found, bool(cut)


def render(portraits: Sequence[Portrait], token_budget: int, *, more: bool = False) -> ContextBlock:
    """Write the block: one heading a portrait, what the conversation touched first, until the budget is spent."""
    queues = [(_heading(each), _lines(each), each) for each in portraits]
    kept: list[list[str]] = []
    spent, truncated = 0, more
    for heading, _, _ in queues:
        cost = estimate_tokens(heading)
        if spent + cost > token_budget:
            truncated = True
            break
        spent += cost
        kept.append([heading])
    # A line for each in turn, so that the first does not take it all.
    depth = max((len(lines) for _, lines, _ in queues[: len(kept)]), default=0)
    for place in range(depth):
        for block, (_, lines, _) in zip(kept, queues, strict=False):
            if place >= len(lines):
                continue
            cost = estimate_tokens(lines[place])
            if spent + cost > token_budget:
                truncated = True
                continue
            spent += cost
            block.append(lines[place])
    text = "\n".join("\n".join(block) for block in kept)
    entities = tuple(each.entity for _, _, each in queues[: len(kept)] if each.entity)
    return ContextBlock(text, spent, entities, truncated)


def _heading(portrait: Portrait) -> str:
    if portrait.entity:
        names = ", ".join(alias.text for alias in portrait.aliases if not alias.deprecated)
        return f"# {portrait.entity.subject}" + (f" ({names})" if names else "")
    active = portrait.active
    name = (active.subject if active else None) or "somebody or something new"
    return f"# {name} (not in long-term memory yet)"


def _lines(portrait: Portrait) -> list[str]:
    touched = [each.statement for each in portrait.touched]
    seen = {statement.uuid for statement in touched}
    rest = [statement for statement in portrait.statements if statement.uuid not in seen]
    # Facts before opinions; each kind arrives best supported first.
    rest.sort(key=lambda statement: statement.kind is StatementKind.IMPRESSION)
    lines = [_line(statement) for statement in [*touched, *rest]]
    return lines + [f"- said: {link.evidence.content}" for link in portrait.evidence[:_EVIDENCE_SHOWN]]


def _line(statement: Statement) -> str:
    sure = "" if statement.kind is StatementKind.FEATURE else f" (impression, {statement.confidence:.0%} sure)"
    return f"- {statement.text}{sure}"


def estimate_tokens(text: str) -> int:
    """Estimate the tokens a language model counts: one an ideograph, 1.3 a word, one a punctuation mark."""
    total = 0.0
    for piece in _WORD.findall(text):
        ideographs = len(UNSPACED.findall(piece))
        total += ideographs or (_TOKENS_A_WORD if piece[0].isalnum() else 1)
    return round(total + 0.5)
