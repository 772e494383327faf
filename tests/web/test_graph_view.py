"""The graph, its table, its filters and its export."""

import json
import re
from pathlib import Path

from playwright.async_api import Page, expect

from tests.web.asking import ask
from tests.web.conftest import Open


async def shown(page: Page) -> tuple[int, int]:
    """Return how many entities and relations are in sight, once the view is at rest."""
    await page.locator(".graph-stage[data-busy=false]").wait_for()
    counts = await page.locator(".graph-bar [role=status]").text_content()
    entities, relations = re.findall(r"\d+", counts or "")
    return int(entities), int(relations)


async def test_a_small_memory_is_shown_whole(visit: Open, filled: str) -> None:
    async with visit() as page:
        await page.goto(f"/#/graph?space={filled}")
        await page.locator(".relation-choices").wait_for()
        assert await shown(page) == (63, 127)
        await expect(page.locator(".graph-canvas canvas").first).to_be_visible()


async def test_start_expand_filter_and_hide(visit: Open, filled: str) -> None:
    async with visit(language="zh-CN") as page:
        await page.goto(f"/#/entities?space={filled}")
        await page.get_by_role("link", name=re.compile("关羽")).first.click()
        await page.get_by_role("link", name="在图谱中").click()
        await page.locator(".graph-selected").wait_for()
        entities, relations = await shown(page)
        assert entities > 3
        await page.locator(".graph-selected").get_by_role("button", name="刘备").first.click()
        await page.get_by_role("button", name="展开", exact=True).click()
        await expect(page.locator(".graph-selected h2")).to_have_text("刘备")
        counts = page.locator(".graph-bar [role=status]")
        await expect(counts).not_to_have_text(f"{entities} 个实体 · {relations} 条关系")
        more, related = await shown(page)
        assert more > entities
        await page.locator(".relation-choices").get_by_text("弟弟", exact=True).click()
        await expect(counts).not_to_have_text(f"{more} 个实体 · {related} 条关系")
        assert (await shown(page))[1] < related
        await page.get_by_role("button", name="隐藏", exact=True).click()
        await expect(counts).to_have_text(re.compile(rf"^{more - 1} 个实体"))


async def test_the_table_and_the_export_say_the_same(visit: Open, filled: str, tmp_path: Path) -> None:
    async with visit() as page:
        await page.goto(f"/#/graph?space={filled}")
        await page.locator(".relation-choices").wait_for()
        entities, relations = await shown(page)
        await page.get_by_role("button", name="As a table").click()
        lonely = page.get_by_text("no relations in sight")
        await expect(page.locator(".graph-table tbody tr")).to_have_count(relations + await lonely.count())
        async with page.expect_download() as download:
            await page.get_by_role("button", name="Export JSON").click()
        saved = tmp_path / "graph.json"
        await (await download.value).save_as(saved)
        document = json.loads(saved.read_text(encoding="utf-8"))
        assert (len(document["entities"]), len(document["relations"])) == (entities, relations)
        assert {"source", "relation", "target", "strength"} <= document["relations"][0].keys()


async def test_active_entities_are_shown_with_their_bindings(visit: Open, url: str, own: str) -> None:
    said = {"text": "Irene Adler moved to Trenton.", "space": own, "conversation": "talk"}
    await ask(url, "mutation ($i: ProjectEntityInput!) { projectEntity(input: $i) { __typename } }", i=said)
    async with visit() as page:
        await page.goto(f"/#/graph?space={own}&conversation=talk")
        await page.locator(".relation-choices").wait_for()
        entities, relations = await shown(page)
        await page.get_by_role("checkbox", name=re.compile("Active entities of “talk”")).check()
        more = f"{entities + 1} entities · {relations + 1} relations"
        await expect(page.locator(".graph-bar [role=status]")).to_have_text(more)
        await page.get_by_role("button", name="As a table").click()
        bound = page.locator(".graph-table tr").filter(has_text="stands for")
        await expect(bound).to_have_count(1)
        await expect(bound.get_by_role("link", name="Irene Adler")).to_be_visible()
