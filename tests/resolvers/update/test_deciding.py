"""The pure stages of a decision run beside the event loop, which serves others meanwhile."""

import threading
from collections.abc import Callable
from typing import Any

import pytest

from resolvers.update import deciding
from tests.resolvers.update.updating import Updating


async def test_pure_stages_leave_the_event_loop_free(updating: Updating, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: dict[str, int] = {}

    def noted(name: str, stage: Callable[..., Any]) -> Callable[..., Any]:
        def run(*given: Any, **more: Any) -> Any:
            threads[name] = threading.get_ident()
            return stage(*given, **more)

        return run

    for name in ("grounds", "aggregate", "resolve", "build"):
        monkeypatch.setattr(deciding, name, noted(name, getattr(deciding, name)))
    await updating.learn("Alice", features=["lives in Hangzhou"])
    assert threads.keys() == {"grounds", "aggregate", "resolve", "build"}
    assert threading.get_ident() not in threads.values()
