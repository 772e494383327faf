"""The commands `neo4j start`, `neo4j stop` and `neo4j status`."""

from typing import Any

from rich.table import Table
from rich.text import Text

from api.cli.output import Output, plain
from api.cli.progress import stages
from api.cli.running import run
from api.settings import Settings
from api.wiring import managed_server
from graph.errors import Conflict, NotConfigured
from graph.neo4j_home import Home, read_password
from graph.neo4j_server import USER, ServerStatus


def start(output: Output) -> None:
    """Start the managed server and pin it."""

    async def work(settings: Settings) -> None:
        _refuse_own(settings)
        with stages(output.err) as progress:
            await managed_server(settings, progress).start_pinned()
        await _show(output, settings, password=False)

    run(output, work)


def stop(output: Output, *, force: bool) -> None:
    """Stop the managed server, and say who keeps it where it goes on."""

    async def work(settings: Settings) -> None:
        _refuse_own(settings)
        with stages(output.err) as progress:
            server = managed_server(settings, progress)
            stopped = await server.stop(force=force)
        left = await server.status()
        if left.running:
            users = ", ".join(str(pid) for pid in left.attached_pids)
            raise Conflict(f"it goes on, for the processes {users}: end them first, or give --force")
        output.result({"stopped": stopped}, lambda: Text("stopped" if stopped else "it was not running"))

    run(output, work)


def status(output: Output, *, password: bool) -> None:
    """Show the managed server as it stands."""

    async def work(settings: Settings) -> None:
        await _show(output, settings, password=password)

    run(output, work)


async def _show(output: Output, settings: Settings, *, password: bool) -> None:
    found = await managed_server(settings).status()
    secret = read_password(Home(settings.home)) if password else None
    document: dict[str, Any] = plain(found)
    if password:
        document |= {"user": USER, "password": secret}
    output.result(document, lambda: _table(found, password=password, secret=secret))
    if settings.neo4j_uri:
        output.say(f"NEO4J_URI is set: the service uses {settings.neo4j_uri}, not the managed Neo4j")


def _table(found: ServerStatus, *, password: bool, secret: str | None) -> Table:
    table = Table.grid(padding=(0, 2))
    if found.running:
        kept = "pinned" if found.pinned else "until the last of its users ends"
        table.add_row("state", f"running for {_duration(found.uptime_seconds or 0)} (pid {found.pid}), {kept}")
        table.add_row("users", ", ".join(f"pid {pid}" for pid in found.attached_pids) or "none")
        table.add_row("Neo4j Browser", f"{found.http_uri}/browser/")
        table.add_row("Bolt", str(found.bolt_uri))
    else:
        table.add_row("state", "not running")
        if found.attached_pids:
            table.add_row("users", ", ".join(f"pid {pid}" for pid in found.attached_pids))
    table.add_row("release", found.release or "not started yet")
    table.add_row("folder", f"{found.home} ({found.data_bytes / 1e6:,.0f} MB of data)")
    if password:
        table.add_row("user", USER)
        table.add_row("password", secret or "none yet: it is made before the first start")
    return table


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _refuse_own(settings: Settings) -> None:
    if settings.neo4j_uri:
        message = f"NEO4J_URI is set to {settings.neo4j_uri}: start and stop that one where it runs, or unset NEO4J_URI"
        raise NotConfigured("NEO4J_URI", message)
