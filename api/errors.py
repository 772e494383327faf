"""What goes wrong outside result unions, as GraphQL errors with `extensions.code`.

Codes: those of a refused input (e.g. `NUMBER_OUT_OF_RANGE`, with `extensions.argument`), `NOT_FOUND`, `CONFLICT`,
`NOT_CONFIGURED`, `UNAVAILABLE` (with `retryAfterMs`), `SETUP`, those of `api.limits`, `BAD_USER_INPUT` for values and
documents that GraphQL itself refuses, and `INTERNAL`, whose cause is in the log under the id in the message.
"""

from typing import Any, Final
from uuid import uuid4

import structlog
from graphql import GraphQLError
from strawberry.extensions import MaskErrors

from graph import errors

log = structlog.get_logger("impressions")

_CODES: Final[tuple[tuple[type[errors.ImpressionsError], str], ...]] = (
    (errors.NotFound, "NOT_FOUND"),
    (errors.Conflict, "CONFLICT"),
    (errors.NotConfigured, "NOT_CONFIGURED"),
    (errors.Unavailable, "UNAVAILABLE"),
    (errors.SetupError, "SETUP"),
)


class CodedErrors(MaskErrors):
    """Gives every error a code and shows nothing of what was not meant for the caller."""

    def __init__(self) -> None:
        super().__init__(should_mask_error=lambda _: True)

    def anonymise_error(self, error: GraphQLError) -> GraphQLError:
        message, extensions = describe(error)
        return GraphQLError(
            message,
            nodes=error.nodes,
            source=error.source,
            positions=error.positions,
            path=error.path,
            extensions=extensions,
        )


def describe(error: GraphQLError) -> tuple[str, dict[str, Any]]:
    """Return the message and extensions a caller may see."""
    cause = error.original_error
    if isinstance(cause, errors.InvalidInput):
        return cause.message, {"code": cause.code, "argument": cause.path}
    if isinstance(cause, errors.ImpressionsError):
        code = next((code for kind, code in _CODES if isinstance(cause, kind)), "INTERNAL")
        extensions: dict[str, Any] = {"code": code}
        if isinstance(cause, errors.Unavailable):
            extensions["retryAfterMs"] = cause.retry_after_ms
        return str(cause), extensions
    # Without a path no field was run yet: the document, a variable or a literal was refused, in GraphQL's own words.
    if cause is None or isinstance(cause, GraphQLError) or error.path is None:
        return error.message, {"code": "BAD_USER_INPUT", **(error.extensions or {})}
    incident = uuid4().hex[:12]
    log.error("a field failed", incident=incident, path=error.path, exc_info=cause)
    return f"internal error {incident}", {"code": "INTERNAL", "incident": incident}
