"""RELATION: whom the named entities relate to, one hop. PHRASE when the text names the relation, else NEIGHBOUR."""

from collections.abc import Iterable, Iterator

from graph.names import identity_key
from graph.text import UNSPACED, search_terms
from resolvers.recall.collected import NeighbourRow
from resolvers.recall.values import Channel, Found, RelationStep, Signal, Target, TargetType


def relation_signals(
    rows: Iterable[NeighbourRow], named: frozenset[str], folded: str, terms: frozenset[str]
) -> Iterator[Found]:
    """Yield a signal for each neighbour of an entity the text names.

    Args:
        rows: relations of all bearers of any name asked for.
        named: uuids of the entities whose name stands in the text, outside every longer one.
        folded: the text, folded as names are.
        terms: the text's content terms.
    """
    for row in rows:
        if row.source not in named:
            continue
        phrase = is_in_text(row.relation, folded, terms)
        step = (
            RelationStep(row.source, row.uuid, row.relation)
            if row.outgoing
            else RelationStep(row.uuid, row.source, row.relation)
        )
        strength = min(1.0, max(0.0, row.strength))
        reason = (
            f"the text names somebody and the relation {row.relation!r}"
            if phrase
            else f"is a neighbour ({row.relation!r}) of somebody the text names"
        )
        channel = Channel.PHRASE if phrase else Channel.NEIGHBOUR
        yield Found(Target(TargetType.ENTITY, row.uuid), Signal(channel, row.strength, strength, reason, path=(step,)))


def is_in_text(relation: str, folded: str, terms: frozenset[str]) -> bool:
    """Tell whether the relation's own words stand in the text; function words alone never do.

    In a script without blanks the whole name must stand there; else each of its words, in any form of the word.
    """
    key = identity_key(relation)
    if UNSPACED.search(key):
        return key in folded
    words = search_terms(relation)
    return bool(words) and terms.issuperset(words)
