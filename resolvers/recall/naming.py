"""Whom the caller's mentions and the speaker's first-person words stand for."""

from collections.abc import Iterator

from graph.names import identity_key
from resolvers.recall.asking import Reading
from resolvers.recall.collected import Collected, NameRow
from resolvers.recall.spans import units
from resolvers.recall.text import NamedInText, is_direct
from resolvers.recall.values import (
    AmbiguousName,
    Candidate,
    Channel,
    Found,
    NewMention,
    Signal,
    Target,
    TargetType,
    TextHit,
)


def resolve(reading: Reading, collected: Collected) -> dict[str, Target]:
    """Return the one target of each named key; keys nobody bears, or several entities do, are left out.

    A deprecated name still owns its identity. An active entity mentioned by the name counts where no entity bears it.
    """
    resolved: dict[str, Target] = {}
    for key in reading.named:
        owners = {row.uuid for row in collected.names if row.key == key}
        actives = [active for active in collected.actives if active.live and key in active.mention_keys]
        if len(owners) == 1:
            resolved[key] = Target(TargetType.ENTITY, owners.pop())
        elif not owners and actives:
            resolved[key] = actives[0].target
    return resolved


def mention_signals(reading: Reading, collected: Collected) -> Iterator[Found]:
    """Yield a NAME signal for whom the caller named: as good as a name in the text, and certain."""
    speaker = speaker_key(reading)
    for key, target in resolve(reading, collected).items():
        name = reading.named[key]
        reason = f"{name!r} speaks of itself" if key == speaker else f"the caller's mentions name it {name!r}"
        hit = TextHit("mention", name, (key,), phrase=True)
        yield Found(target, Signal(Channel.NAME, units(key), 1.0, reason, text_hit=hit, direct=key != speaker))


def speaker_key(reading: Reading) -> str | None:
    """Return the speaker's key where first-person words stand for it and no mention does."""
    question = reading.question
    if not question.speaker or not reading.first_person:
        return None
    key = identity_key(question.speaker)
    return None if key in {identity_key(mention) for mention in question.mentions} else key


def new_mentions(reading: Reading, collected: Collected) -> tuple[NewMention, ...]:
    """Return the named whom nobody in the space and the conversation bears."""
    known = {row.key for row in collected.names}
    for active in collected.actives:
        known |= active.mention_keys if active.live else frozenset()
    speaker = speaker_key(reading)
    return tuple(NewMention(name, by_speaker=key == speaker) for key, name in reading.named.items() if key not in known)


def ambiguous(reading: Reading, collected: Collected, named: tuple[NamedInText, ...]) -> tuple[AmbiguousName, ...]:
    """Return the names, in the text or given by the caller, that several entities bear."""
    rows: dict[str, list[NameRow]] = {name.key: list(name.bearers) for name in named if is_direct(name.key)}
    for key in reading.named:
        rows[key] = [row for row in collected.names if row.key == key]
    found = []
    for key, bearers in rows.items():
        candidates = sorted({(row.subject, row.uuid) for row in bearers})
        if len(candidates) > 1:
            name = reading.named.get(key) or bearers[0].text
            found.append(AmbiguousName(name, tuple(Candidate(uuid, subject) for subject, uuid in candidates)))
    return tuple(found)
