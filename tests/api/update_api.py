"""The application over HTTP and a real socket, and what tests of updates say to it."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx
from gql import Client
from gql.transport.websockets import WebsocketsTransport
from starlette.applications import Starlette

from api.app import create_app
from api.wiring import Service
from resolvers.update.observed import ImpressionObservationPlan
from resolvers.update.seen import Rolling
from tests.api.small_service import serving
from tests.fakes import Labelled
from tests.resolvers.update.updating import plan_of, seen

Json = dict[str, Any]
SAID = "Alice moved to Hangzhou last year"


def sees_all(rolling: Rolling, labelled: Labelled) -> ImpressionObservationPlan:  # noqa: ARG001 -- the port's shape
    return plan_of(
        *(
            seen(source.subject or "", source.evidence[0].text, features=["likes parties"], sources=[label])
            for label, source in labelled
        )
    )


class Api:
    """The application and one space of it."""

    def __init__(self, service: Service, space: str) -> None:
        self.service, self.space = service, space
        self.app: Starlette = create_app(service)

    async def ask(self, document: str, **variables: Any) -> Json:
        """Return the data of an answer that must hold no errors."""
        answer = await self.raw(document, **variables)
        assert "errors" not in answer, answer["errors"]
        data: Json = answer["data"]
        return data

    async def raw(self, document: str, **variables: Any) -> Json:
        transport = httpx.ASGITransport(app=self.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000", timeout=60) as http:
            body = {"query": document, "variables": {"space": self.space, **variables}}
            answer: Json = (await http.post("/graphql", json=body)).json()
        return answer

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[Client]:
        async with serving(self.app) as port:
            yield Client(transport=WebsocketsTransport(url=f"ws://127.0.0.1:{port}/graphql"))


Apis = Callable[..., Api]


RUN = """
fragment R on UpdateRunResult {
  __typename
  ... on UpdateRun {
    id status created reason violations { code } counts { entities features } notes
    steps { kind subject changes { kind part before after evidence { content } } }
    progress { batches batchesDone batchesFailed promptTokens completionTokens seconds }
    resolutions { subject decision code candidates { subject } } dropped { code }
  }
  ... on InvalidInput { code path message }
  ... on NotFound { message }
  ... on Conflict { message conflicts }
  ... on NotConfigured { setting message }
  ... on Unavailable { message retryAfterMs }
}
"""
SUBMIT = (
    """
    mutation($plans: [ObservationPlanInput!]!, $rolling: RollingInput, $space: String!, $confirm: ConfirmMode! = AUTO,
             $key: String) {
      it: submitObservations(plans: $plans, rolling: $rolling, space: $space, confirm: $confirm, idempotencyKey: $key) {
        ...R } }
    """
    + RUN
)
ROLL = (
    """
    mutation($rolling: RollingInput!, $space: String!, $wait: Boolean! = true) {
      it: updateImpressions(rolling: $rolling, space: $space, wait: $wait) { ...R } }
    """
    + RUN
)


def on_run(name: str) -> str:
    return f"mutation($id: ID!, $space: String!) {{ it: {name}(runId: $id, space: $space) {{ ...R }} }}" + RUN


def told(*messages: str) -> Json:
    return {
        "summary": "they talked",
        "conversation": "c",
        "messages": [{"role": "user", "text": text} for text in messages],
    }


def plan(subject: str = "Alice", said: str = SAID, **more: Any) -> Json:
    return {"observations": [{"proposedSubject": subject, "evidenceSnippets": [said],
                              "features": [{"text": "lives in Hangzhou", "confidence": 0.8}], **more}]}  # fmt: skip


async def submit(api: Api, *plans: Json, said: str = SAID, **more: Any) -> Json:
    answer: Json = (await api.ask(SUBMIT, plans=list(plans), rolling=told(said), **more))["it"]
    return answer


async def project(api: Api, text: str, *mentions: str) -> None:
    await api.ask(
        """
        mutation($text: String!, $space: String!, $mentions: [String!]) {
          projectEntity(input: {text: $text, space: $space, conversation: "c", mentions: $mentions}) { __typename } }
        """,
        text=text,
        mentions=list(mentions),
    )
