"""The order in which fragments can be measured: each after those it spreads, each once."""

from collections.abc import Iterable, Iterator, Mapping


def inner_first(spreads: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield the name of each fragment after those of the fragments that it spreads.

    Without recursion: a chain of fragments may be longer than the stack. A spread of a fragment that is unknown, or
    that leads back to itself, is passed over: the specified rules report both.

    Args:
        spreads: by the name of each fragment, the names of those it spreads.
    """
    done: set[str] = set()
    for root in spreads:
        path = [(root, iter(spreads[root]))] if root not in done else []
        on_path = {root}
        while path:
            name, inner = path[-1]
            for each in inner:
                if each in spreads and each not in done and each not in on_path:
                    path.append((each, iter(spreads[each])))
                    on_path.add(each)
                    break
            else:
                path.pop()
                on_path.remove(name)
                done.add(name)
                yield name
