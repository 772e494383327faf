"""Runs of the update pipeline as a person reads them, and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from api.cli.output import plain
from resolvers.update.diff import ChangeKind, ShownChange, ShownStep
from resolvers.update.runs import BatchStatus, PendingObservation, Run, RunStatus

_SIGNS = {
    ChangeKind.ADDED: ("+", "green"),
    ChangeKind.REINFORCED: ("↑", "cyan"),
    ChangeKind.REPLACED: ("~", "yellow"),
    ChangeKind.RENAMED: ("~", "yellow"),
    ChangeKind.REMOVED: ("-", "red"),
    ChangeKind.REFUSED: ("✗", "dim"),
}
_COLOURS = {
    RunStatus.APPLIED: "green",
    RunStatus.NO_CHANGE: "green",
    RunStatus.PREPARED: "yellow",
    RunStatus.PARTIAL: "yellow",
    RunStatus.FAILED: "red",
    RunStatus.REJECTED: "red",
}


def run_document(run: Run, diff: Sequence[ShownStep]) -> dict[str, Any]:
    """Return a run for a program."""
    kept = {name: value for name, value in plain(run).items() if name not in {"rolling", "plan", "batches"}}
    return {**kept, "steps": plain(list(diff)), "progress": _progress(run)}


def _progress(run: Run) -> dict[str, Any]:
    return {
        "batches": len(run.batches),
        "batchesDone": sum(each.status is BatchStatus.DONE for each in run.batches),
        "batchesFailed": sum(each.status is BatchStatus.FAILED for each in run.batches),
        "promptTokens": sum(each.prompt_tokens or 0 for each in run.batches),
        "completionTokens": sum(each.completion_tokens or 0 for each in run.batches),
        "seconds": sum(each.seconds for each in run.batches),
    }


def render_run(run: Run, diff: Sequence[ShownStep]) -> RenderableType:
    """Show a run: how it stands, its plan as a diff, what waits and what was left out."""
    return Group(*_lines(run, diff))


def _lines(run: Run, diff: Sequence[ShownStep]) -> Iterator[Text]:
    head = Text.assemble("run ", (run.id, "bold"), "  ", (run.status.value, _COLOURS.get(run.status, "bold")))
    head.append(f"  {run.origin.value.lower()}, {run.created_at:%Y-%m-%d %H:%M}", "dim")
    yield head
    if run.reason:
        yield Text(f"  {run.reason}")
    for step in diff:
        yield Text.assemble(f"\n  {step.kind.value.lower():<7}", (step.subject, "bold"))
        yield from map(_change, step.changes)
    for resolution in run.resolutions:
        if resolution.decision.value == "POSTPONED":
            yield Text.assemble("\n  waits  ", (resolution.observation.subject, "bold"), f"  {resolution.reason}")
    if run.dropped:
        yield Text("\n  left out", "dim")
    for dropped in run.dropped:
        yield Text(f"    ✗ {dropped.text}: {dropped.reason} ({dropped.code.value})", "dim")
    for violation in run.violations:
        yield Text(f"  ! {violation.message} ({violation.code})", "red")
    yield from _end(run)


def _end(run: Run) -> Iterator[Text]:
    progress = _progress(run)
    if progress["promptTokens"]:
        tokens = f"{progress['promptTokens']} + {progress['completionTokens']} tokens"
        yield Text(f"\n  model: {progress['batches']} batches, {tokens}, {progress['seconds']:.1f} s", "dim")
    if run.status is RunStatus.APPLIED:
        counts = run.counts
        yield Text(
            f"\n  written: {counts.entities} entities, {counts.aliases} names, {counts.impressions} impressions, "
            f"{counts.features} features, {counts.relations} relations; {counts.reinforced} reinforced, "
            f"{counts.replaced} replaced or removed"
        )
    space = "" if run.space == "default" else f" --space {run.space}"
    if run.status is RunStatus.PREPARED:
        yield Text(f"\n  next: impressions confirm {run.id}{space}, or impressions reject {run.id}{space}", "dim")
    if run.status is RunStatus.PARTIAL:
        yield Text(f"\n  nothing was written; next: impressions resume {run.id}{space}, which asks again", "dim")


def _change(change: ShownChange) -> Text:
    sign, colour = _SIGNS[change.kind]
    before = f"{change.before} → " if change.before and change.after else ""
    line = Text.assemble(
        f"    {change.part.value.lower():<11}", (f"{sign} {before}{change.after or change.before}", colour)
    )
    if change.reason:
        line.append(f"  {change.reason}", "dim")
    return line


def render_runs(runs: Sequence[Run]) -> RenderableType:
    """Show a list of runs."""
    if not runs:
        return Text("no runs yet: impressions update --help")
    table = Table(box=None, pad_edge=False)
    for column in ("run", "status", "from", "when", "plan"):
        table.add_column(column)
    for run in runs:
        steps = f"{len(run.plan.steps)} steps" if run.plan else ""
        status = Text(run.status.value, _COLOURS.get(run.status, ""))
        table.add_row(run.id, status, run.origin.value.lower(), f"{run.created_at:%Y-%m-%d %H:%M:%S}", steps)
    return table


def render_pending(observations: Sequence[PendingObservation]) -> RenderableType:
    """Show the observations that wait, with whom they may be about."""
    if not observations:
        return Text("nothing waits for a decision")
    lines: list[Text] = []
    for each in observations:
        seen = each.resolution.observation
        lines.append(Text.assemble((seen.subject, "bold"), f"  {each.reason}"))
        lines += (Text(f"    {patch.text}") for patch in seen.statements)
        lines += (Text(f"    may be {bearer.subject} ({bearer.uuid})", "dim") for bearer in each.resolution.candidates)
        lines.append(Text(f"    impressions decide {each.id} --entity UUID | --create | --discard\n", "dim"))
    return Group(*lines)
