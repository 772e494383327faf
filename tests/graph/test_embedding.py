"""Texts as vectors: the packaged model, batches of what is asked at once, and callers of a model that fails."""

import asyncio
import math
import threading
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from sentence_transformers import SentenceTransformer

from graph.embedding import PACKAGED, PackagedEncoder, SentenceTransformerEmbedder
from graph.errors import SetupError, Unavailable

pytestmark = pytest.mark.slow


class Watched(SentenceTransformer):
    """The packaged model, seen at work: `before` runs in its thread with the texts of each pass."""

    def __init__(self) -> None:
        super().__init__(modules=[PackagedEncoder()], device="cpu")
        self.passes: list[list[str]] = []
        self.before: Callable[[list[str]], None] = self.passes.append

    def encode_query(self, inputs: Any, *more: Any, **named: Any) -> Any:
        self.before(inputs)
        return super().encode_query(inputs, *more, **named)

    def encode_document(self, inputs: Any, *more: Any, **named: Any) -> Any:
        self.before(inputs)
        return super().encode_document(inputs, *more, **named)


@pytest.fixture(scope="module")
def model() -> Watched:
    return Watched()


@pytest.fixture
async def embedder(model: Watched) -> AsyncIterator[SentenceTransformerEmbedder]:
    model.passes.clear()
    model.before = model.passes.append
    embedder = SentenceTransformerEmbedder(PACKAGED, model, ThreadPoolExecutor(max_workers=1))
    yield embedder
    await embedder.close()


def cosine(one: tuple[float, ...], other: tuple[float, ...]) -> float:
    return sum(a * b for a, b in zip(one, other, strict=True))


async def test_the_packaged_model_is_loaded_by_its_name_and_knows_two_languages() -> None:
    embedder = await SentenceTransformerEmbedder.load()
    tired, weary, bread = await embedder.embed(["she is tired of travelling", "她厌倦了旅行", "how to bake rye bread"])
    await embedder.close()

    assert (embedder.name, embedder.dimensions, embedder.local) == (PACKAGED, 512, True)
    assert all(math.isclose(cosine(each, each), 1.0, abs_tol=1e-5) for each in (tired, weary, bread))
    assert cosine(tired, weary) > 0.5 > cosine(tired, bread)


async def test_what_is_asked_while_the_model_works_is_answered_by_one_pass(
    embedder: SentenceTransformerEmbedder, model: Watched
) -> None:
    asked, go_on = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def wait(texts: list[str]) -> None:
        model.passes.append(texts)
        loop.call_soon_threadsafe(asked.set)
        assert go_on.wait(60)

    model.before = wait
    first = asyncio.create_task(embedder.embed_query("first"))
    await asked.wait()  # the loop goes on while the model is at work
    others = [asyncio.create_task(embedder.embed_query(f"text {place}")) for place in range(40)]
    stored = asyncio.create_task(embedder.embed(["a stored one"]))
    await asyncio.sleep(0)
    go_on.set()
    vectors = await asyncio.gather(first, *others)
    await stored

    assert model.passes == [["first"], [f"text {place}" for place in range(40)], ["a stored one"]]
    alone = await embedder.embed_query("text 7")
    assert vectors[8] == pytest.approx(alone, abs=1e-5)


@pytest.mark.parametrize("error", [RuntimeError("x"), IndexError("x"), MemoryError(), TypeError("x"), OSError("x")])
async def test_whatever_the_model_raises_reaches_all_who_wait_and_the_next_call_works(
    embedder: SentenceTransformerEmbedder, model: Watched, error: Exception
) -> None:
    def fail(_: list[str]) -> None:
        raise error

    model.before = fail
    async with asyncio.timeout(60):
        found = await asyncio.gather(*(embedder.embed_query(text) for text in "abc"), return_exceptions=True)
        assert [type(each) for each in found] == [Unavailable] * 3

        model.before = model.passes.append
        assert len(await embedder.embed_query("again")) == 512


async def test_a_caller_that_gave_up_takes_nothing_from_the_others(
    embedder: SentenceTransformerEmbedder,
) -> None:
    gone = asyncio.create_task(embedder.embed_query("gone"))
    stays = asyncio.create_task(embedder.embed_query("stays"))
    await asyncio.sleep(0)
    gone.cancel()

    assert len(await stays) == 512


async def test_a_model_that_is_not_there_names_the_setting(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="IMPRESSIONS_EMBEDDING_MODEL"):
        await SentenceTransformerEmbedder.load(str(tmp_path / "nothing"))
