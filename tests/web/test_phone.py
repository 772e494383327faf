"""On a phone: nothing is wider than the screen, and every view can be used."""

import re
from typing import Literal

import pytest
from playwright.async_api import Locator, Page, expect

from tests.web.conftest import Open

PHONE = {"width": 390, "height": 844}


async def fits(page: Page, what: str) -> None:
    wide = await page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] : [...document.querySelectorAll("body *")]
             .filter(each => each.getBoundingClientRect().right > innerWidth + 1).map(each => each.className)"""
    )
    assert wide == [], what


@pytest.mark.parametrize("language", ["en-GB", "zh-CN"])
async def test_no_view_is_wider_than_the_screen(
    visit: Open, addresses: dict[str, str], language: Literal["en-GB", "zh-CN"]
) -> None:
    async with visit(language=language, **PHONE) as page:
        for address, settled in addresses.items():
            await page.goto("about:blank")
            await page.goto(f"/#/{address}")
            await page.locator(settled).first.wait_for()
            await fits(page, address)


@pytest.mark.usefixtures("run")
async def test_every_view_can_be_used(visit: Open, own: str) -> None:
    async with visit(**PHONE) as page:
        await page.goto(f"/#/recall?space={own}")
        await page.get_by_role("textbox", name="Text").fill("Watson never got over that day.")
        await page.get_by_role("button", name="Recall", exact=True).click()
        await page.get_by_role("link", name="Dr. John Watson").click()
        await page.get_by_role("button", name="Rename").click()
        dialog = page.get_by_role("dialog", name="Rename")
        await within(page, dialog.get_by_role("button", name="Preview the change"))
        await dialog.get_by_role("button", name="Cancel").click()
        await page.get_by_role("link", name="In the graph").click()
        await page.locator(".graph-stage[data-busy=false] canvas").first.wait_for()
        await within(page, page.get_by_role("button", name="As a table"))
        await page.get_by_role("button", name="As a table").click()
        await expect(page.locator(".graph-table tbody tr").first).to_be_visible()
        await fits(page, "the graph's table")
        await page.get_by_role("link", name="Runs", exact=True).click()
        await page.locator(".run-line").click()
        await within(page, page.get_by_role("button", name="Confirm and apply"))
        await page.get_by_role("link", name=re.compile("← Update runs")).click()
        await expect(page.locator(".run-line")).to_be_visible()
        await page.get_by_role("button", name="Inspect").click()
        await within(page, page.get_by_role("dialog").get_by_role("button", name="Close"))


async def within(page: Page, element: Locator) -> None:
    """See that an element can be reached by a thumb: wholly on the screen, once it is scrolled to."""
    await element.scroll_into_view_if_needed()
    box = await element.bounding_box()
    assert box
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["width"]
    await fits(page, "with a dialog or after a step")
