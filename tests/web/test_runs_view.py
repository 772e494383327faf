"""Runs: a plan from preview to undo, and a postponed observation that is decided."""

from playwright.async_api import expect

from tests.web.asking import ask
from tests.web.conftest import Open
from tests.web.scenes import LONDON, TIRED, WHO, submit, uuid_of

CONFIRM = "mutation ($run: ID!, $space: String!) { confirmUpdate(runId: $run, space: $space) { __typename } }"


async def test_a_run_from_preview_to_undo(visit: Open, own: str, run: str) -> None:
    async with visit() as page:
        await page.goto(f"/#/runs?space={own}")
        await page.locator(".run-line").click()
        assert run in page.url
        detail = page.locator(".run-detail")
        await expect(detail.locator("ins")).to_contain_text("seems tired of London")
        await detail.get_by_role("button", name="Confirm and apply").click()
        await expect(detail.get_by_text("Applied", exact=True)).to_be_visible()
        await detail.get_by_role("link", name="Sherlock Holmes").first.click()
        statement = page.locator(".statement").filter(has_text="seems tired of London")
        await statement.locator("summary").click()
        await expect(statement.locator("blockquote")).to_have_text(TIRED)
        await page.go_back()
        await detail.get_by_role("button", name="Undo this run").click()
        await expect(detail.get_by_text("Undone", exact=True)).to_be_visible()


async def test_an_undo_that_others_built_upon_is_refused_with_the_conflicts(
    visit: Open, url: str, own: str, run: str
) -> None:
    await ask(url, CONFIRM, run=run, space=own)
    later = 'mutation ($u: ID!, $s: String!) { addAlias(uuid: $u, alias: "Basil", space: $s) { __typename } }'
    await ask(url, later, u=await uuid_of(url, own, "Sherlock Holmes"), s=own)
    async with visit() as page:
        await page.goto(f"/#/runs/{run}?space={own}")
        await page.get_by_role("button", name="Undo this run").click()
        await expect(page.get_by_role("alert")).to_contain_text("Sherlock Holmes")


async def test_a_postponed_observation_is_decided(visit: Open, url: str, own: str, run: str) -> None:
    await ask(url, CONFIRM, run=run, space=own)  # what a plan leaves out waits from when it lands
    async with visit(language="zh-CN") as page:
        await page.goto(f"/#/runs?space={own}")
        pending = page.locator(".pending")
        await expect(pending).to_contain_text("不止一个实体叫这个名字")
        await pending.get_by_role("button", name="就是Professor James Moriarty").click()
        await expect(pending).to_have_count(0)
        await page.goto(f"/#/entities?space={own}")
        await page.get_by_role("searchbox").fill("Professor")
        await page.locator(".name").filter(has_text="Professor James Moriarty").click()
        await expect(page.locator(".statement").filter(has_text="was seen at the station")).to_be_visible()


async def test_of_many_that_wait_the_latest_are_shown_with_their_number(visit: Open, url: str, own: str) -> None:
    said = "The guests brought cherry cakes"
    seen = [
        {
            "proposedSubject": f"Guest {place}",
            "confidence": 0.3,
            "features": [{"text": "brought a cherry cake", "evidence": said}],
        }
        for place in range(53)
    ]
    waits = await submit(url, own, [*LONDON, *seen], (TIRED, WHO, said))
    await ask(url, CONFIRM, run=waits, space=own)
    async with visit() as page:
        await page.goto(f"/#/runs?space={own}")
        await expect(page.locator(".pending")).to_have_count(50)
        await expect(page.get_by_text("The latest 50 of 54.")).to_be_visible()
