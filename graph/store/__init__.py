"""The one gate to Neo4j: nothing else of this service knows the driver."""

from graph.store.connection import LANDING_SECONDS, UPKEEP_SECONDS, Connection, PoolUse
from graph.store.store import Observer, Store, Transaction, vector_parameter

__all__ = [
    "LANDING_SECONDS",
    "UPKEEP_SECONDS",
    "Connection",
    "Observer",
    "PoolUse",
    "Store",
    "Transaction",
    "vector_parameter",
]
