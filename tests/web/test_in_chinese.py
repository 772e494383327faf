"""A Chinese reader of a Chinese memory reads Chinese: no sentence of the service is left as it was."""

import re

from playwright.async_api import Locator, Page, expect

from tests.web.asking import ask
from tests.web.conftest import Open
from tests.web.scenes import SHU, XUCHANG, submit, uuid_of

ADD_ALIAS = """
mutation ($uuid: ID!, $space: String!) {
  addAlias(uuid: $uuid, alias: "关二爷", space: $space) { __typename }
}
"""


async def speaks_chinese(place: Locator) -> None:
    """See that three English words nowhere stand in a row."""
    told = await place.inner_text()
    english = re.findall(r"\b[a-z]+(?:[ ,:]+[a-z]+){2,}", told)
    assert english == [], english


async def recalled(page: Page, text: str, space: str) -> None:
    await page.goto("about:blank")
    await page.goto(f"/#/recall?q={text}&space={space}")
    await page.locator(".match").first.wait_for()
    for summary in await page.locator("summary").all():
        await summary.click()
    await speaks_chinese(page.get_by_role("main"))


async def test_recall_and_projection(visit: Open, own: str) -> None:
    async with visit(language="zh-CN") as page:
        await recalled(page, "说到底，刘备的弟弟你更喜欢哪一个？", own)
        for text in ("好的", "关羽来过了。", "门外的石榴树开花了。"):
            await page.get_by_role("radio", name=re.compile("投射")).check()
            await page.get_by_role("textbox", name="文本").fill(text)
            await page.get_by_role("button", name="投射并存储").click()
            await expect(page.locator(".echo blockquote")).to_have_text(text)
            await speaks_chinese(page.get_by_role("main"))
        await recalled(page, "他还会来吗？", own)


async def test_a_run_from_plan_to_undo(visit: Open, url: str, own: str) -> None:
    run = await submit(url, own, SHU, XUCHANG)
    async with visit(language="zh-CN", scheme="dark") as page:
        await page.goto(f"/#/runs/{run}?space={own}")
        await page.locator(".plan-step").first.wait_for()
        await page.locator(".run-detail > details > summary").click()
        await speaks_chinese(page.get_by_role("main"))
        await page.get_by_role("button", name="确认并应用").click()
        await expect(page.locator(".run-detail").get_by_text("已应用", exact=True)).to_be_visible()
        await speaks_chinese(page.get_by_role("main"))
        await ask(url, ADD_ALIAS, uuid=await uuid_of(url, own, "关羽"), space=own)
        await page.get_by_role("button", name="撤销这次更新").click()
        await expect(page.get_by_role("alert")).to_contain_text("“关羽”此后又有改动")
        await speaks_chinese(page.get_by_role("main"))


async def test_refusals_and_forgetting(visit: Open, url: str, own: str) -> None:
    async with visit(language="zh-CN") as page:
        await page.goto(f"/#/entity/{await uuid_of(url, own, '关羽')}?space={own}")
        await page.get_by_role("button", name="改名", exact=True).click()
        dialog = page.get_by_role("dialog", name="改名")
        await dialog.get_by_role("textbox").fill("刘备")
        await dialog.get_by_role("button", name="预览改动").click()
        await expect(page.get_by_role("alert")).to_contain_text("别的实体已经叫这个名字")
        await speaks_chinese(page.get_by_role("dialog").last)
        await page.get_by_role("dialog").last.get_by_role("button", name="放弃").click()
        await dialog.get_by_role("button", name="取消").click()
        await page.get_by_role("button", name="遗忘", exact=True).click()
        await page.get_by_role("dialog").get_by_role("textbox").fill("关羽")
        await page.get_by_role("button", name="永远遗忘").click()
        forgotten = page.get_by_role("dialog", name="关羽已被遗忘")
        await expect(forgotten).to_contain_text("已遗忘：")
        await speaks_chinese(forgotten)
