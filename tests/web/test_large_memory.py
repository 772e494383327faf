"""2,000 entities and 5,000 relations: drawn, listed and filtered without the page standing still."""

import json
import random
import re
import uuid

import pytest
from playwright.async_api import expect

from api.wiring import Service
from resolvers.transfer.importing import import_entities
from tests.web.conftest import Open

ENTITIES = 2_000
RELATIONS = 5_000
WHOLE = re.compile(r"^2,000 entities · (4,9\d\d|5,000) relations$")  # of a hub the service tells 500


def memory() -> list[bytes]:
    chance = random.Random(6)
    pairs: dict[tuple[int, int], str] = {}
    while len(pairs) < RELATIONS:
        source, target = chance.randrange(ENTITIES), min(ENTITIES - 1, int(chance.paretovariate(0.5)))
        if source != target:
            pairs[source, target] = chance.choice(["friend", "neighbour", "teacher", "同事", "朋友"])
    relations: dict[int, list[dict[str, str]]] = {}
    for (source, target), relation in pairs.items():
        relations.setdefault(source, []).append({"relation": relation, "target": f"Person {target}"})
    return [
        json.dumps({"subject": f"Person {number}", "relations": relations.get(number, [])}).encode()
        for number in range(ENTITIES)
    ]


@pytest.mark.slow
async def test_a_large_memory_stays_usable(visit: Open, service: Service) -> None:
    space = f"web-{uuid.uuid4().hex[:12]}"
    report = await import_entities(service.store, service.embedder, service.clock, memory(), space=space)
    assert (report.entities_created, report.relations) == (ENTITIES, RELATIONS)
    async with visit() as page:
        await page.goto(f"/#/graph?space={space}")
        await page.locator(".graph-start").get_by_role("button", name="Show the whole memory").click()
        counts = page.locator(".graph-bar [role=status]")
        await expect(counts).to_have_text(WHOLE, timeout=180_000)
        await page.get_by_role("button", name="As a table").click()
        rows = page.locator(".graph-table tbody tr")
        await expect(rows).to_have_count(200)
        await expect(page.get_by_text(re.compile(r"^200 of [45],\d+ shown"))).to_be_visible()
        await page.get_by_role("button", name="Show more").click()
        await expect(rows).to_have_count(400)
        friends = page.locator(".relation-choices label").filter(has_text="friend")
        await friends.click()
        await expect(counts).not_to_have_text(WHOLE)
        await expect(rows.first).to_be_visible()
        await page.get_by_role("button", name="As a graph").click()
        await expect(page.locator(".graph-canvas canvas").first).to_be_visible()
        longest = await page.evaluate(
            """() => new Promise(told => {
                 let last = performance.now(), longest = 0, left = 30
                 const step = () => {
                   const now = performance.now()
                   longest = Math.max(longest, now - last); last = now
                   left-- ? requestAnimationFrame(step) : told(longest)
                 }
                 requestAnimationFrame(step)
               })"""
        )
        assert longest < 5_000
        await page.goto(f"/#/entities?space={space}")
        await expect(page.locator(".name")).to_have_count(60)
        await page.get_by_role("button", name="Show more").click()
        await expect(page.locator(".name")).to_have_count(120)
        await page.get_by_role("searchbox").fill("Person 1999")
        await expect(page.locator(".name")).to_have_count(1)
