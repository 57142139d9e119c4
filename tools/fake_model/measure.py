"""What the fake model itself costs, so that benchmarks can subtract it.

Run as ``python -m tools.fake_model.measure [ROUNDS]``. Owns: a server process, a bare socket
client and a table of times. Nothing depends on it.
"""

import contextlib
import json
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Generator
from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import JsonValue

from tools.fake_model.jsontypes import JsonObject, as_object, objects
from tools.fake_model.scenario import Scenario, dump_scenario
from tools.fake_model.turns import Pace, Turn

_DEFAULT_ROUNDS = 300
_TEXT = "All work and no play. " * 20
_TOOL: JsonObject = {"name": "Read", "input_schema": {"type": "object"}}


@dataclass(frozen=True, kw_only=True)
class _Case:
    name: str
    pace: Pace
    stream: bool = True
    rounds_of_history: int = 0


_CASES = (
    _Case(name="whole reply", pace=Pace(), stream=False),
    _Case(name="stream, 6 events", pace=Pace()),
    _Case(name="stream, 6 events in one write", pace=Pace(coalesce=True)),
    _Case(name="stream, 445 events", pace=Pace(chunk_chars=1)),
    _Case(name="stream, 445 events in one write", pace=Pace(chunk_chars=1, coalesce=True)),
    _Case(name="stream, 6 events, 1 MB history", pace=Pace(), rounds_of_history=100),
)


class _Client:
    """One connection that does as little as HTTP allows."""

    def __init__(self, url: str) -> None:
        place = urlsplit(url)
        self._socket = socket.create_connection((place.hostname or "", place.port or 0))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def call(self, method: str, path: str, body: bytes = b"") -> bytes:
        """Send a request and read the raw answer to its end."""
        head = (
            f"{method} {path} HTTP/1.1\r\nhost: fake\r\nx-api-key: key\r\n"
            f"anthropic-version: 2023-06-01\r\ncontent-length: {len(body)}\r\n\r\n"
        )
        self._socket.sendall(head.encode() + body)
        answer = bytearray()
        while not _is_complete(answer):
            answer += self._socket.recv(1 << 20)
        return bytes(answer)

    def close(self) -> None:
        """Close the connection."""
        self._socket.close()


def _is_complete(answer: bytearray) -> bool:
    head, end, body = bytes(answer).partition(b"\r\n\r\n")
    if not end:
        return False
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return len(body) >= int(line.partition(b":")[2])
    return body.endswith(b"0\r\n\r\n")


@contextlib.contextmanager
def _server() -> Generator[str]:
    """A server process; gives its URL."""
    command = [sys.executable, "-m", "tools.fake_model", "--exit-on-stdin-close"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        if process.stdout is None:
            raise RuntimeError("no pipe")
        ready: JsonValue = json.loads(process.stdout.readline())
        yield str(as_object(ready)["url"])


def _body(case: _Case) -> bytes:
    messages: list[JsonValue] = [{"role": "user", "content": "go"}]
    for number in range(case.rounds_of_history):
        call_id = f"toolu_{number}"
        call: JsonObject = {"type": "tool_use", "id": call_id, "name": "Read", "input": {}}
        result: JsonObject = {"type": "tool_result", "tool_use_id": call_id, "content": "x" * 10000}
        messages.append({"role": "assistant", "content": [call]})
        messages.append({"role": "user", "content": [result]})
    body: JsonObject = {
        "model": "m",
        "max_tokens": 100,
        "stream": case.stream,
        "tools": [_TOOL],
        "messages": messages,
    }
    return json.dumps(body).encode()


def _measure(client: _Client, case: _Case, rounds: int) -> str:
    turn = Turn(_TEXT, repeat="forever", pace=case.pace)
    client.call("POST", "/__fake__/reset")
    client.call("POST", "/__fake__/scenario", dump_scenario(Scenario([turn])))
    body = _body(case)
    outside: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        client.call("POST", "/v1/messages", body)
        outside.append(time.perf_counter() - start)
    answer = client.call("GET", "/__fake__/requests?bodies=0")
    listed: JsonValue = json.loads(answer.partition(b"\r\n\r\n")[2])
    inside = [
        float(str(record["ended_s"])) - float(str(record["received_s"]))
        for record in objects(as_object(listed)["requests"])
    ]
    return f"{case.name:34} {_columns(outside)}   {_columns(inside)}"


def _columns(seconds: list[float]) -> str:
    in_ms = sorted(value * 1000 for value in seconds)
    return f"{statistics.median(in_ms):7.2f} {in_ms[int(len(in_ms) * 0.99)]:7.2f}"


def main() -> None:
    """Print medians and 99th percentiles in ms: seen by the client, and inside the server."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else _DEFAULT_ROUNDS
    print(f"{'ms, ' + str(rounds) + ' rounds':34}  client     p99    server     p99")
    with _server() as url:
        client = _Client(url)
        for case in _CASES:
            print(_measure(client, case, rounds))
        client.close()


if __name__ == "__main__":
    main()
