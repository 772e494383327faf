"""The commands `serve` and `demo`."""

import time
from contextlib import ExitStack

import psutil
from rich.table import Table

from api import demo, serving
from api.cli import told_demo
from api.cli.output import Output
from api.cli.progress import stages
from api.cli.running import run
from api.serving import Address
from api.settings import Settings
from api.wiring import Service
from graph.neo4j_ports import is_free


def serve_until_told(output: Output) -> None:
    """Serve, and say where once requests are answered."""

    async def work(settings: Settings) -> None:
        with ExitStack() as shown:
            progress = shown.enter_context(stages(output.err))

            async def ready(_: Service, address: Address) -> None:
                shown.close()
                _tell_ready(output, settings, address)

            await serving.serve(settings, ready, progress=progress)

    run(output, work, serving=True)


def demonstrate(output: Output, *, stay: bool) -> None:
    """Serve, and play the example conversations once requests are answered."""

    async def work(settings: Settings) -> None:
        if not stay or not is_free(settings.port):
            settings = settings.model_copy(update={"port": 0})
        with ExitStack() as shown:
            progress = shown.enter_context(stages(output.err))

            async def ready(service: Service, address: Address) -> None:
                shown.close()
                told = told_demo.Teller(output)
                await demo.play(service, told)
                told.finish()
                if stay:
                    _tell_ready(output, settings, address)

            await serving.serve(settings, ready, progress=progress, stay=stay)

    run(output, work)


def _tell_ready(output: Output, settings: Settings, address: Address) -> None:
    seconds = time.time() - psutil.Process().create_time()
    places = {
        "graphql": f"{address.url}/graphql",
        "health": f"{address.url}/readyz",
        "bolt": address.bolt_uri,
        "neo4jBrowser": address.browser_url,
        "seconds": round(seconds, 1),
    }

    def render() -> Table:
        table = Table.grid(padding=(0, 2))
        table.title = f"Impressions is ready after {seconds:.1f} s. Ctrl-C stops it."
        table.title_justify = "left"
        table.title_style = "bold"
        table.add_row("  GraphQL", f"{address.url}/graphql")
        table.add_row("  Health", f"{address.url}/readyz")
        if address.browser_url:
            table.add_row("  Neo4j Browser", f"{address.browser_url}  (connect to {address.bolt_uri})")
            table.add_row("", "user neo4j; its password: impressions neo4j status --password")
        else:
            table.add_row("  Neo4j", f"{address.bolt_uri} as {settings.neo4j_user}")
        return table

    output.result(places, render)
