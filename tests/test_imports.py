"""Which module may import which, and who alone reads the environment."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
ROOMS = ("api", "resolvers", "graph", "cypher")
PAGE = ROOT / "api" / "web"
"""The page's own source: the script that builds it is no part of the service."""
LINT_IMPORTS = Path(sys.executable).with_name("lint-imports")


def modules(room: str) -> list[Path]:
    return [path for path in (ROOT / room).rglob("*.py") if PAGE not in path.parents]


def test_every_import_contract_is_kept() -> None:
    ended = subprocess.run(
        [LINT_IMPORTS, "--no-logo", "--no-cache"], cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert ended.returncode == 0, ended.stdout


def test_no_contract_has_exceptions() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    assert contracts
    assert not any("ignore_imports" in contract for contract in contracts)


def test_only_the_settings_read_the_environment() -> None:
    readers = {
        str(path.relative_to(ROOT))
        for room in ROOMS
        for path in modules(room)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "environb"}
    }
    assert readers == set()


def test_every_folder_of_ours_is_a_package() -> None:
    """A folder without `__init__.py` would lose to any installed package of its name."""
    for room in (*ROOMS, "tests"):
        folders = {path.parent for path in modules(room)}
        assert [folder for folder in folders if not (folder / "__init__.py").exists()] == []
    assert not (ROOT / "docker" / "__init__.py").exists()
