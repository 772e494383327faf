"""Runs: a plan from preview to undo, and a postponed observation that is decided."""

from typing import Any

import pytest
from playwright.async_api import expect

from tests.web.conftest import Open, ask

SUBMIT = """
mutation ($plans: [ObservationPlanInput!]!, $rolling: RollingInput!, $space: String!) {
  submitObservations(plans: $plans, rolling: $rolling, space: $space, confirm: MANUAL) {
    __typename
    ... on UpdateRun { id status }
  }
}
"""
CONFIRM = "mutation ($run: ID!, $space: String!) { confirmUpdate(runId: $run, space: $space) { __typename } }"
TIRED = "Sherlock Holmes looked tired of London again."
WHO = "Moriarty was seen at the station, in a great hurry."


@pytest.fixture
async def run(url: str, own: str) -> str:
    observations: list[dict[str, Any]] = [
        {
            "proposedSubject": "Sherlock Holmes",
            "impressions": [{"text": "seems tired of London", "evidence": TIRED, "confidence": 0.8}],
        },
        {"proposedSubject": "Moriarty", "features": [{"text": "was seen at the station", "evidence": WHO}]},
    ]
    rolling = {"summary": "Of Holmes and Moriarty.", "messages": [{"role": "user", "text": t} for t in (TIRED, WHO)]}
    told = await ask(url, SUBMIT, plans=[{"observations": observations}], rolling=rolling, space=own)
    assert told["submitObservations"]["status"] == "PREPARED"
    return str(told["submitObservations"]["id"])


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
    found = await ask(url, 'query ($s: String!) { entityByName(name: "Sherlock Holmes", space: $s) { uuid } }', s=own)
    later = 'mutation ($u: ID!, $s: String!) { addAlias(uuid: $u, alias: "Basil", space: $s) { __typename } }'
    await ask(url, later, u=found["entityByName"][0]["uuid"], s=own)
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
