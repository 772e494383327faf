"""How a command runs: settings read, logs set, an orderly end whatever happens."""

import asyncio
import logging
import signal
import sys
from collections.abc import Awaitable, Callable
from types import FrameType, TracebackType
from typing import TypeVar

import typer
from pydantic import SecretStr, ValidationError

from api import logs
from api.cli.exits import ExitCode, exit_code
from api.cli.output import Output
from api.ending import handled
from api.settings import Settings
from graph.errors import ImpressionsError, NotConfigured

T = TypeVar("T")


def run(output: Output, work: Callable[[Settings], Awaitable[T]], *, serving: bool = False) -> T:
    """Run the work of a command with the settings of the environment, and end the process if it fails.

    Args:
        output: where failures are told.
        work: what to do.
        serving: log what the service logs; a short command logs warnings only, unless it is debugged.
    """
    sys.excepthook = _report_bug  # not earlier: a library sets its own when it is imported
    logs.configure("WARNING", as_json=False)  # until the settings are read
    try:
        settings = read_settings()
        chatty = serving or settings.log_level in {"DEBUG", "ERROR"}
        logs.configure(settings.log_level if chatty else "WARNING", as_json=settings.log_json)
        return asyncio.run(_ending_in_order(work, settings))
    except ImpressionsError as error:
        logs.log_failure(error)
        output.fail(error)
        raise typer.Exit(exit_code(error)) from None
    except (KeyboardInterrupt, asyncio.CancelledError):
        output.say("interrupted")
        raise typer.Exit(ExitCode.INTERRUPTED) from None


async def _ending_in_order(work: Callable[[Settings], Awaitable[T]], settings: Settings) -> T:
    """Let SIGTERM and a closed terminal end the work as Ctrl-C does: the database is let go of, not left behind."""
    loop, main = asyncio.get_running_loop(), asyncio.current_task()

    def end(_signal: int, _frame: FrameType | None) -> None:
        if main is not None:
            loop.call_soon_threadsafe(main.cancel)

    with handled(end, but=(signal.SIGINT,)):  # which asyncio turns into a cancellation
        return await work(settings)


def read_settings() -> Settings:
    """Return the settings of the environment.

    Raises:
        NotConfigured: one of them cannot be taken; names it.
    """
    try:
        return Settings()
    except ValidationError as error:
        wrong = error.errors(include_url=False)[0]
        name = _variable(str(wrong["loc"][0])) if wrong["loc"] else ""
        message = wrong["msg"].removeprefix("Value error, ")
        if name and not _is_secret(str(wrong["loc"][0])):
            message += f", not {wrong['input']!r}"
        raise NotConfigured(name, f"{name}: {message}" if name else message) from error


def _variable(place: str) -> str:
    return place if place.isupper() else f"{Settings.model_config['env_prefix']}{place.upper()}"


def _is_secret(place: str) -> bool:
    fields = Settings.model_fields
    found = [each for name, each in fields.items() if place in {name, each.validation_alias}]
    return any(SecretStr.__name__ in str(each.annotation) for each in found)


def _report_bug(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    if logging.getLogger().isEnabledFor(logging.DEBUG):
        sys.__excepthook__(kind, error, traceback)
    else:
        Output().say(f"internal error: {kind.__name__}: {error} (IMPRESSIONS_LOG_LEVEL=DEBUG shows where)")
