"""The observer against a real model on a real server with a real grammar: shape and safety, never quality."""

import pytest

from resolvers.update.observe import InstructorObserver
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.observer_port import FailureCode, ObservationFailed, Observed, ObserverSettings
from resolvers.update.seen import ActiveSource, Rolling
from tests import local_llm
from tests.resolvers.update.test_prompts import CHINESE, source

MOST_TOKENS = 512
PATIENCE = 120.0


@pytest.mark.slow
@pytest.mark.timeout(PATIENCE + 90)
@pytest.mark.skipif(not local_llm.is_installed(), reason="the dependency group local-llm is not installed")
async def test_a_real_model_on_a_real_server() -> None:
    async with local_llm.serving() as base_url:
        settings = ObserverSettings(
            model="openai/smollm2",
            base_url=base_url,
            timeout_seconds=PATIENCE,
            max_tokens=MOST_TOKENS,
            reasks=0,
            retries=0,
        )
        observer = InstructorObserver(settings)
        try:
            outcome = await attempt(observer, CHINESE, source("小明", "小明上周搬到了 Lisbon。"))
        finally:
            await observer.close()

    assert outcome.attempts == 1
    if isinstance(outcome, ObservationFailed):
        # Such a model may ramble on, and a busy machine be slow; a refused schema would be a BAD_REQUEST.
        assert outcome.code in {FailureCode.TRUNCATED, FailureCode.TIMEOUT}
        return
    assert type(outcome.plan) is ImpressionObservationPlan
    assert outcome.prompt_tokens
    assert outcome.prompt_tokens > 500
    assert outcome.completion_tokens
    assert outcome.cut == ()  # the grammar keeps every bound


async def attempt(observer: InstructorObserver, rolling: Rolling, seen: ActiveSource) -> Observed | ObservationFailed:
    try:
        return await observer.observe(rolling, [("A1", seen)])
    except ObservationFailed as failed:
        return failed
