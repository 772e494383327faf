"""The card of an entity: what is known, and a person's edits as plans."""

import re

from playwright.async_api import Page, expect

from tests.web.conftest import Open


async def open_card(page: Page, space: str, name: str) -> None:
    await page.goto(f"/#/entities?space={space}")
    await page.get_by_role("searchbox").fill(name)
    await page.locator(".name").filter(has_text=name).first.click()
    await page.locator(".entity h1").wait_for()


async def test_a_wrong_alias_is_corrected_and_the_edit_undone(visit: Open, own: str) -> None:
    async with visit() as page:
        await open_card(page, own, "Irene Adler")
        await page.get_by_role("button", name="+ name").click()
        await page.get_by_role("textbox", name="Name", exact=True).fill("The Woman of Trenton")
        await page.get_by_role("button", name="Preview the change").click()
        diff = page.get_by_role("dialog", name="This is what will change")
        await expect(diff.locator("ins")).to_contain_text("The Woman of Trenton")
        await diff.get_by_role("button", name="Discard").click()
        await expect(diff).to_have_count(0)
        await page.get_by_role("button", name="Preview the change").click()
        await diff.get_by_role("button", name="Apply").click()
        names = page.get_by_role("list", name="Other names")
        await expect(names).to_contain_text("The Woman of Trenton")
        await page.get_by_role("link", name=re.compile("An edit")).first.click()
        await page.get_by_role("button", name="Undo this run").click()
        await expect(page.locator(".run-detail").get_by_text("Undone")).to_be_visible()
        await page.locator(".run-detail").get_by_role("link", name="Irene Adler").first.click()
        await expect(page.locator(".entity h1")).to_have_text("Irene Adler")
        await expect(names).not_to_contain_text("The Woman of Trenton")


async def test_a_statement_is_replaced(visit: Open, own: str) -> None:
    async with visit(language="zh-CN", scheme="dark") as page:
        await open_card(page, own, "关羽")
        await page.get_by_role("button", name="修改：过于骄傲，听不进劝").click()
        await page.get_by_role("textbox", name="陈述").fill("骄傲，但重情义")
        await page.get_by_role("button", name="预览改动").click()
        diff = page.get_by_role("dialog", name="将会这样改动")
        await expect(diff.locator("del")).to_contain_text("过于骄傲，听不进劝")
        await expect(diff.locator("ins")).to_contain_text("骄傲，但重情义")
        await diff.get_by_role("button", name="应用").click()
        await expect(page.locator(".statement").filter(has_text="骄傲，但重情义")).to_be_visible()


async def test_forgetting_wants_the_name_typed(visit: Open, own: str) -> None:
    async with visit() as page:
        await open_card(page, own, "Toby")
        await page.get_by_role("button", name="Forget", exact=True).click()
        dialog = page.get_by_role("dialog", name="Forget Toby?")
        forget = dialog.get_by_role("button", name="Forget for good")
        await expect(forget).to_be_disabled()
        await dialog.get_by_role("textbox").fill("Toby")
        await forget.click()
        await page.get_by_role("dialog", name="Toby is forgotten").get_by_role("button", name="Close").click()
        await page.get_by_role("searchbox").fill("Toby")
        await expect(page.get_by_text("No such name")).to_be_visible()
