"""The command `reindex`."""

from contextlib import ExitStack

from rich.text import Text

from api.cli.output import Output
from api.cli.progress import Counted, counting, stages
from api.cli.running import run
from api.settings import Settings
from api.wiring import open_unprepared
from graph.schema import VectorSpace
from resolvers.reindex import Progress, Prospect, ReindexReport, Stage, examine, reindex


def embed_anew(output: Output, *, force: bool) -> None:
    """Embed everything anew and say what was done, or that there was nothing to do."""

    async def work(settings: Settings) -> ReindexReport:
        with ExitStack() as shown:
            progress = shown.enter_context(stages(output.err))
            async with open_unprepared(settings, progress=progress) as (store, embedder):
                shown.close()
                with ExitStack() as counted:
                    teller = _Teller(output, counted, f"Embedding with {embedder.name}")
                    return await reindex(store, embedder, force=force, progress=teller)

    report = run(output, work)
    output.result(report, lambda: Text(_summary(report)))


def look_ahead(output: Output, *, force: bool) -> None:
    """Say how much there would be to do."""

    async def work(settings: Settings) -> Prospect:
        with ExitStack() as shown:
            progress = shown.enter_context(stages(output.err))
            async with open_unprepared(settings, progress=progress) as (store, embedder):
                return await examine(store, embedder, force=force)

    prospect = run(output, work)
    output.result(prospect, lambda: Text(_outlook(prospect)))


class _Teller:
    """Shows a reindex: nodes as counted work, all else in lines."""

    def __init__(self, output: Output, shown: ExitStack, title: str) -> None:
        self._output = output
        self._shown = shown
        self._title = title
        self._show: Counted | None = None
        self._earlier = 0
        self._quarter = -1

    def __call__(self, progress: Progress) -> None:
        match progress.stage:
            case Stage.WAITING:
                within = f": {progress.due:.0f} s" if progress.due else ""
                self._output.say(f"Waiting for {progress.told}{within}")
            case Stage.EMBEDDING:
                self._tell_nodes(int(progress.done), int(progress.due))
            case Stage.INDEXING:
                self._shown.close()
                quarter = int(4 * progress.done / progress.due)
                if quarter > self._quarter:
                    self._quarter = quarter
                    self._output.say(f"Building the vector index: {quarter * 25}%")

    def _tell_nodes(self, done: int, due: int) -> None:
        if self._show is None:
            self._show = self._shown.enter_context(counting(self._output.err, self._title))
            self._earlier = done
            if done:
                self._output.say(f"Going on after {done:,} of {due:,}")
        self._show(done - self._earlier, "done", fraction=done / due if due else 1.0, left=due - done)


def _summary(report: ReindexReport) -> str:
    if not report.needed:
        return f"nothing to do: {_whose(report.before)}; --force embeds everything anew all the same"
    rate = report.embedded / report.seconds if report.seconds else 0
    passed = f", {report.passed:,} evidence without one left so" if report.passed else ""
    gone = f", {report.gone:,} deleted meanwhile" if report.gone else ""
    earlier = f" (an earlier run had done {report.earlier:,})" if report.resumed else ""
    return (
        f"{report.embedded:,} vectors made by {report.model} ({report.dimensions} dimensions){passed}{gone}{earlier} "
        f"in {report.seconds:.1f} s, {rate:,.0f}/s"
    )


def _whose(vectors: VectorSpace | None) -> str:
    if vectors is None:
        return "the database is empty"
    return f"the stored vectors are those of {vectors.model} ({vectors.dimensions} dimensions)"


def _outlook(prospect: Prospect) -> str:
    if not prospect.needed:
        return f"nothing to do: {_whose(prospect.made.vectors)}"
    amount, to = prospect.amount, prospect.vectors
    running = ", and a run is at it now" if prospect.running else ""
    done = f"; {prospect.done:,} of them are done{running}" if prospect.done or prospect.running else ""
    return (
        f"{_whose(prospect.made.vectors)}, those of {to.model} ({to.dimensions}) are to take their place: "
        f"{amount.statements:,} statements, {amount.replaced:,} replaced ones, up to {amount.evidence:,} evidence{done}"
    )
