"""The API asked directly, to prepare what the page is to show."""

from typing import Any

import httpx


async def ask(url: str, query: str, **variables: Any) -> Any:
    """Return the data of an answer that must hold no errors."""
    async with httpx.AsyncClient(base_url=url, timeout=120) as client:
        told = (await client.post("/graphql", json={"query": query, "variables": variables})).json()
    assert "errors" not in told, told
    return told["data"]
