"""axe finds nothing serious: every view, every dialog and the diff of a run, in both themes and both languages."""

import json
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final, Literal

import pytest
from playwright.async_api import Page

from tests.web.conftest import Open

AXE: Final = Path(__file__).parents[2] / "api" / "web" / "node_modules" / "axe-core" / "axe.min.js"
Look = Callable[[str], Awaitable[None]]


async def serious(page: Page) -> list[str]:
    """Return what axe finds serious or worse. Its script comes past the policy, which a page's own could not."""
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: make page")
    session = await page.context.new_cdp_session(page)
    await session.send("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
    asked = {"expression": "axe.run().then(JSON.stringify)", "awaitPromise": True, "returnByValue": True}
    told = json.loads((await session.send("Runtime.evaluate", asked))["result"]["value"])
    return [
        f"{found['id']}: {node['html'][:120]}"
        for found in told["violations"]
        if found["impact"] in {"serious", "critical"}
        for node in found["nodes"]
    ]


@pytest.mark.parametrize(("language", "scheme"), [("en-GB", "light"), ("zh-CN", "dark")])
async def test_axe_finds_nothing_serious(
    visit: Open,
    own: str,
    addresses: dict[str, str],
    language: Literal["en-GB", "zh-CN"],
    scheme: Literal["light", "dark"],
) -> None:
    found: list[str] = []
    async with visit(language=language, scheme=scheme) as page:

        async def look(what: str) -> None:
            found.extend(f"{what}: {each}" for each in await serious(page))

        for address, settled in addresses.items():
            await page.goto("about:blank")
            await page.goto(f"/#/{address}")
            await page.locator(settled).first.wait_for()
            await look(address)
        await page.goto(f"/#/graph?space={own}")
        await page.locator(".graph-stage[data-busy=false]").wait_for()
        await page.get_by_role("button", name=re.compile("^(As a table|表格)$")).click()
        await page.locator(".graph-table tbody tr").first.wait_for()
        await look("the graph's table")
        card = next(address for address in addresses if address.startswith("entity/"))
        await _dialogs(page, card, own, look)
    assert found == []


async def _dialogs(page: Page, card: str, space: str, look: Look) -> None:
    dialog = page.get_by_role("dialog")
    close = re.compile("^(Close|关闭|Cancel|取消)$")
    await page.get_by_role("button", name=re.compile("^(Inspect|查看底层)$")).click()
    await look("inspect")
    await dialog.get_by_role("button", name=close).click()
    await page.goto(f"/#/entities?space={space}")
    await page.get_by_role("button", name=re.compile("^(New entity|新建实体)$")).click()
    await look("new entity")
    await dialog.get_by_role("button", name=close).click()
    await page.goto(f"/#/{card}")
    for name in (
        "Rename|改名",
        "Merge|合并",
        "Forget|遗忘",
        r"\+ (name|名字)",
        "Add a relation|添加关系",
        "Add a feature|添加特征",
        "(Remove the name|移除名字) ?Mr. Holmes",
        "(Change: |修改：)gets restless.*",
    ):
        await page.get_by_role("button", name=re.compile(f"^({name})$")).click()
        await dialog.first.wait_for()
        await look(name)
        if not name.startswith("(Remove the name"):
            await dialog.get_by_role("button", name=close).click()
            continue
        await dialog.get_by_role("button", name=re.compile("^(Preview the change|预览改动)$")).click()
        await page.locator("dialog ins, dialog del").first.wait_for()
        await look("the diff of an edit")
        await dialog.get_by_role("button", name=re.compile("^(Discard|放弃)$")).click()
        await dialog.first.get_by_role("button", name=close).click()
    await page.get_by_role("button", name=re.compile("^(Forget|遗忘)$")).click()
    await dialog.get_by_role("textbox").fill("Sherlock Holmes")
    await dialog.get_by_role("button", name=re.compile("^(Forget for good|永远遗忘)$")).click()
    await dialog.get_by_role("button", name=re.compile("^(Close|关闭)$")).wait_for()
    await look("the notice of a forgetting")
