"""Make the pictures of docs/page.md and docs/neo4j-browser.md: packaged model, a managed Neo4j of its own."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

import httpx
from playwright.async_api import Page

from api.settings import Settings
from api.wiring import open_service
from graph.neo4j_home import Home, read_password
from tests.web.browser import opened
from tests.web.conftest import fill, serving

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"
STYLE = (PICTURES.parents[1] / "docker" / "browser" / "style.grass").read_text(encoding="utf-8")
QUERY = """MATCH path = (:Entity {subject: '关羽'})-[:KNOWN_AS|HAS_IMPRESSION|HAS_FEATURE|RELATES_TO]-() RETURN path"""
SPACE = "default"
RECALL = "recall?q=And Sherlock's brother stayed at home in Pall Mall."
SAID = {
    "Holmes": "Sherlock Holmes looked tired of London again, and Watson noticed it first.",
    "Wren": "Miss Wren is the new typist in Baker Street; she knows Mrs. Hudson well.",
    "Moriarty": "Moriarty was seen at the station, in a great hurry.",
}
OBSERVED: list[dict[str, Any]] = [
    {
        "proposedSubject": "Sherlock Holmes",
        "impressions": [{"text": "seems tired of London", "evidence": SAID["Holmes"], "confidence": 0.8}],
    },
    {
        "proposedSubject": "Miss Wren",
        "features": [{"text": "typist in Baker Street", "evidence": SAID["Wren"], "confidence": 0.9}],
        "relations": [{"target": "Mrs. Hudson", "relation": "acquaintance", "evidence": SAID["Wren"], "strength": 0.6}],
    },
    {"proposedSubject": "Moriarty", "features": [{"text": "was seen at the station", "evidence": SAID["Moriarty"]}]},
]
SUBMIT = """
mutation ($plans: [ObservationPlanInput!]!, $rolling: RollingInput!) {
  submitObservations(plans: $plans, rolling: $rolling, confirm: MANUAL) { ... on UpdateRun { id } }
}
"""


async def main() -> None:
    """Make all pictures."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with open_service(Settings(home=Path(folder) / "home")) as service:
            await fill(service, SPACE)
            async with serving(service) as url:
                run = await _submit(url)
                async with opened(url, Path(folder) / "light") as page:
                    # The first recalls are slow: queries are planned, code compiled. The picture shows what is usual.
                    for _ in range(20):
                        await page.goto(f"/#/{RECALL}")
                        await page.locator(".match").first.wait_for()
                        await page.reload()
                    await _shoot(page, RECALL, ".match", "recall")
                    await _shoot(page, f"runs/{run}", ".plan-step", "run")
                    await _shoot(page, "graph", ".relation-choices", "graph")
                async with opened(url, Path(folder) / "dark", language="zh-CN", scheme="dark") as page:
                    await page.goto("/#/entities")
                    await page.get_by_role("searchbox").fill("关羽")
                    await page.locator(".name").filter(has_text="关羽").first.click()
                    await page.locator(".statement").first.wait_for()
                    await page.screenshot(path=PICTURES / "entity.png")
            password = read_password(Home(Path(folder) / "home"))
            assert service.browser_url
            assert password
            async with opened(service.browser_url, Path(folder) / "neo4j", ours=False) as page:
                await _shoot_neo4j_browser(page, service.bolt_uri, password)


async def _shoot_neo4j_browser(page: Page, bolt_uri: str, password: str) -> None:
    await page.goto("/browser/")
    await page.get_by_test_id("boltaddress").wait_for()
    await page.locator("select").first.select_option("bolt://")
    await page.get_by_test_id("boltaddress").fill(bolt_uri.removeprefix("bolt://"))
    await page.get_by_test_id("username").fill("neo4j")
    await page.get_by_test_id("password").fill(password)
    await page.get_by_test_id("connect").click()
    await page.get_by_test_id("activeEditor").wait_for()
    await page.wait_for_timeout(5000)  # it looks at the whole database first
    carried = await page.evaluate_handle(
        "text => { const all = new DataTransfer(); all.items.add(new File([text], 'style.grass')); return all }", STYLE
    )
    for event in ("dragenter", "dragover", "drop"):
        await page.dispatch_event("[data-testid=activeEditor]", event, {"dataTransfer": carried})
    await page.wait_for_timeout(2000)
    await page.locator(".monaco-editor").first.click()
    await page.keyboard.insert_text(QUERY)
    await page.keyboard.press("Control+Enter")
    await page.wait_for_timeout(8000)  # until its layout is at rest
    await page.screenshot(path=PICTURES / "neo4j-browser.png")


async def _submit(url: str) -> str:
    rolling = {"summary": "Of Baker Street.", "messages": [{"role": "user", "text": each} for each in SAID.values()]}
    variables = {"plans": [{"observations": OBSERVED}], "rolling": rolling}
    async with httpx.AsyncClient(base_url=url, timeout=60) as client:
        told = (await client.post("/graphql", json={"query": SUBMIT, "variables": variables})).json()
    return str(told["data"]["submitObservations"]["id"])


async def _shoot(page: Page, address: str, settled: str, name: str) -> None:
    await page.goto(f"/#/{address}")
    await page.locator(settled).first.wait_for()
    await page.locator(".graph-stage[data-busy=true]").wait_for(state="detached")
    await page.wait_for_timeout(1000)  # a canvas says nothing when it has been painted
    await page.screenshot(path=PICTURES / f"{name}.png")


if __name__ == "__main__":
    asyncio.run(main())
