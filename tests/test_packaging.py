"""The wheel holds the four rooms with all their files, and nothing else."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROOMS = {"api", "graph", "resolvers", "cypher"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Iterator[zipfile.ZipFile]:
    target = tmp_path_factory.mktemp("wheel")
    # The back end of the lock, called as a front end calls it: no network and no other environment.
    script = f"import hatchling.build; hatchling.build.build_wheel({str(target)!r})"
    subprocess.run([sys.executable, "-c", script], cwd=ROOT, check=True, capture_output=True, timeout=120)
    (file,) = target.glob("*.whl")
    with zipfile.ZipFile(file) as opened:
        yield opened


def test_the_wheel_holds_the_four_rooms_alone(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/")[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == ROOMS


def test_every_module_and_every_query_travels(wheel: zipfile.ZipFile) -> None:
    packed = set(wheel.namelist())
    tracked = subprocess.run(["git", "ls-files", *ROOMS], cwd=ROOT, check=True, capture_output=True, text=True)
    expected = {name for name in tracked.stdout.split() if (ROOT / name).exists()}
    assert expected
    assert expected - packed == set()
    queries = {str(path.relative_to(ROOT)) for path in (ROOT / "cypher").rglob("*.cypher")}
    assert queries - packed == set()


def test_the_entry_point_is_the_command_line(wheel: zipfile.ZipFile) -> None:
    (entry_points,) = (name for name in wheel.namelist() if name.endswith("entry_points.txt"))
    assert "impressions = api.cli:main" in wheel.read(entry_points).decode()


def test_the_lock_names_no_host_and_hashes_everything() -> None:
    for name in ("requirements.lock", "bootstrap.txt"):
        lock = (ROOT / name).read_text(encoding="utf-8")
        assert "://" not in lock
        assert "--index" not in lock
        entries = [entry for entry in lock.split("\n") if entry and not entry.startswith((" ", "#"))]
        assert entries
        assert all("==" in entry and entry.endswith("\\") for entry in entries)
        assert lock.count("--hash=sha256:") >= len(entries)


def test_the_lock_of_the_jars_travels(wheel: zipfile.ZipFile) -> None:
    tracked = (ROOT / "graph/neo4j-jars.lock").read_bytes()
    assert wheel.read("graph/neo4j-jars.lock") == tracked
    assert b"://" not in tracked
