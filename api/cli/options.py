"""Options that several commands share."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Write one JSON document to standard output, for programs.")]
Space = Annotated[str, typer.Option("--space", "-s", help="The tenant to work in.")]
Conversation = Annotated[str, typer.Option("--conversation", "-c", help="The chat or runtime it belongs to.")]
Speaker = Annotated[str | None, typer.Option("--speaker", help="Whom first-person words stand for.")]
