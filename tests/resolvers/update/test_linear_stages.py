"""Four times as many observations take the pure stages no more than six times as long, whatever they have in common."""

import gc
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import pytest

from resolvers.update.aggregate import aggregate
from resolvers.update.build import build
from resolvers.update.evidence import message_rows
from resolvers.update.explain import explain
from resolvers.update.ground import grounds
from resolvers.update.identity import names_of, resolve
from resolvers.update.intake import take_handed_in
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.requests import Message, observation_plans, rolling
from resolvers.update.runs import ConfirmMode, observations_of, properties, settled_by
from resolvers.update.seen import Aggregated, KnownIdentities
from resolvers.update.starting import submitted_run
from resolvers.update.validate import PlanFacts, validate
from tests.fakes import NOON
from tests.resolvers.update.updating import seen
from tests.resolvers.world import Row

T = TypeVar("T")

FEW: Final = 512
MOST: Final = 6.0
"""Times as long; to sort, and memory that no longer fits the caches, make a little more than four of what is linear."""

NOBODY: Final = KnownIdentities({}, {}, {})
NO_FACTS: Final = PlanFacts({}, {}, {}, {})


def _said(number: int) -> str:
    return f"Person{number} lives in City{number}"


def _distinct(number: int) -> Row:
    return seen(f"Person{number}", _said(number), features=[f"lives in City{number}"])


def _waiting(number: int) -> Row:
    return seen(f"Person{number}", _said(number), relations={f"Stranger{number}": "friend"}, confidence=0.4)


def _one_subject(number: int) -> Row:
    return seen("Person0", _said(number), features=[f"lives in City{number}"])


def _pairs(number: int) -> Row:
    return seen(f"Person{number}", _said(number), aliases=[f"Person{number ^ 1}"], features=["is tall"])


def _chain(number: int) -> Row:
    return seen(f"Person{number}", _said(number), aliases=[f"Person{number + 1}"], features=["is tall"])


def _one_after_another(number: int) -> Row:
    """Name each third subject by the two before it: only when these are one is it known whose alias it is."""
    third = number - number % 3 + 3
    aliases = {0: [f"Person{third - 2}"], 1: [f"Person{third}"], 2: [f"Person{third}"]}[number % 3]
    return seen(f"Person{number}", _said(number), aliases=aliases, features=["is tall"])


def _pronouns(number: int) -> Row:
    return seen("he", _said(number), features=[f"lives in City{number}"])


SHAPES: Final = (_distinct, _waiting, _one_subject, _pairs, _chain, _one_after_another, _pronouns)


@dataclass
class Stages:
    """Runs all of them, each on what the one before has made, and notes how long each took."""

    seconds: dict[str, float]

    def run(self, make: Callable[[int], Row], many: int) -> None:
        plans = self.plans(make, many)
        said = [Message("user", ". ".join(_said(number) for number in some)) for some in _fives(many)]
        told = rolling("they talked", said, now=NOON)
        run = self.timed("start", lambda: submitted_run("s", "c", plans, told, (), confirm=ConfirmMode.AUTO, now=NOON))
        texts = self.timed("grounds", lambda: grounds(run.rolling, ()))
        taken = self.timed("intake", lambda: [take_handed_in(plan, {}) for plan in plans])
        observed = [each for intake in taken for each in intake.observations]
        aggregated = self.timed("aggregate", lambda: aggregate(observed, texts))
        self.timed("names", lambda: names_of(aggregated, {}))
        resolutions = self.timed("resolve", lambda: resolve(aggregated, NOBODY))
        plan = self.timed("build", lambda: build(resolutions, NOBODY))
        again = Aggregated(
            tuple(replace(each, pending=frozenset({f"p{n}"})) for n, each in enumerate(aggregated.observations)), ()
        )
        tried = resolve(again, NOBODY)
        pending = {next(iter(each.pending)): each for each in again.observations}
        self.timed("build again", lambda: build(tried, NOBODY, pending=pending))
        decided = replace(run, plan=plan, resolutions=(*resolutions, *plan.postponed), dropped=plan.dropped)
        tried_run = replace(decided, plan=replace(plan, postponed=tried), resolutions=tried)
        self.timed("settle", lambda: settled_by(tried_run))
        self.timed("observations", lambda: observations_of(decided, ["id"] * len(decided.resolutions)))
        self.timed("write", lambda: properties(decided))
        self.timed("messages", lambda: message_rows(decided))
        self.timed("validate", lambda: validate(plan, NO_FACTS))
        self.timed("explain", lambda: explain(plan, NO_FACTS))

    def plans(self, make: Callable[[int], Row], many: int) -> tuple[ImpressionObservationPlan, ...]:
        given = [
            {"observations": list(map(make, range(first, first + 64))), "status": "PREPARED", "reason": ""}
            for first in range(0, many, 64)
        ]
        return self.timed("plans", lambda: observation_plans(given))

    def timed(self, name: str, stage: Callable[[], T]) -> T:
        gc.disable()  # it looks through whatever the whole run of tests has loaded
        try:
            started = time.thread_time()
            made = stage()
            seconds = time.thread_time() - started
        finally:
            gc.enable()
        self.seconds[name] = min(self.seconds.get(name, float("inf")), seconds)
        return made


def _fives(many: int) -> Iterator[range]:
    return (range(first, min(first + 5, many)) for first in range(0, many, 5))


@pytest.mark.parametrize("make", SHAPES)
def test_four_times_the_observations_take_no_more_than_six_times_as_long(make: Callable[[int], Row]) -> None:
    grown: dict[str, float] = {}
    for tries in (1, 3, 9):
        few, many = Stages({}), Stages({})
        for _ in range(tries):
            few.run(make, FEW)
            many.run(make, 4 * FEW)
        grown = {
            name: round(seconds / few.seconds[name], 1)
            for name, seconds in many.seconds.items()
            if seconds > 0.01 and seconds > MOST * few.seconds[name]
        }
        if not grown:
            break
    assert grown == {}
