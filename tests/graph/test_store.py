"""The one gate: rows, retries, limits and typed errors, against the real server and against peers that misbehave."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import LiteralString

import pytest

from cypher import Query, QueryError, load
from graph.errors import Conflict, ImpressionsError, SetupError, Unavailable, UnsupportedServer
from graph.neo4j_server import ServerAddress
from graph.rows import Counters, Rows
from graph.store import Connection, Store, Transaction
from tests.cut_line import cuttable_line
from tests.prepared import connection, query, rows

CREATE = Query("test/create", "CREATE (:ServiceMeta {name: $name})", "write", frozenset({"name"}), ())
TOUCH = Query(
    "test/touch",
    "MATCH (meta:ServiceMeta {name: $name}) SET meta.asked = $by RETURN meta.asked AS asked",
    "write",
    frozenset({"name", "by"}),
    ("asked",),
)
DELETE = Query(
    "test/delete", "MATCH (m:ServiceMeta) WHERE m.name IN $names DELETE m", "write", frozenset({"names"}), ()
)
SLOW = query("UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a % (b + 1)) AS sum")


@pytest.fixture
async def names(store: Store) -> AsyncIterator[tuple[str, str]]:
    """Return the names of two nodes that may be made, and are gone afterwards."""
    made = (f"test-{uuid.uuid4()}", f"test-{uuid.uuid4()}")
    yield made
    await store.write(DELETE, names=list(made))


# Rows


def test_one_row_is_one_row() -> None:
    two = ({"a": 1}, {"a": 2})

    assert Rows("q", two[:1], Counters()).one() == {"a": 1}
    assert Rows("q", (), Counters()).one_or_none() is None
    assert Rows("q", two[:1], Counters()).one_or_none() == {"a": 1}
    assert list(Rows("q", two, Counters())) == list(two)
    for wrong in ((), two):
        with pytest.raises(SetupError, match=f"q gave {len(wrong)} rows where exactly one was due"):
            Rows("q", wrong, Counters()).one()
    with pytest.raises(SetupError):
        Rows("q", two, Counters()).one_or_none()


def test_counters_tell_whether_anything_was_written() -> None:
    assert not Counters().any
    assert all(Counters(**{name: 1}).any for name in Counters.__slots__)


async def test_dates_come_back_as_python_has_them_however_deep(store: Store) -> None:
    at = datetime(2026, 9, 1, 12, 30, 15, 250_000, tzinfo=UTC)

    found = await rows(store, "RETURN $at AS at, [{at: $at}, [$at]] AS deep, null AS nothing", at=at)

    assert found == [{"at": at, "deep": [{"at": at}, [at]], "nothing": None}]


async def test_counters_count_what_a_write_changed(store: Store, names: tuple[str, str]) -> None:
    written = await store.write(CREATE, name=names[0])

    assert written.counters == Counters(nodes_created=1, properties_set=1, labels_added=1)
    assert not (await store.write(DELETE, names=[])).counters.any


# Calls


async def test_parameters_are_checked_before_anything_is_sent(store: Store) -> None:
    sent: list[str] = []
    store.observers.append(told := lambda name, _: sent.append(name))
    try:
        with pytest.raises(QueryError, match="missing parameters"):
            await store.read(load("read/load_entities"), space="a")
        with pytest.raises(QueryError, match="unknown parameters"):
            await store.write(CREATE, name="a", other=1)

        async def work(transaction: Transaction) -> None:
            await transaction.run(CREATE)

        with pytest.raises(QueryError):
            await store.transaction("work", work)
    finally:
        store.observers.remove(told)
    assert sent == []


async def test_observers_hear_of_every_round_trip_by_its_name(store: Store) -> None:
    heard: list[tuple[str, bool]] = []
    store.observers.append(told := lambda name, seconds: heard.append((name, seconds >= 0)))

    async def work(transaction: Transaction) -> int:
        await transaction.run(query("RETURN 1"))
        return len((await transaction.run(query("RETURN 2 AS two"))).rows)

    try:
        await store.read(query("RETURN 1", name="first"))
        assert await store.transaction("second", work) == 1
    finally:
        store.observers.remove(told)
    assert heard == [("first", True), ("second", True)]


async def test_a_transaction_that_raises_writes_nothing(store: Store, names: tuple[str, str]) -> None:
    async def work(transaction: Transaction) -> None:
        await transaction.run(CREATE, name=names[0])
        raise KeyError(names[0])

    with pytest.raises(KeyError):
        await store.transaction("work", work)
    assert await rows(store, "MATCH (m:ServiceMeta {name: $name}) RETURN m", name=names[0]) == []


async def test_a_deadlock_is_tried_again(store: Store, names: tuple[str, str]) -> None:
    """Two transactions that take two locks crosswise: the server ends one of them, and both get their work done."""
    for name in names:
        await store.write(CREATE, name=name)
    holds_first = {name: asyncio.Event() for name in names}
    attempts: list[str] = []

    async def crosswise(first: str, second: str) -> None:
        async def work(transaction: Transaction) -> None:
            attempts.append(first)
            await transaction.run(TOUCH, name=first, by=first)
            holds_first[first].set()
            await holds_first[second].wait()
            await transaction.run(TOUCH, name=second, by=first)

        await store.transaction("crosswise", work)

    await asyncio.gather(crosswise(*names), crosswise(*reversed(names)))

    assert len(attempts) > len(names)
    found = await rows(store, "MATCH (m:ServiceMeta) WHERE m.name IN $names RETURN m.asked AS by", names=list(names))
    assert len({row["by"] for row in found}) == 1, "one after the other"


async def test_what_is_written_is_read_by_the_next_call(store: Store, names: tuple[str, str]) -> None:
    await store.write(CREATE, name=names[0])

    assert await rows(store, "MATCH (m:ServiceMeta {name: $name}) RETURN m.name AS name", name=names[0])


# Errors


async def test_a_broken_uniqueness_is_a_conflict(store: Store, names: tuple[str, str]) -> None:
    await store.write(CREATE, name=names[0])

    with pytest.raises(Conflict, match="test/create"):
        await store.write(CREATE, name=names[0])


async def test_a_query_the_server_refuses_names_the_query(store: Store) -> None:
    with pytest.raises(SetupError, match="Neo4j refused test/query"):
        await store.read(query("RETURN nonsense"))
    with pytest.raises(SetupError, match="test/query"):
        await store.explain(query("RETURN nonsense"))


async def test_what_is_deleted_while_a_writer_waits_for_it_is_a_conflict(store: Store, space: str) -> None:
    await store.write(query("CREATE (:Conversation {space: $space})", "space"), space=space)
    async with store.driver.session() as session:
        first = await session.begin_transaction()
        await (await first.run("MATCH (n:Conversation {space: $space}) SET n.lock = 1", space=space)).consume()
        second = asyncio.create_task(
            store.write(query("MATCH (n:Conversation {space: $space}) SET n.lock = 2 SET n:Late", "space"), space=space)
        )
        blocked = (
            "SHOW TRANSACTIONS YIELD status, parameters WHERE status STARTS WITH 'Blocked' RETURN parameters.space"
        )
        while {"parameters.space": space} not in await rows(store, blocked):  # noqa: ASYNC110 -- no event for it
            await asyncio.sleep(0.05)
        await (await first.run("MATCH (n:Conversation {space: $space}) DELETE n", space=space)).consume()
        await first.commit()
    with pytest.raises(Conflict, match="deleted meanwhile"):
        await second


@pytest.mark.parametrize(
    "missing",
    [
        "CALL db.index.fulltext.queryNodes('nobody_made_it', 'x') YIELD node RETURN node",
        "CYPHER 25 MATCH (n:Impression) SEARCH n IN (VECTOR INDEX nobody_made_it FOR [1.0] LIMIT 3) RETURN n",
    ],
)
async def test_a_missing_index_is_retryable_and_says_what_may_be_going_on(store: Store, missing: LiteralString) -> None:
    with pytest.raises(Unavailable, match="test/query asks for: a reindex may be running"):
        await store.read(query(missing))


async def test_a_query_that_takes_too_long_is_unavailable(neo4j_address: ServerAddress) -> None:
    store = await Store.connect(connection(neo4j_address, time_limit=3.0, retry_time=1.0))
    try:
        with pytest.raises(Unavailable) as late:
            await store.read(SLOW)
        assert late.value.retryable
        assert await rows(store, "RETURN 1 AS one") == [{"one": 1}], "usable afterwards"
    finally:
        await store.close()


async def test_a_wrong_password_says_what_to_check(neo4j_address: ServerAddress) -> None:
    with pytest.raises(SetupError, match="NEO4J_PASSWORD") as refused:
        await Store.connect(connection(neo4j_address, password="wrong-and-secret"))

    assert "wrong-and-secret" not in str(refused.value)


async def test_an_unknown_database_says_what_to_check(neo4j_address: ServerAddress) -> None:
    with pytest.raises(SetupError, match="NEO4J_DATABASE"):
        await Store.connect(connection(neo4j_address, database="nowhere"))


@pytest.mark.parametrize("uri", ["", "not an address", "http://127.0.0.1:7687", "bolt://"])
async def test_a_malformed_address_is_named(uri: str) -> None:
    with pytest.raises(ImpressionsError) as refused:
        await Store.connect(Connection(uri, "neo4j", "secret", retry_time=1.0))

    assert isinstance(refused.value, SetupError | Unavailable)
    assert "secret" not in str(refused.value)


@asynccontextmanager
async def peer(answer: bytes | None) -> AsyncIterator[str]:
    """Listen and answer the first bytes with these; with None accept and never say a word."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if answer is None:
            await reader.read()
        else:
            await reader.read(1)
            writer.write(answer)
            await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    try:
        yield f"bolt://{host}:{port}"
    finally:
        server.close()
        await server.wait_closed()


async def test_nothing_listening_is_unavailable() -> None:
    async with peer(None) as uri:
        pass

    async with asyncio.timeout(60):
        with pytest.raises(Unavailable, match="did not answer"):
            await Store.connect(Connection(uri, "neo4j", "secret", retry_time=1.0))


async def test_a_peer_that_accepts_and_never_answers_is_unavailable() -> None:
    async with peer(None) as uri, asyncio.timeout(60):
        with pytest.raises(Unavailable):
            await Store.connect(Connection(uri, "neo4j", "secret", retry_time=1.0))


@pytest.mark.parametrize("answer", [b"", b"HTTP/1.1 200 OK\r\n\r\n", b"\x00\x00\x00\x00"])
async def test_a_peer_that_is_no_neo4j_is_an_error_of_ours(answer: bytes) -> None:
    async with peer(answer) as uri, asyncio.timeout(60):
        with pytest.raises(ImpressionsError):
            await Store.connect(Connection(uri, "neo4j", "secret", retry_time=1.0))


async def test_a_server_that_goes_away_is_unavailable_until_it_is_back(neo4j_address: ServerAddress) -> None:
    """Between us and the server stands a line that is cut."""
    async with cuttable_line(neo4j_address) as line:
        store = await Store.connect(connection(neo4j_address, uri=line.uri, retry_time=1.0))
        try:
            assert await rows(store, "RETURN 1 AS one") == [{"one": 1}]
            await line.cut()
            async with asyncio.timeout(60):
                with pytest.raises(Unavailable):
                    await store.read(query("RETURN 1"))
            await line.mend()
            assert await rows(store, "RETURN 1 AS one") == [{"one": 1}]
        finally:
            await store.close()


# What is shown


def test_a_connection_never_shows_its_password() -> None:
    shown = Connection("bolt://host", "neo4j", "very-secret", database="graph")

    assert "very-secret" not in f"{shown!r} {shown} {[shown]}"
    assert "bolt://host" in repr(shown)


async def test_a_strict_store_takes_remarks_of_the_server_for_errors(store: Store) -> None:
    with pytest.raises(SetupError, match="Neo4j remarks on test/query"):
        await rows(store, "MATCH (a:Entity {uuid: $one}), (b:Entity) RETURN a, b", one="x")


async def test_an_old_server_is_refused_with_the_way_out(
    neo4j_address: ServerAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("graph.store.store.OLDEST_SERVER", (9999, 1))

    with pytest.raises(UnsupportedServer, match=r"needs 9999\.01 or newer: upgrade it, or unset NEO4J_URI"):
        await Store.connect(connection(neo4j_address))
