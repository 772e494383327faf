"""Counts and times for Prometheus; no label ever carries a caller's text."""

import time
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.readiness import Readiness
from graph.neo4j_supervisor import ServerState
from graph.store import Store


class Metrics:
    """The metrics of one application."""

    def __init__(self, store: Store) -> None:
        self.registry = CollectorRegistry()
        for name, meaning, value in (
            ("connections_in_use", "Connections to Neo4j that work on something.", lambda: store.pool.in_use),
            ("connections_open", "Connections to Neo4j, those that wait for work included.", lambda: store.pool.open),
            ("connections_most", "Connections to Neo4j that may be open to one server.", lambda: store.pool.most),
            ("answering", "Whether Neo4j answered when it was last asked, 1 or 0.", lambda: store.is_answering),
        ):
            Gauge(f"impressions_database_{name}", meaning, registry=self.registry).set_function(value)
        self._requests = Counter(
            "impressions_http_requests", "HTTP requests by status.", ["status"], registry=self.registry
        )
        self._seconds = Histogram(
            "impressions_http_request_seconds", "Time from a request to the end of its answer.", registry=self.registry
        )
        self._queries = Histogram(
            "impressions_database_seconds", "Time of one round trip to Neo4j.", ["query"], registry=self.registry
        )

    def tell_standing(self, readiness: Readiness) -> None:
        """Tell with the rest how the service and its managed server stand, as they are known at that moment."""
        self.registry.register(_Standing(readiness))

    def database(self, query: str, seconds: float) -> None:
        """Take note of a round trip (an observer of the store)."""
        self._queries.labels(query).observe(seconds)

    def middleware(self, app: ASGIApp) -> ASGIApp:
        """Wrap an application so that its requests are counted."""

        async def counted(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] != "http":
                await app(scope, receive, send)
                return
            started = time.perf_counter()

            async def noting(message: Message) -> None:
                if message["type"] == "http.response.start":
                    self._requests.labels(str(message["status"])).inc()
                await send(message)

            await app(scope, receive, noting)
            self._seconds.observe(time.perf_counter() - started)

        return counted


class _Standing(Collector):
    def __init__(self, readiness: Readiness) -> None:
        self._readiness = readiness

    def collect(self) -> Iterator[Metric]:
        yield GaugeMetricFamily(
            "impressions_ready", "Whether /readyz says so.", value=float(self._readiness.known is None)
        )
        if (supervisor := self._readiness.supervisor) is not None:
            yield GaugeMetricFamily(
                "impressions_managed_neo4j_up",
                "Whether the managed Neo4j runs.",
                value=float(supervisor.state is ServerState.UP),
            )
            yield CounterMetricFamily(
                "impressions_managed_neo4j_restarts",
                "How often the managed Neo4j came back after it had ended or given up.",
                value=float(supervisor.restarts),
            )
