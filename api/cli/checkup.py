"""The command `doctor`."""

from typing import Final

import typer
from rich.text import Text

from api.checkup import Check, Verdict, examine
from api.cli.exits import ExitCode
from api.cli.output import Output, plain
from api.cli.running import run
from api.settings import Settings

_MARKS: Final = {Verdict.FINE: ("✓", "green"), Verdict.WRONG: ("✗", "bold red"), Verdict.UNKNOWN: ("–", "yellow")}
_WIDTH: Final = 13


def doctor(output: Output, *, deep: bool) -> None:
    """Show every check as it is made, and fail if something is wrong."""

    async def work(settings: Settings) -> list[Check]:
        checks = []
        async for check in examine(settings, deep=deep):
            checks.append(check)
            if not output.as_json:
                output.out.print(_line(check))
        return checks

    checks = run(output, work)
    wrong = sum(check.verdict is Verdict.WRONG for check in checks)
    output.result(
        {"healthy": not wrong, "checks": plain(checks)},
        lambda: Text(f"\n{wrong} of {len(checks)} checks found something to mend" if wrong else "\nnothing to mend"),
    )
    if wrong:
        raise typer.Exit(ExitCode.SET_UP)


def _line(check: Check) -> Text:
    line = Text.assemble(_MARKS[check.verdict], f" {check.name:{_WIDTH}} {check.found}")
    return line.append(f"\n{'':{_WIDTH + 3}}{check.advice}", "yellow") if check.advice else line
