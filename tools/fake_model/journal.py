"""What the fake model was asked and how it went.

Owns: one record per request, bounded in number and size, and waiting for records.
Does not own: serving them over HTTP (``control``).
"""

import asyncio
import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue

from tools.fake_model.jsontypes import JsonObject, as_object

MAX_RECORDS = 10_000
"""Newest requests that are kept."""

MAX_BODY_BYTES = 256 * 1024 * 1024
"""Bodies that are kept together; the oldest are dropped first."""

WAIT_S = 60.0
"""How long waiting functions wait unless told otherwise."""

MESSAGES_PATH = "/v1/messages"

_SECRET_HEADERS = frozenset({"x-api-key", "authorization", "proxy-authorization", "cookie"})

Outcome = Literal[
    "pending",  # not answered yet
    "complete",  # the whole reply was sent
    "error",  # the scenario wanted an error status or an error event
    "refused",  # the request is not valid: 4xx by our own checks
    "exhausted",  # no turn was left or none matched
    "cut",  # a cut, or a stall that reached its limit
    "client_left",  # the client closed the connection first
    "failed",  # a fault of the fake model itself
]


@dataclass(kw_only=True)
class RequestRecord:
    """One request and its answer. Times are ``time.monotonic()`` seconds, None: not yet."""

    index: int
    """Counts all requests of the server from 0."""
    method: str
    path: str
    headers: dict[str, str]
    """Lower-case names; secrets replaced by a short hash, equal for equal values."""
    received_s: float
    """The request headers were read."""
    body_read_s: float | None = None
    first_byte_s: float | None = None
    """The response headers were handed to the socket."""
    last_event_s: float | None = None
    """The newest stream event was handed to the socket."""
    ended_s: float | None = None
    """The answer, or the connection, ended."""
    status: int | None = None
    outcome: Outcome = "pending"
    turn_index: int | None = None
    """Place in the flattened scenario (scripts first) of the turn that answered."""
    events_sent: int = 0
    problem: str | None = None
    """Why the outcome is ``refused``, ``exhausted`` or ``failed``."""
    raw: bytes = b""
    """The body as it came; empty once it was dropped for space."""

    @property
    def body(self) -> JsonObject:
        """The body, parsed anew at each use; empty if it is no JSON object."""
        try:
            parsed: JsonValue = json.loads(self.raw)
        except ValueError:
            return {}
        return as_object(parsed)

    def to_json(self, *, with_body: bool) -> JsonObject:
        """The record for other processes."""
        fields: JsonObject = {
            "index": self.index,
            "method": self.method,
            "path": self.path,
            "headers": dict(self.headers),
            "received_s": self.received_s,
            "body_read_s": self.body_read_s,
            "first_byte_s": self.first_byte_s,
            "last_event_s": self.last_event_s,
            "ended_s": self.ended_s,
            "status": self.status,
            "outcome": self.outcome,
            "turn_index": self.turn_index,
            "events_sent": self.events_sent,
            "problem": self.problem,
            "body_bytes": len(self.raw),
        }
        return {**fields, "body": self.body} if with_body else fields


class Journal:
    """Records of requests, oldest first."""

    def __init__(self) -> None:
        self.records: list[RequestRecord] = []
        self._kept_bytes = 0
        self._oldest_body = 0
        """Index in ``records`` below which bodies were dropped."""
        self._count = 0
        self._changed = asyncio.Event()

    @property
    def message_requests(self) -> list[RequestRecord]:
        """The records of ``POST /v1/messages``."""
        return [r for r in self.records if r.path == MESSAGES_PATH and r.method == "POST"]

    def open(self, method: str, path: str, headers: Mapping[str, str]) -> RequestRecord:
        """Record a request whose headers have been read."""
        record = RequestRecord(
            index=self._count,
            method=method,
            path=path,
            headers={name.lower(): _redact(name, value) for name, value in headers.items()},
            received_s=time.monotonic(),
        )
        self._count += 1
        self.records.append(record)
        if len(self.records) > MAX_RECORDS:
            dropped = self.records.pop(0)
            self._kept_bytes -= len(dropped.raw)
            self._oldest_body = max(0, self._oldest_body - 1)
        return record

    def keep_body(self, record: RequestRecord, raw: bytes) -> None:
        """Store the body; waiters see the request from here on."""
        record.body_read_s = time.monotonic()
        record.raw = raw
        self._kept_bytes += len(raw)
        while self._kept_bytes > MAX_BODY_BYTES and self._oldest_body < len(self.records):
            oldest = self.records[self._oldest_body]
            self._kept_bytes -= len(oldest.raw)
            oldest.raw = b""
            self._oldest_body += 1
        self.changed()

    def close(self, record: RequestRecord) -> None:
        """The answer has ended, one way or another."""
        record.ended_s = time.monotonic()
        self.changed()

    def changed(self) -> None:
        """Wake everyone who waits for a condition."""
        self._changed.set()
        self._changed = asyncio.Event()

    def clear(self) -> None:
        """Forget all records; numbering goes on."""
        self.records.clear()
        self._kept_bytes = 0
        self._oldest_body = 0

    async def wait_until(
        self, condition: Callable[[], bool], what: str, timeout_s: float = WAIT_S
    ) -> None:
        """Wait until ``condition`` holds; it is tried after every change.

        Raises:
            TimeoutError: It did not hold within ``timeout_s``; says ``what`` was waited for.
        """
        try:
            async with asyncio.timeout(timeout_s):
                while not condition():
                    await self._changed.wait()
        except TimeoutError:
            seen = [f"{r.path} {r.outcome}" for r in self.records[-5:]]
            raise TimeoutError(f"no {what} within {timeout_s} s; last requests: {seen}") from None


def _redact(name: str, value: str) -> str:
    if name.lower() not in _SECRET_HEADERS:
        return value
    digest = hashlib.blake2b(value.encode("utf-8", "surrogateescape"), digest_size=4)
    return f"[redacted {digest.hexdigest()}]"
