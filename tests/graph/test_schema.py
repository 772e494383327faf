"""What stands in the database before anything is stored, and who may work on it."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

import cypher
from cypher import Query
from graph.errors import ModelMismatch, SetupError
from graph.neo4j_server import ServerAddress
from graph.schema import VERSION, Made, VectorSpace, check, prepare, read_made
from graph.store import Store
from tests.prepared import VECTORS, connection, prepared_store, rows
from tests.servers import brief_server

OTHER_VERSION = Query(
    "test/version",
    "MATCH (meta:ServiceMeta {name: 'service'}) SET meta.schemaVersion = $version",
    "write",
    frozenset({"version"}),
    (),
)


def test_the_same_vectors_and_version_pass() -> None:
    check(Made(VERSION, VECTORS), VECTORS)


@pytest.mark.parametrize("made_with", [VectorSpace("other", 512), VectorSpace("fake", 384)])
def test_vectors_of_another_model_or_length_are_refused_with_the_way_out(made_with: VectorSpace) -> None:
    with pytest.raises(ModelMismatch) as refused:
        check(Made(VERSION, made_with), VECTORS)

    for said in (made_with.model, str(made_with.dimensions), VECTORS.model, "`impressions reindex`", "_MODEL back"):
        assert said in str(refused.value)


@pytest.mark.parametrize("configured", [VECTORS, VectorSpace("other", 384)])
def test_an_unfinished_reindex_is_refused_to_either_model_with_the_way_out(configured: VectorSpace) -> None:
    with pytest.raises(ModelMismatch) as refused:
        check(Made(VERSION, VECTORS, VectorSpace("other", 384)), configured)

    for said in ("'other' (384 dimensions)", "IMPRESSIONS_EMBEDDING_MODEL=other", "`impressions reindex`", "goes on"):
        assert said in str(refused.value)


def test_a_newer_version_is_refused_with_the_way_out() -> None:
    with pytest.raises(SetupError, match=f"has schema version {VERSION + 1}, .* run the newer release"):
        check(Made(VERSION + 1, VECTORS), VECTORS)


async def test_preparing_again_only_takes_the_lease_and_looks(store: Store) -> None:
    ran: list[str] = []
    store.observers.append(told := lambda name, _: ran.append(name))
    try:
        await prepare(store, VECTORS)
    finally:
        store.observers.remove(told)

    assert ran[0] == "schema/000_service_meta_name"
    assert {name for name in ran[1:] if name.startswith("schema/")} == set()
    assert ran[-1] == "admin/release_schema_lease"


async def test_a_mismatch_is_found_and_leaves_the_database_usable(store: Store) -> None:
    with pytest.raises(ModelMismatch):
        await prepare(store, VectorSpace("another model", VECTORS.dimensions))

    await prepare(store, VECTORS)
    assert await read_made(store) == Made(VERSION, VECTORS)


async def test_every_index_is_online_and_the_constraints_stand(store: Store) -> None:
    await prepare(store, VECTORS)

    await assert_stands(store)


async def assert_stands(store: Store) -> None:
    indexes = await rows(store, "SHOW INDEXES YIELD name, state, type")
    named = {row["name"] for row in indexes}
    assert {row["state"] for row in indexes} == {"ONLINE"}
    for query in cypher.names("schema"):
        assert query.partition("_")[2] in named, "the file's name is the index's"
    unique = {
        (*row["labelsOrTypes"], *row["properties"])
        for row in await rows(store, "SHOW CONSTRAINTS YIELD labelsOrTypes, properties")
    }
    assert {
        ("Entity", "uuid"),
        ("Impression", "uuid"),
        ("Feature", "uuid"),
        ("RELATES_TO", "uuid"),
        ("Evidence", "uuid"),
        ("Evidence", "space", "hash"),
        ("Alias", "space", "key"),
        ("ActiveEntity", "runtimeId"),
        ("ActiveEntity", "liveKey"),
        ("Term", "key"),
        ("ServiceMeta", "name"),
    } <= unique


@pytest.fixture(scope="module")
async def empty_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[ServerAddress]:
    home: Path = tmp_path_factory.mktemp("own")
    server = brief_server(home)
    try:
        yield await server.start_pinned()
    finally:
        await server.stop(force=True)


@pytest.mark.slow
async def test_four_services_may_start_at_once_on_an_empty_database(empty_server: ServerAddress) -> None:
    async def start() -> None:
        async with prepared_store(empty_server) as store:
            await assert_stands(store)

    await asyncio.gather(*(start() for _ in range(4)))

    async with prepared_store(empty_server) as store:
        metas = await rows(store, "MATCH (meta:ServiceMeta) RETURN properties(meta) AS meta")
        assert [row["meta"] for row in metas] == [
            {
                "name": "service",
                "schemaVersion": VERSION,
                "embeddingModel": VECTORS.model,
                "dimensions": VECTORS.dimensions,
            }
        ]
        await store.write(OTHER_VERSION, version=VERSION + 1)
        with pytest.raises(SetupError, match="run the newer release"):
            await prepare(store, VECTORS)
        assert await rows(store, "MATCH (m:ServiceMeta) RETURN m.lock AS lock, m.schemaVersion AS version") == [
            {"lock": None, "version": VERSION + 1}
        ]
        await store.write(OTHER_VERSION, version=VERSION)

    refused = await Store.connect(connection(empty_server))
    try:
        with pytest.raises(ModelMismatch):
            await prepare(refused, VectorSpace("other", 384))
    finally:
        await refused.close()
