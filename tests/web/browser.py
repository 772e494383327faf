"""The system's Chromium, driven by Playwright with a fresh profile, and what it noticed on the way."""

import os
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.async_api import ConsoleMessage, Page, Request, async_playwright, expect

from api.page import BUILT

IN_CI: Final = os.environ.get("CI") == "true"
expect.set_options(timeout=30_000)  # a first query is planned while other tests keep the machine busy
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
_FLAGS: Final = (
    "--no-sandbox",  # as root there is none
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",  # WebGL without a graphics card
)


def chromium() -> str:
    """Return where Chromium is, or skip: in CI its absence is a failure."""
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        _missing(f"no browser: none of {', '.join(_NAMES)} is on the PATH (Debian, Ubuntu: apt install chromium)")
    assert found is not None
    return found


def need_bundle() -> None:
    """Skip where the page has not been built: in CI that is a failure."""
    if not (BUILT / "index.html").is_file():
        _missing("the page has not been built: make page")


def _missing(reason: str) -> None:
    if IN_CI:
        pytest.fail(reason)
    pytest.skip(reason)


@dataclass
class Noticed:
    """What a page did that it must not do."""

    host: str
    errors: list[str] = field(default_factory=list)
    strangers: list[str] = field(default_factory=list)
    """Requests that left for another host."""
    allowed: tuple[str, ...] = ()
    """Parts of messages that the test brings about itself."""

    def hear(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(message.text[:300])

    def see(self, request: Request) -> None:
        if not request.url.startswith((self.host, "data:", "blob:")):
            self.strangers.append(request.url)

    def check(self) -> None:
        assert self.strangers == []
        assert [error for error in self.errors if not any(part in error for part in self.allowed)] == []


@asynccontextmanager
async def opened(
    url: str,
    profile: Path,
    *,
    language: Literal["en-GB", "zh-CN"] = "en-GB",
    scheme: Literal["light", "dark"] = "light",
    width: int = 1360,
    height: int = 900,
    allowed: tuple[str, ...] = (),
    ours: bool = True,
) -> AsyncIterator[Page]:
    """Open a browser; at the end no error was logged and no request has left the service.

    Args:
        url: the service; the page's paths are relative to it.
        profile: an empty folder.
        language: what the browser prefers.
        scheme: what the system prefers.
        width: of the window.
        height: of the window.
        allowed: parts of console errors that belong to what is tried.
        ours: whether it is our page; what another logs and asks is its own affair.
    """
    async with async_playwright() as playwright:
        context = await playwright.chromium.launch_persistent_context(
            profile,
            executable_path=chromium(),
            args=_FLAGS,
            base_url=url,
            locale=language,
            color_scheme=scheme,
            reduced_motion="reduce",
            viewport={"width": width, "height": height},
        )
        context.set_default_timeout(30_000)
        page, noticed = context.pages[0], Noticed(url, allowed=allowed)
        page.on("console", noticed.hear)
        page.on("pageerror", lambda error: noticed.errors.append(f"uncaught: {error}"))
        context.on("request", noticed.see)
        try:
            yield page
        finally:
            await context.close()
        if ours:
            noticed.check()
