"""Long work, shown while it lasts: a bar on a terminal, a line now and then elsewhere."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn

from graph.neo4j_progress import Progress as StageProgress
from graph.neo4j_progress import Stage

_QUARTER: Final = 0.25
_SECONDS_BETWEEN_LINES: Final = 2.0


@contextmanager
def stages(console: Console) -> Iterator[StageProgress]:
    """Show what a start is waiting for."""
    if console.is_terminal:
        with _bar(console) as bar:
            yield _Bars(bar)
    else:
        yield _Lines(console)


def _bar(console: Console) -> Progress:
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=30),
        TextColumn("{task.fields[told]}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
    )


class _Bars:
    """A bar a stage; the stage before is done when the next of Neo4j's begins."""

    def __init__(self, bar: Progress) -> None:
        self._bar = bar
        self._tasks: dict[Stage, TaskID] = {}

    def __call__(self, stage: Stage, fraction: float | None, /) -> None:
        if stage not in self._tasks:
            for other in [each for each in self._tasks if each is not Stage.MODEL and stage is not Stage.MODEL]:
                self._bar.remove_task(self._tasks.pop(other))
            self._tasks[stage] = self._bar.add_task(stage.value, total=None, told="")
        if fraction is not None:
            self._bar.update(self._tasks[stage], total=1.0, completed=fraction, told=f"{fraction:4.0%}")


class _Lines:
    """A line when a stage begins, and at each quarter of it."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._told: dict[Stage, int] = {}

    def __call__(self, stage: Stage, fraction: float | None, /) -> None:
        quarter = int((fraction or 0.0) / _QUARTER)
        if quarter > self._told.get(stage, -1) and (stage is not Stage.MODEL or not fraction):
            self._told[stage] = quarter
            self._console.print(f"{stage.value}: {quarter * _QUARTER:.0%}" if quarter else f"{stage.value} …")


class Counted(Protocol):
    """Takes how far counted work is."""

    def __call__(self, done: int, unit: str, *, fraction: float | None = None, left: int | None = None) -> None:
        """Take that so many are done, what part of all that is, and how many are left, where they are known."""


@contextmanager
def counting(console: Console, title: str) -> Iterator[Counted]:
    """Show how many are done, how many a second, and how long the rest will take."""
    started = time.monotonic()

    def rate(done: int, unit: str, left: int | None) -> str:
        a_second = done / max(time.monotonic() - started, 0.001)
        told = f"{done:,} {unit}, {a_second:,.0f}/s"
        if left is None:
            return told
        return f"{told}, {left:,} left" + (f" (about {left / a_second:,.0f} s)" if done and left else "")

    if console.is_terminal:
        with _bar(console) as bar:
            task = bar.add_task(title, total=None, told="")

            def show(done: int, unit: str, *, fraction: float | None = None, left: int | None = None) -> None:
                total = 1.0 if fraction is not None else None
                bar.update(task, told=rate(done, unit, left), total=total, completed=fraction)

            yield show
    else:
        last = started

        def tell(done: int, unit: str, *, fraction: float | None = None, left: int | None = None) -> None:
            nonlocal last
            if time.monotonic() - last >= _SECONDS_BETWEEN_LINES:
                last = time.monotonic()
                part = f" ({fraction:.0%})" if fraction is not None else ""
                console.print(f"{title}: {rate(done, unit, left)}{part}")

        yield tell
