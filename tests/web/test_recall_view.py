"""Recall, why-not and projection on the page, in both languages."""

import re

from playwright.async_api import expect

from tests.web.conftest import Open


async def test_recall_in_english(visit: Open, filled: str) -> None:
    async with visit() as page:
        await page.goto(f"/#/recall?space={filled}")
        await page.get_by_role("textbox", name="Text").fill("And Sherlock's brother stayed at home in Pall Mall.")
        await page.keyboard.press("Enter")
        cards = page.locator(".match")
        first = cards.first
        await expect(first.get_by_role("heading")).to_have_text("Sherlock Holmes")
        await expect(first.get_by_text("Attached", exact=True)).to_be_visible()
        await expect(page.locator("blockquote mark").first).to_have_text("Sherlock")
        mycroft = cards.filter(has=page.get_by_role("heading", name="Mycroft Holmes"))
        # Each is the other's brother: either relation may be the one that counts.
        ways = re.compile("Sherlock Holmesbrother → Mycroft Holmes|Mycroft Holmesbrother → Sherlock Holmes")
        await expect(mycroft.locator(".path").first).to_have_text(ways)


async def test_shares_of_the_bar_sum_to_the_score(visit: Open, filled: str) -> None:
    async with visit(language="zh-CN", scheme="dark") as page:
        await page.goto(f"/#/recall?space={filled}&q=说到底，刘备的弟弟你更喜欢哪一个？")
        await expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
        first = page.locator(".match").first
        await expect(first.get_by_role("heading")).to_have_text("刘备")
        told = await first.get_by_role("img").get_attribute("aria-label")
        score, *shares = (float(number) for number in re.findall(r"\d\.\d\d", told or ""))
        assert abs(score - sum(shares)) < 0.01 * len(shares)
        widths = await first.locator(".bar span").evaluate_all("bars => bars.map(bar => parseFloat(bar.style.width))")
        assert abs(sum(widths) / 100 - score) < 0.01
        await expect(page.locator("blockquote mark").nth(1)).to_have_text("弟弟")


async def test_why_not_somebody_picked_by_name(visit: Open, filled: str) -> None:
    async with visit() as page:
        await page.goto(f"/#/recall?space={filled}&q=Watson never got over that day.")
        picker = page.get_by_role("combobox", name=re.compile("Pick an entity"))
        await picker.fill("Irene")
        await expect(page.get_by_role("option", name=re.compile("Irene Adler"))).to_be_visible()
        await page.keyboard.press("Enter")
        answer = page.locator(".match").filter(has=page.get_by_role("heading", name="Why Irene Adler?"))
        await expect(answer).to_be_visible()
        await expect(answer.get_by_text("Attached", exact=True)).to_have_count(0)


async def test_projecting_cannot_be_taken_for_recalling(visit: Open, own: str) -> None:
    async with visit() as page:
        await page.goto(f"/#/recall?space={own}&conversation=talk")
        await page.get_by_text("Nothing is stored.").wait_for()
        await page.get_by_role("radio", name=re.compile("Project")).check()
        await expect(page.get_by_text(f"stored as evidence in conversation “talk” of space “{own}”")).to_be_visible()
        await page.get_by_role("textbox", name="Text").fill("Irene Adler moved to Trenton.")
        await page.get_by_role("button", name="Project and store").click()
        stored = page.get_by_role("status").filter(has_text="Stored")
        await expect(stored).to_contain_text("Irene Adler")
        await expect(page.get_by_role("radio", name=re.compile("Recall"))).to_be_checked()
        await expect(page.get_by_role("textbox", name="Text")).to_have_value("")


async def test_a_text_is_never_markup(visit: Open, filled: str) -> None:
    async with visit() as page:
        await page.goto(f"/#/recall?space={filled}")
        hostile = "Watson <img src=x onerror=alert(1)> <b>bold</b>"
        await page.get_by_role("textbox", name="Text").fill(hostile)
        await page.get_by_role("button", name="Recall", exact=True).click()
        await expect(page.locator("blockquote")).to_have_text(hostile)
        await expect(page.locator("blockquote b, blockquote img")).to_have_count(0)
