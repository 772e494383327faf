"""A run of the language model, seen while it goes on: batches, tokens and time by subscription."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final

from playwright.async_api import expect
from pydantic import SecretStr

from api.settings import Settings
from api.wiring import Service, assemble, load_observer
from tests.openai_stub import Answer, OpenAiStub, Reply
from tests.web.asking import ask
from tests.web.browser import opened
from tests.web.conftest import serving

SAID: Final = ("Watson looked tired today.", "Irene Adler moved to Trenton.")
PROJECT: Final = "mutation ($input: ProjectEntityInput!) { projectEntity(input: $input) { __typename } }"
ROLL: Final = """
mutation ($rolling: RollingInput!, $space: String!) {
  updateImpressions(rolling: $rolling, space: $space, wait: false) { __typename ... on UpdateRun { id status } }
}
"""


def seen(subject: str, text: str, quote: str) -> dict[str, Any]:
    observation = {
        "proposedSubject": subject,
        "aliases": [],
        "impressions": [{"text": text, "evidence": quote, "confidence": 0.8}],
        "features": [],
        "relations": [],
        "sourceActiveRuntimeIds": ["A1"],
        "evidenceSnippets": [quote],
        "confidence": 0.9,
        "reason": "it was said so",
    }
    return {"observations": [observation], "status": "PREPARED", "reason": "one thing was said"}


@asynccontextmanager
async def with_model(service: Service, base_url: str) -> AsyncIterator[str]:
    """Serve with a model behind the settings, which sees one active entity at a time."""
    settings = Settings(
        llm_model="openai/scripted",
        llm_base_url=base_url,
        llm_api_key=SecretStr("none is wanted"),
        llm_concurrency=1,
        update_batch_size=1,
    )
    observer = await load_observer(settings)
    assert observer
    own = assemble(
        settings, service.store, service.embedder, observer=observer, browser_url=None, bolt_uri=service.bolt_uri
    )
    try:
        async with serving(own) as url:
            yield url
    finally:
        await own.background.close()
        await observer.close()


async def talk(url: str, space: str) -> None:
    for text in SAID:
        await ask(url, PROJECT, input={"text": text, "space": space, "conversation": "talk"})


async def roll(url: str, space: str) -> None:
    messages = [{"role": "user", "text": text} for text in SAID]
    rolling = {"summary": "Of Watson and Irene.", "conversation": "talk", "messages": messages}
    started = await ask(url, ROLL, rolling=rolling, space=space)
    assert started["updateImpressions"]["status"] == "OBSERVING"


async def test_a_run_is_seen_as_it_goes_on(service: Service, own: str, tmp_path: Path) -> None:
    first, second = asyncio.Event(), asyncio.Event()
    tired, moved = SAID
    stub = OpenAiStub(
        Answer(seen("Dr. John Watson", "looked tired", tired), after=first),
        Answer(seen("Irene Adler", "has moved to Trenton", moved), after=second),
    )
    async with stub.serving() as base_url, with_model(service, base_url) as url:
        await talk(url, own)
        async with opened(url, tmp_path / "profile") as page:
            await page.goto(f"/#/runs?space={own}")
            await expect(page.get_by_text("No runs yet")).to_be_visible()
            await roll(url, own)
            line = page.locator(".run-line")
            await expect(line).to_contain_text("Observing")
            await expect(line).to_contain_text("0 of 2 batches")
            first.set()
            await expect(line).to_contain_text("1 of 2 batches · 100 tokens in, 20 out")
            await line.click()
            detail = page.locator(".run-detail")
            await expect(detail).to_contain_text("1 of 2 batches · 100 tokens in, 20 out")
            await expect(detail).to_contain_text("The plan comes when all batches have been observed.")
            second.set()
            await expect(detail).to_contain_text(
                re.compile(r"2 of 2 batches · 200 tokens in, 40 out · \d+\.\d s of the model")
            )
            await expect(detail.get_by_text("Applied", exact=True)).to_be_visible()
            await expect(detail.locator("ins").filter(has_text="looked tired")).to_be_visible()
            await expect(line).to_contain_text("Applied")


async def test_a_partly_observed_run_is_resumed(service: Service, own: str, tmp_path: Path) -> None:
    tired, moved = SAID
    stub = OpenAiStub(
        Answer(seen("Dr. John Watson", "looked tired", tired)),
        Reply(400, '{"error": {"message": "no such model"}}'),
        Answer(seen("Irene Adler", "has moved to Trenton", moved)),
    )
    async with stub.serving() as base_url, with_model(service, base_url) as url:
        await talk(url, own)
        await roll(url, own)
        async with opened(url, tmp_path / "profile", language="zh-CN", scheme="dark") as page:
            await page.goto(f"/#/runs?space={own}")
            await page.locator(".run-line").filter(has_text="部分完成").click()
            detail = page.locator(".run-detail")
            await expect(detail).to_contain_text("2 批中完成 1 批，1 批失败")
            await expect(detail).to_contain_text("2 批中有 1 批失败：模型请求被拒绝，请检查 IMPRESSIONS_LLM_MODEL")
            await detail.get_by_role("button", name="继续").click()
            await expect(detail.get_by_text("已应用", exact=True)).to_be_visible()
            await expect(detail).to_contain_text("2 批中完成 2 批")
            await expect(detail.locator("ins").filter(has_text="has moved to Trenton")).to_be_visible()
