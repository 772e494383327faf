"""Logs: where they go, in which form, and what they never tell."""

import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from api import logs


@pytest.fixture(autouse=True)
def put_back() -> Iterator[None]:
    root, config = logging.getLogger(), structlog.get_config()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = handlers, level
    logging.captureWarnings(capture=False)
    structlog.configure(**config)


def test_json_lines_carry_what_both_kinds_of_loggers_say(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("INFO", as_json=True)
    structlog.get_logger("impressions").info("rolled", run="r1", count=2)
    logging.getLogger("elsewhere").warning("odd: %s", "x")
    first, second = map(json.loads, capsys.readouterr().err.splitlines())
    assert (first["event"], first["run"], first["count"], first["level"]) == ("rolled", "r1", 2, "info")
    assert (second["event"], second["logger"], second["level"]) == ("odd: x", "elsewhere", "warning")


@pytest.mark.parametrize("as_json", [True, False])
def test_secrets_are_blanked(capsys: pytest.CaptureFixture[str], *, as_json: bool) -> None:
    logs.configure("DEBUG", as_json=as_json)
    structlog.get_logger("impressions").info("set", neo4j_password="hunter2", Authorization="Bearer hunter2")
    assert "hunter2" not in capsys.readouterr().err


def test_a_failure_shows_its_traceback_to_who_debugs_alone(capsys: pytest.CaptureFixture[str]) -> None:
    def fail() -> None:
        password = "hunter2"
        assert password
        raise ValueError("no")

    for level, shown in (("INFO", False), ("DEBUG", True)):
        logs.configure(level, as_json=False)
        with pytest.raises(ValueError, match="no") as caught:
            fail()
        logs.log_failure(caught.value)
        told = capsys.readouterr().err
        assert ("Traceback" in told) is shown
        assert "hunter2" not in told


def test_libraries_are_quiet_unless_everything_is_heard(capsys: pytest.CaptureFixture[str]) -> None:
    logs.configure("INFO", as_json=False)
    logging.getLogger("uvicorn.access").info("GET /")
    assert capsys.readouterr().err == ""
    logs.configure("DEBUG", as_json=False)
    logging.getLogger("uvicorn.access").info("GET /")
    assert "GET /" in capsys.readouterr().err
