"""What holds for every view: themes, languages, keyboard, axe, the key, a lost connection, the first visit."""

import asyncio
import re
import uuid
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page, expect
from pydantic import SecretStr

from api.page import BUILT
from api.wiring import Service
from tests.web.browser import opened
from tests.web.conftest import Open, serving
from tests.web.test_accessible import serious

VIEWS = {
    "recall": ("recall?q=And Sherlock's brother stayed at home.", ".match"),
    "graph": ("graph?", ".relation-choices"),
    "entities": ("entities?", ".name"),
    "runs": ("runs?", ".empty"),
}


async def open_view(page: Page, name: str, space: str) -> None:
    path, settled = VIEWS[name]
    await page.goto(f"/#/{path}&space={space}")
    await page.locator(settled).first.wait_for()
    await page.locator(".graph-stage[data-busy=true]").wait_for(state="detached")


async def test_language_and_theme_are_chosen_and_kept(visit: Open, filled: str) -> None:
    async with visit(language="zh-CN", scheme="light") as page:
        await open_view(page, "entities", filled)
        await expect(page.get_by_role("heading", level=1)).to_have_text("实体")
        await page.get_by_role("button", name=re.compile("Switch to English")).click()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Entities")
        light = await background(page)
        await page.get_by_role("combobox", name="Theme").select_option("dark")
        dark = await background(page)
        assert light > 600 > dark
        await page.reload()
        await expect(page.get_by_role("heading", level=1)).to_have_text("Entities")
        assert await background(page) == dark


async def background(page: Page) -> int:
    """Return how light the page is, from 0 to 765."""
    told = await page.locator("body").evaluate("body => getComputedStyle(body).backgroundColor")
    return sum(int(part) for part in re.findall(r"\d+", told)[:3])


async def test_by_keyboard_alone(visit: Open, filled: str) -> None:
    async with visit() as page:
        await page.goto(f"/#/recall?space={filled}")
        await page.locator("h1").wait_for()
        await page.keyboard.press("Tab")
        await expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("main")).to_be_focused()
        for _ in range(2):  # the two modes are one stop, then the text
            await page.keyboard.press("Tab")
        await page.keyboard.type("Watson never got over that day.")
        await page.keyboard.press("Enter")
        link = page.get_by_role("link", name="Dr. John Watson")
        await link.wait_for()
        while not await link.evaluate("element => element === document.activeElement"):
            await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", level=1)).to_have_text("Dr. John Watson")
        await expect(page.get_by_role("heading", level=1)).to_be_visible()


async def test_the_first_visit_says_what_to_do_and_loads_the_example(visit: Open) -> None:
    async with visit() as page:
        await page.goto(f"/#/recall?space=web-{uuid.uuid4().hex[:12]}")
        await expect(page.get_by_role("heading", name="This memory is empty")).to_be_visible()
        await page.get_by_role("button", name="Load the example memory").click()
        await expect(page.get_by_role("heading", name="This memory is empty")).to_have_count(0, timeout=90_000)
        await page.get_by_role("textbox", name="Text").fill("刘备的弟弟是谁？")
        await page.keyboard.press("Enter")
        await expect(page.locator(".match").first).to_be_visible()


async def test_a_lost_connection_is_told_and_found_again(visit: Open, url: str, filled: str) -> None:
    async with visit(allowed=("ERR_CONNECTION_REFUSED",)) as page:
        await open_view(page, "entities", filled)
        async with gone(page, url):
            await page.get_by_role("searchbox").fill("Watson")
            await expect(page.get_by_text("The service does not answer. Looking for it…")).to_be_visible()
        await expect(page.get_by_text("Looking for it…")).to_have_count(0)
        await expect(page.locator(".name")).to_have_text([re.compile("Dr. John Watson"), re.compile("Mary Morstan")])


class gone:  # noqa: N801 -- reads as a state
    """The service cannot be reached for as long as the block lasts."""

    def __init__(self, page: Page, url: str) -> None:
        self._page, self._pattern = page, f"{url}/**"

    async def __aenter__(self) -> None:
        await self._page.route(self._pattern, lambda route: route.abort("connectionrefused"))

    async def __aexit__(self, *_: object) -> None:
        await self._page.unroute(self._pattern)


async def test_with_a_key_the_page_asks_for_it(service: Service, tmp_path: Path, filled: str) -> None:
    locked = replace(service, settings=service.settings.model_copy(update={"api_key": SecretStr("the right key")}))
    async with serving(locked) as url, opened(url, tmp_path / "profile", allowed=("401",)) as page:
        await page.goto(f"/#/entities?space={filled}")
        dialog = page.get_by_role("dialog", name="This memory is locked")
        await dialog.wait_for()
        assert await serious(page) == []
        await dialog.get_by_label("API key").fill("a wrong key")
        await dialog.get_by_role("button", name="Unlock").click()
        await expect(dialog).to_contain_text("That key was refused.")
        await dialog.get_by_label("API key").fill("the right key")
        await dialog.get_by_role("button", name="Unlock").click()
        await expect(page.locator(".name").first).to_be_visible()
        await page.goto("/graphql")
        await page.locator(".graphiql-container").wait_for()


async def test_the_key_goes_with_subscriptions_too(service: Service, tmp_path: Path, own: str, run: str) -> None:
    locked = replace(service, settings=service.settings.model_copy(update={"api_key": SecretStr("the right key")}))
    heard: list[str] = []
    async with serving(locked) as url, opened(url, tmp_path / "profile", allowed=("401",)) as page:
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: heard.append(str(frame))))
        await page.goto(f"/#/runs/{run}?space={own}")
        dialog = page.get_by_role("dialog", name="This memory is locked")
        await dialog.get_by_label("API key").fill("the right key")
        await dialog.get_by_role("button", name="Unlock").click()
        await expect(page.locator(".plan-step").first).to_be_visible()
        async with asyncio.timeout(60):
            while not any('"next"' in frame and run in frame for frame in heard):  # noqa: ASYNC110 -- no event for it
                await asyncio.sleep(0.05)


async def test_graphiql_asks_over_http_and_websocket(visit: Open) -> None:
    async with visit() as page:
        await page.goto("/graphql")
        await expect(page.locator(".graphiql-query-editor")).to_contain_text("Reads only")
        await page.get_by_role("button", name=re.compile("Execute")).click()
        await expect(page.locator(".result-window")).to_contain_text("__typename")
        await page.get_by_role("tab", name="Changes").click()
        await expect(page.locator(".graphiql-query-editor")).to_contain_text("Hear of every")
        async with page.expect_websocket() as socket:
            await page.get_by_role("button", name=re.compile("Execute")).click()
        assert (await socket.value).url.endswith("/graphql")


def test_the_first_load_is_small() -> None:
    if not (BUILT / "index.html").is_file():
        pytest.skip("the page has not been built: make page")
    html = (BUILT / "index.html").read_text(encoding="utf-8")
    named = re.findall(r"/assets/([\w.-]+)", html)
    graph = [path.name for path in (BUILT / "assets").glob("GraphView-*.js")]
    sizes: dict[str, Any] = {
        name: (BUILT / "assets" / f"{name}.br").stat().st_size
        for name in [*named, *graph]
        if (BUILT / "assets" / f"{name}.br").is_file()
    }
    assert graph
    assert sum(sizes.values()) < 400_000, sizes
