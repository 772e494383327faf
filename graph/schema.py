"""What must stand in the database before anything is stored: constraints, indexes, and who made the vectors.

Versions are numbered and idempotent. One process at a time works on them, by a lease on the one `ServiceMeta` node, so
that any number of services may start at once on an empty database. Single-property uniqueness comes from the neomodel
classes, everything else from `cypher/schema/*.cypher`.
"""

import asyncio
import io
from collections.abc import Awaitable, Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from neomodel import adb

import cypher
from cypher import Query, load
from graph.errors import Conflict, ModelMismatch, SetupError, Unavailable
from graph.nodes import STORED
from graph.rows import Rows
from graph.store import Store, Transaction

VERSION: Final = 4
"""Grows with every change to `cypher/schema/` or to the classes' uniqueness."""

READ_MADE: Final = "admin/read_service_meta"
"""Tells what a database was made with: what may be asked while it is made anew, too."""
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


@dataclass(frozen=True, slots=True)
class Made:
    """What a database was made with."""

    version: int | None
    """Its schema version; None where no service has set it up yet."""
    vectors: VectorSpace | None
    """Who made its vectors; None where nobody has yet."""
    target: VectorSpace | None = None
    """Whose vectors a reindex that is not finished puts in their place."""

    @classmethod
    def of(cls, row: dict[str, Any]) -> "Made":
        """Read a row of `ServiceMeta`."""
        return cls(
            row["schemaVersion"],
            _vector_space(row["embeddingModel"], row["dimensions"]),
            _vector_space(row["reindexModel"], row["reindexDimensions"]),
        )


def _vector_space(model: str | None, dimensions: int | None) -> VectorSpace | None:
    return None if model is None or dimensions is None else VectorSpace(model, dimensions)


async def prepare(store: Store, vectors: VectorSpace) -> None:
    """Bring the database to `VERSION`, or see that it stands there already.

    Raises:
        ModelMismatch: its vectors come from another model or have another length, or a reindex is not finished.
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
    made = Made.of(found)
    reached = made.version
    try:
        check(made, vectors)
        if reached != VERSION:
            await _install(store, vectors)
            reached = VERSION
    finally:
        await store.write(
            load("admin/release_schema_lease"),
            owner=owner,
            schemaVersion=reached,
            embeddingModel=vectors.model if reached is not None else None,
            dimensions=vectors.dimensions if reached is not None else None,
        )


async def read_made(store: Store) -> Made:
    """Return what the database was made with.

    Raises:
        Unavailable: the database does not answer.
    """
    return await _made(store.read)


async def hold(transaction: Transaction, vectors: VectorSpace) -> None:
    """See, in the transaction that is to write vectors, that the stored ones are still of the same model.

    Raises:
        ModelMismatch: they are not: a reindex has begun since this process started.
    """
    check_vectors(await _made(transaction.run), vectors)


async def _made(run: Callable[[Query], Awaitable[Rows]]) -> Made:
    row = (await run(load(READ_MADE))).one_or_none()
    return Made(None, None) if row is None else Made.of(row)


def check(made: Made, vectors: VectorSpace) -> None:
    """Refuse a database this service cannot work on.

    Raises:
        ModelMismatch: see `prepare`.
        SetupError: see `prepare`.
    """
    if made.version is not None and made.version > VERSION:
        raise SetupError(
            f"the database has schema version {made.version}, this release knows {VERSION}: run the newer release"
        )
    check_vectors(made, vectors)


def check_vectors(made: Made, vectors: VectorSpace) -> None:
    """Refuse to put vectors of one model beside those of another.

    Raises:
        ModelMismatch: see `prepare`.
    """
    if made.target is not None:
        raise ModelMismatch(
            f"a reindex with the model {made.target.model!r} ({made.target.dimensions} dimensions) is running, or was "
            "interrupted, and until it is finished the stored vectors fit no model: set "
            f"IMPRESSIONS_EMBEDDING_MODEL={made.target.model} and run `impressions reindex`, which goes on where it "
            "stopped"
        )
    if made.vectors not in {None, vectors}:
        assert made.vectors is not None
        raise ModelMismatch(
            f"the stored vectors were made by {made.vectors.model!r} ({made.vectors.dimensions} dimensions), the "
            f"configured model is {vectors.model!r} ({vectors.dimensions}): set IMPRESSIONS_EMBEDDING_MODEL back, or "
            "run `impressions reindex` to embed everything anew"
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
    await store.within(LEASE_SECONDS).read(load("admin/await_indexes"), seconds=LEASE_SECONDS)


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
