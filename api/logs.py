"""Logs: one configuration for this service and the libraries under it, on standard error, without secrets."""

import logging
import re
import sys
from typing import Any, Final, TextIO

import structlog
from structlog.tracebacks import ExceptionDictTransformer
from structlog.types import EventDict, WrappedLogger

from graph.controls import written_out

_QUIET: Final = ("uvicorn", "neo4j", "httpx", "httpcore", "sentence_transformers", "transformers", "urllib3")
"""Libraries that tell every step: heard below WARNING only when everything is."""
_SECRET: Final = ("password", "secret", "api_key", "authorization", "token")
_QUERY: Final = re.compile(r"""(/[^\s"'?]*)\?[^\s"'\\]+""")
"""The query of a URL: nothing of ours is asked in one, and some clients put their key there."""
_USER: Final = re.compile(r"""(//|\bhost: *)[^\s/"'@]+?(?:@|%40)""", re.IGNORECASE)
"""Who asks, in a URL or its host: `user:password@`, also as a path is written in the log of requests."""
_NAMED: Final = re.compile(
    r"""([\w-]*(?:password|secret|key|authorization|token|cookie)\\?["']?\s*[:=]\s*\\?["']?)(?:(?:bearer|basic)\s+)?"""
    r"""[^\s"',;}\\]+""",
    re.IGNORECASE,
)
"""`Authorization: Bearer KEY`, `"authorization": "Bearer KEY"`, `X-Api-Key: KEY`: as libraries tell what they hear."""
_FRAME: Final = re.compile(r"([<>] (?:TEXT|BINARY|CONT)) .* (\[\d+ bytes)", re.DOTALL)
"""A WebSocket's message, cut in its middle by the library: nothing tells a key in what is left of it."""


class _CurrentStandardError(logging.StreamHandler[TextIO]):
    """Writes where standard error goes now: a progress bar stands in for it while it is shown."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> TextIO:  # type: ignore[override] # a plain attribute there, set once
        return sys.stderr


def configure(level: str, *, as_json: bool) -> None:
    """Send every log record of this process to standard error, from `level` on; may be repeated.

    Args:
        level: DEBUG, INFO, WARNING or ERROR.
        as_json: one JSON object a line, else lines for people.
    """
    shared: list[structlog.types.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        hide_secrets,
        write_out_controls,
    ]
    written: list[structlog.types.Processor] = (
        [
            structlog.processors.ExceptionRenderer(ExceptionDictTransformer(show_locals=False)),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ]
        if as_json
        else [
            structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
        ]
    )
    handler = _CurrentStandardError()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *written, blank_keys],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel(level if level in {"DEBUG", "ERROR"} else "WARNING")
    logging.captureWarnings(capture=True)
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )


def hide_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Blank the values whose names say that they are nobody else's business."""
    for name in event:
        if any(secret in name.lower() for secret in _SECRET):
            event[name] = "***"
    return event


def write_out_controls(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Show what would steer a terminal instead of letting it."""
    for name, value in event.items():
        if isinstance(value, str):
            event[name] = written_out(value)
    return event


def blank_keys(_logger: WrappedLogger, _method: str, line: Any) -> str:
    """Blank keys in a finished line, tracebacks and the words of libraries included."""
    line = _FRAME.sub(r"\1 *** \2", line)
    return _NAMED.sub(r"\1***", _USER.sub(r"\1***@", _QUERY.sub(r"\1?***", line)))


def log_failure(error: BaseException, **told: Any) -> None:
    """Keep the traceback of an expected failure for who debugs; nobody else sees it."""
    structlog.get_logger("impressions").debug("failed", exc_info=error, **told)
