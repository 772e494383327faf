"""The demo as a person sees it, or as one JSON document."""

from collections.abc import Sequence
from typing import Any

from rich.console import Group
from rich.text import Text

from api.cli.matches import COLOURS, recall_document, render_briefly
from api.cli.output import Output, plain
from api.cli.recalling import outcome
from api.cli.told_runs import render_run, run_document
from api.demo import CONVERSATION, Scene
from graph.values import EvidenceSource
from resolvers.linking import Input
from resolvers.project import Projection
from resolvers.recall.values import Recall
from resolvers.transfer.report import ImportReport
from resolvers.update.diff import ShownStep
from resolvers.update.runs import Run

_NOT_ATTACHED_SHOWN = 1


class Teller:
    """Prints each turn as it comes; with JSON, one document at the end."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._document: list[dict[str, Any]] = []
        self._turn = 0

    def loaded(self, scene: Scene, report: ImportReport) -> None:
        """Say what a memory holds, and what it is talked about in."""
        self._document.append({"space": scene.space, "memory": plain(report), "turns": []})
        self._turn = 0
        added = (
            f"{report.entities_created} entities, {report.statements} statements, {report.relations} relations added"
            if report.entities_created or report.entities_changed
            else "known already"
        )
        legend = Text("  ").join(Text(channel.lower(), colour) for channel, colour in COLOURS.items())
        self._print(
            Group(
                Text(),
                Text(f"{scene.memory} → space {scene.space}: {added} ({report.seconds:.1f} s)", "bold"),
                Text(f"{scene.conversation} → conversation {CONVERSATION}; each score is the sum of its signals: ")
                + legend,
            )
        )

    def projected(self, scene: Scene, turn: Input, projection: Projection) -> None:  # noqa: ARG002 -- the audience's shape
        """Show a turn, what it was about, and why."""
        self._turn += 1
        self._document[-1]["turns"].append({
            "text": turn.text,
            "source": turn.source.value,
            **recall_document(projection.recall),
            "linked": plain(projection.linked),
            "reason": projection.reason,
        })  # fmt: skip
        who = "user" if turn.source is EvidenceSource.USER_INPUT else "assistant"
        named = f"  (names {', '.join(turn.mentions)})" if turn.mentions else ""
        self._print(
            Group(
                Text(),
                Text.assemble((f"{self._turn:2} {who}: ", "dim"), (turn.text, "bold"), (named, "dim")),
                *(Text("   ") + line for line in render_briefly(projection.recall, others=_NOT_ATTACHED_SHOWN)),
                Text("   ") + outcome(projection),
            )
        )

    def planned(self, scene: Scene, run: Run, diff: Sequence[ShownStep], *, model: bool) -> None:
        """Show the plan before it lands."""
        self._document[-1 if scene.space == self._document[-1]["space"] else 0]["update"] = run_document(run, diff)
        made = "by the configured language model" if model else "no language model is configured: they are prepared"
        title = Text(f"\nThe English conversation is rolled into long-term memory (observations: {made})", "bold")
        self._print(Group(title, render_run(run, diff)))

    def landed(self, run: Run, asked: str, recall: Recall) -> None:
        """Show what is recalled once the plan has landed."""
        self._print(
            Group(
                Text(f"\nConfirmed: {run.status.value}. The same memory is asked again:", "bold"),
                Text.assemble(("   user: ", "dim"), (asked, "bold")),
                *(Text("   ") + line for line in render_briefly(recall, others=_NOT_ATTACHED_SHOWN)),
            )
        )

    def undone(self, run: Run) -> None:
        """Say that the demo's update was taken back."""
        self._print(
            Group(Text(f"\nTaken back: run {run.id} is {run.status.value}, the memory is as it was before.", "bold"))
        )

    def finish(self, places: dict[str, object]) -> None:
        """Write the JSON document, with the places of the service where it goes on; or say what to try next."""
        hint = 'Try: impressions recall "Sherlock\'s brother" --space example-en'
        self._output.result({"scenes": self._document, **places}, lambda: Text(f"\n{hint}\n"))

    def _print(self, group: Group) -> None:
        if not self._output.as_json:
            self._output.out.print(group)
