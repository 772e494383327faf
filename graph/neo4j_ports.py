"""Loopback ports: which are free, and does a Neo4j answer on them."""

import http.client
import json
import socket
import time

HOST = "127.0.0.1"
BOLT_PORT = 7687
HTTP_PORT = 7474
PROBE_SECONDS = 2.0
POLL_SECONDS = 0.1

# https://neo4j.com/docs/bolt/current/bolt/handshake/: the magic number, then four versions to choose from (5.8 down to
# 5.0, 4.4, none, none). Written by hand because only `graph.store` imports the driver.
BOLT_HELLO = bytes.fromhex("6060b01700080805000004040000000000000000")
BOLT_ANSWER_BYTES = 4


def is_free(port: int) -> bool:
    """Tell whether a server could listen on `port` now, on loopback."""
    with socket.socket() as probe:
        # As Java does: without it the closed connections of a stopped server would block its port for a minute.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def await_free(*wanted: int, seconds: float) -> None:
    """Wait until all the `wanted` ports are free, but for some `seconds` at most."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not all(map(is_free, wanted)):
        time.sleep(POLL_SECONDS)


def free_port(*preferred: int, other_than: int | None = None) -> int:
    """Return the first free one of the `preferred` ports, or any free one."""
    for port in preferred:
        if port != other_than and is_free(port):
            return port
    while True:
        with socket.socket() as probe:
            probe.bind((HOST, 0))
            port = int(probe.getsockname()[1])
        if port != other_than:
            return port


def release_at(http_port: int) -> str | None:
    """Return the release a Neo4j tells on its HTTP port, or `None` when none answers."""
    connection = http.client.HTTPConnection(HOST, http_port, timeout=PROBE_SECONDS)
    try:
        connection.request("GET", "/", headers={"Accept": "application/json"})
        told = json.loads(connection.getresponse().read())
    except (OSError, http.client.HTTPException, ValueError):
        return None
    finally:
        connection.close()
    release = told.get("neo4j_version") if isinstance(told, dict) else None
    return release if isinstance(release, str) else None


def speaks_bolt(port: int) -> bool:
    """Tell whether a server agrees to a Bolt version on `port`."""
    try:
        with socket.create_connection((HOST, port), timeout=PROBE_SECONDS) as connection:
            connection.sendall(BOLT_HELLO)
            answer = connection.recv(BOLT_ANSWER_BYTES, socket.MSG_WAITALL)
    except OSError:
        return False
    # Two bytes of nothing, the minor and the major version; all nothing: none suits. A web server says "HTTP" here.
    return len(answer) == BOLT_ANSWER_BYTES and answer[:2] == bytes(2) and answer[2:] != bytes(2)
