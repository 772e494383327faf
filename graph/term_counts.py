"""In how many documents of a space each term occurs, kept by every write that adds or removes one.

A document is an entity's name (an `(:Entity)-[:KNOWN_AS]->(:Alias)` edge), an impression, a feature or a relation. It
counts each of its distinct terms once, and the bare token of its space once, whether it has terms or not: so that
counter holds the number of all documents.

The counters are the last thing a transaction writes, all in one statement (`cypher/update/count_terms`), the bare token
first and the others in order: writers of one space queue at that first counter and cannot block each other crosswise.
"""

from collections import Counter
from collections.abc import Iterable


def term_changes(token: str, *, added: Iterable[str] = (), removed: Iterable[str] = ()) -> list[dict[str, str | int]]:
    """Return the parameter `changes` of `update/count_terms`.

    The bare token always comes first, also with nothing to add, because writers queue there; of the other terms those
    whose number stays the same are left out.

    Args:
        token: the token of the space, see `graph.text.scope_token`.
        added: new documents, each by its stored `terms`.
        removed: documents that are gone.
    """
    counts: Counter[str] = Counter()
    for terms in added:
        counts.update({token, *terms.split()})
    for terms in removed:
        counts.subtract({token, *terms.split()})
    total = counts.pop(token, 0)
    changed = sorted((key, by) for key, by in counts.items() if by)
    return [{"key": key, "by": by} for key, by in [(token, total), *changed]]
