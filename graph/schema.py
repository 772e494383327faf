"""What must stand in the database before anything is stored: constraints, indexes, and who made the vectors.

Versions are numbered and idempotent. One process at a time works on them, by a lease on the one `ServiceMeta` node, so
that any number of services may start at once on an empty database. Single-property uniqueness comes from the neomodel
classes, everything else from `cypher/schema/*.cypher`.
"""

import asyncio
import io
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Final
from uuid import uuid4

from neomodel import adb

import cypher
from cypher import Query, load
from graph.errors import Conflict, ModelMismatch, SetupError, Unavailable
from graph.nodes import STORED
from graph.store import Store

VERSION: Final = 2
"""Grows with every change to `cypher/schema/` or to the classes' uniqueness."""

LEASE_SECONDS: Final = 180
_POLL_SECONDS: Final = 0.5
_DEFINE_ATTEMPTS: Final = 60
_META: Final = "schema/000_service_meta_name"
_VECTORS: Final = "schema/030_statement_vectors"


@dataclass(frozen=True, slots=True)
class VectorSpace:
    """Who made the vectors: a change of either makes stored ones useless."""

    model: str
    dimensions: int
    """Numbers in a vector."""


async def prepare(store: Store, vectors: VectorSpace) -> None:
    """Bring the database to `VERSION`, or see that it stands there already.

    Raises:
        ModelMismatch: its vectors come from another model or have another length.
        SetupError: it was made by a newer release of this service.
        Unavailable: another process holds the schema for longer than its lease.
    """
    await _define(store, load(_META))
    owner = uuid4().hex
    for _ in range(int(LEASE_SECONDS / _POLL_SECONDS)):
        found = (await store.write(load("admin/take_schema_lease"), owner=owner, seconds=LEASE_SECONDS)).one()
        if found["taken"]:
            break
        await asyncio.sleep(_POLL_SECONDS)
    else:
        raise Unavailable("another process has been changing the schema for minutes; look at its log")
    reached, made_with = found["schemaVersion"], VectorSpace(found["embeddingModel"], found["dimensions"])
    try:
        if reached is not None:
            check(reached, made_with, vectors)
        if reached != VERSION:
            await _install(store, vectors)
            reached, made_with = VERSION, vectors
    finally:
        await store.write(
            load("admin/release_schema_lease"),
            owner=owner,
            schemaVersion=reached,
            embeddingModel=made_with.model,
            dimensions=made_with.dimensions,
        )


def check(version: int, made_with: VectorSpace, vectors: VectorSpace) -> None:
    """Refuse a database this service cannot work on.

    Raises:
        SetupError: see `prepare`.
    """
    if version > VERSION:
        raise SetupError(
            f"the database has schema version {version}, this release knows {VERSION}: run the newer release"
        )
    if made_with != vectors:
        raise ModelMismatch(
            f"the stored vectors were made by {made_with.model!r} ({made_with.dimensions} dimensions), the configured "
            f"model is {vectors.model!r} ({vectors.dimensions}): set IMPRESSIONS_EMBEDDING_MODEL back, or run "
            "`impressions reindex` to embed everything anew"
        )


async def _install(store: Store, vectors: VectorSpace) -> None:
    await adb.set_connection(driver=store.driver)
    # neomodel reports what it installs on standard output, quiet or not.
    with redirect_stdout(io.StringIO()):
        for label in STORED:
            await adb.install_labels(label, quiet=True)
    for name in cypher.names("schema"):
        if name not in {_META, _VECTORS}:
            await _define(store, load(name))
    await define_vector_index(store, vectors.dimensions)
    await store.read(load("admin/await_indexes"), seconds=LEASE_SECONDS)


async def define_vector_index(store: Store, dimensions: int) -> None:
    """Create the vector index for vectors of this length, unless one stands."""
    config = {"vector.dimensions": dimensions, "vector.similarity_function": "cosine"}
    await store.write(load(_VECTORS), options={"indexConfig": config})


async def _define(store: Store, query: Query) -> None:
    """Run a definition until it stands.

    Two processes that create the same thing at once: the slower one is told that it exists already, despite
    IF NOT EXISTS, while it is still being built and does not hold yet. Only a run without an error says that it stands.
    """
    for attempt in range(_DEFINE_ATTEMPTS):
        try:
            await store.write(query)
        except (Conflict, SetupError) as error:
            if attempt + 1 == _DEFINE_ATTEMPTS or "already exist" not in str(error).lower():
                raise
            await asyncio.sleep(_POLL_SECONDS)
        else:
            return
