"""Addresses that are none, and names that would read as others."""

import pytest
from playwright.async_api import expect

from tests.web.asking import ask
from tests.web.conftest import Open

CREATE = """
mutation($space: String!) {
  createEntity(input: {space: $space, subject: "user\\u202Egnp.exe", features: [{text: "is\\u2066 odd"}]}) {
    __typename
  }
}
"""


@pytest.mark.parametrize("address", ["entity/%", "entity/%zz", "runs/%E0%A4%A", "/", "//["])
async def test_an_address_that_is_none_throws_nothing(visit: Open, address: str) -> None:
    async with visit() as page:
        thrown: list[str] = []
        page.on("pageerror", lambda error: thrown.append(str(error)))
        await page.goto(f"/#/{address}")
        await page.locator("nav").first.wait_for()
        assert thrown == []


async def test_the_order_of_letters_is_nobodys_to_turn(visit: Open, url: str, own: str) -> None:
    await ask(url, CREATE, space=own)
    async with visit() as page:
        await page.goto(f"/#/entities?space={own}")
        await page.get_by_role("searchbox").fill("exe")
        await page.locator(".name").filter(has_text="exe").first.click()
        await expect(page.locator(".entity h1")).to_have_text(r"user\u202egnp.exe")
        await expect(page.locator(".statement").first).to_contain_text(r"is\u2066 odd")
