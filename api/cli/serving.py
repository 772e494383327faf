"""The commands `serve` and `demo`."""

import os
from contextlib import ExitStack

from rich.console import Group
from rich.text import Text

from api import demo, demo_update, serving
from api.cli import told_demo
from api.cli.output import Output
from api.cli.progress import stages
from api.cli.running import run
from api.serving import Address
from api.settings import Settings
from api.wiring import Service
from graph.neo4j_ports import is_free
from graph.process_age import seconds_running


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
                await demo_update.play_update(service, told)
                told.finish(_places(address) if stay else {})
                if stay and not output.as_json:
                    output.out.print(_where(settings, address, "Impressions goes on. Ctrl-C stops it."))

            await serving.serve(settings, ready, progress=progress, stay=stay)

    run(output, work)


def _tell_ready(output: Output, settings: Settings, address: Address) -> None:
    seconds = seconds_running(os.getpid())
    title = f"Impressions is ready after {seconds:.1f} s. Ctrl-C stops it."
    output.result({**_places(address), "seconds": round(seconds, 1)}, lambda: _where(settings, address, title))


def _places(address: Address) -> dict[str, object]:
    return {
        "graphql": f"{address.url}/graphql",
        "health": f"{address.url}/readyz",
        "bolt": address.bolt_uri,
        "neo4jBrowser": address.browser_url,
    }


def _where(settings: Settings, address: Address, title: str) -> Group:
    if address.browser_url:
        neo4j = [
            f"  Neo4j Browser  {address.browser_url} (connect to {address.bolt_uri} as neo4j;",
            "                 impressions neo4j status --password shows the password)",
        ]
    else:
        neo4j = [f"  Neo4j          {address.bolt_uri} as {settings.neo4j_user}"]
    return Group(
        Text(title, "bold"),
        f"  GraphQL        {address.url}/graphql",
        f"  Health         {address.url}/readyz",
        *neo4j,
    )
