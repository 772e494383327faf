from hypothesis import given
from hypothesis import strategies as st

from graph.values import StatementKind
from resolvers.transfer.batches import Batcher, parts, weight
from resolvers.transfer.rows import Row, RowRelation, RowStatement, name


def row(line: int, names: int, statements: int) -> Row:
    return Row(
        line=line,
        id=None,
        subject=name("subject", "subject", "s"),
        aliases=tuple(name(f"alias {number}", "aliases", "s") for number in range(names)),
        statements=tuple(
            RowStatement(StatementKind.FEATURE, f"text {number}", f"text {number}", "", 1.0)
            for number in range(statements)
        ),
        relations=(RowRelation("knows", "somebody", 1.0),),
    )


@given(st.integers(0, 12), st.integers(0, 12), st.integers(2, 9))
def test_parts_say_the_same_within_bounds(names: int, statements: int, most: int) -> None:
    whole = row(1, names, statements)
    cut = list(parts(whole, most))
    assert tuple(alias for part in cut for alias in part.aliases) == whole.aliases
    assert tuple(statement for part in cut for statement in part.statements) == whole.statements
    assert [relation for part in cut for relation in part.relations] == list(whole.relations)
    assert all(weight(part) <= most for part in cut)
    assert len(cut) == max(1, -(-(names + statements) // (most - 1)))


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=20), st.integers(1, 4), st.integers(2, 9))
def test_batches_are_bounded_and_lose_nothing(sizes: list[tuple[int, int]], most_rows: int, most_weight: int) -> None:
    rows = [row(line, *size) for line, size in enumerate(sizes, start=1)]
    batcher = Batcher(most_rows=most_rows, most_weight=most_weight)
    batches = [batch for each in rows for batch in batcher.add(each)] + list(batcher.rest())
    assert all(1 <= len(batch) <= most_rows and sum(map(weight, batch)) <= most_weight for batch in batches)
    assert [part for batch in batches for part in batch] == [part for each in rows for part in parts(each, most_weight)]
    assert list(batcher.rest()) == []
