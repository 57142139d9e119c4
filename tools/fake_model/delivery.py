"""Sending a reply over HTTP, with its pace and its faults.

Owns: waits, pieces, cuts, stalls and error events on the connection.
Does not own: what is said (``reply``, ``wire_events``) and whether to say it (``server``).
"""

import asyncio
import json
import socket
import struct
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from aiohttp import web

from tools.fake_model.errors import (
    STATUS_OF_TYPE,
    ApiError,
    error_body,
    message_of,
)
from tools.fake_model.gates import Gates
from tools.fake_model.journal import Journal, RequestRecord
from tools.fake_model.reply import Reply
from tools.fake_model.turns import Cut, ErrorEvent, Fault, HttpError, Pace, Stall
from tools.fake_model.wire_events import WireEvent, to_events


@dataclass(frozen=True)
class _Piece:
    """Bytes for one write."""

    data: bytes
    events: int
    """How many events end in it."""


class _CutError(Exception):
    """The scenario ended the connection; only used inside this module."""


class Delivery:
    """Sends one reply."""

    def __init__(
        self,
        request: web.Request,
        record: RequestRecord,
        *,
        streamed: bool,
        gates: Gates,
        journal: Journal,
    ) -> None:
        self._request = request
        self._record = record
        self._streamed = streamed
        self._gates = gates
        self._journal = journal

    async def send(
        self, reply: Reply, pace: Pace, faults: Sequence[Fault], headers: Mapping[str, str]
    ) -> web.StreamResponse:
        """Send the reply, streamed or not as the request asked, and note how it went.

        Raises:
            ApiError: The reply is not streamed and an error event was due.
            ConnectionError: The client left.
        """
        ordered = sorted(faults, key=lambda fault: fault.after_events)
        response = web.StreamResponse(headers=headers)
        try:
            await sleep_ms(pace.first_byte_ms)
            for fault in ordered:
                if isinstance(fault, Cut | Stall) and fault.before_headers:
                    await self._act(fault, response)
            later = [f for f in ordered if isinstance(f, ErrorEvent) or not f.before_headers]
            if self._streamed:
                await self._stream(response, reply, pace, later)
            else:
                await self._send_whole(response, reply, later)
        except _CutError:
            self._record.outcome = "cut"
        return response

    async def _stream(
        self, response: web.StreamResponse, reply: Reply, pace: Pace, faults: Sequence[Fault]
    ) -> None:
        response.content_type = "text/event-stream"
        response.charset = "utf-8"
        response.headers["cache-control"] = "no-cache"
        steps = list(_plan(to_events(reply, pace), faults, pace))
        await self._start(response)
        for position, step in enumerate(steps):
            if not isinstance(step, _Piece):
                await self._act(step, response)
                if isinstance(step, ErrorEvent):
                    return
                continue
            if position == len(steps) - 1:
                await response.write_eof(step.data)
            else:
                await response.write(step.data)
            self._record.last_event_s = time.monotonic()
            self._record.events_sent += step.events
            if position < len(steps) - 1:
                await sleep_ms(pace.between_events_ms)
        await response.write_eof()
        self._record.outcome = "complete"

    async def _send_whole(
        self, response: web.StreamResponse, reply: Reply, faults: Sequence[Fault]
    ) -> None:
        """Send the reply as one JSON body; a cut leaves half of it."""
        data = json.dumps(reply.message(), ensure_ascii=False).encode("utf-8", "surrogatepass")
        response.content_type = "application/json"
        response.content_length = len(data)
        for fault in faults:
            if isinstance(fault, ErrorEvent):
                raise ApiError(_as_status(fault))
            if isinstance(fault, Cut):
                await self._start(response)
                await response.write(data[: len(data) // 2])
            await self._act(fault, response)
        await self._start(response)
        await response.write_eof(data)
        self._record.outcome = "complete"

    async def _start(self, response: web.StreamResponse) -> None:
        await response.prepare(self._request)
        self._record.status = response.status
        self._record.first_byte_s = time.monotonic()

    async def _act(self, fault: Fault, response: web.StreamResponse) -> None:
        match fault:
            case Cut():
                cut(self._request, reset=fault.reset)
                raise _CutError
            case Stall():
                self._journal.changed()
                if not await self._gates.wait(fault.gate, fault.max_s):
                    cut(self._request)
                    raise _CutError
            case ErrorEvent():
                message = fault.message or message_of(fault.error_type)
                request_id = response.headers["request-id"]
                data = error_body(fault.error_type, message, request_id)
                await response.write_eof(WireEvent("error", data).encode())
                self._record.outcome = "error"
            case _:
                assert_never(fault)


def cut(request: web.Request, *, reset: bool = False) -> None:
    """End the connection at once; with ``reset`` by a TCP reset."""
    transport = request.transport
    if transport is None:
        return
    if reset:
        # Lingering for zero seconds makes the kernel answer the close with a reset.
        linger = struct.pack("hh" if sys.platform == "win32" else "ii", 1, 0)
        transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
    transport.abort()


def _as_status(fault: ErrorEvent) -> HttpError:
    status = STATUS_OF_TYPE.get(fault.error_type, 500)
    return HttpError(status=status, error_type=fault.error_type, message=fault.message)


def _plan(
    events: Sequence[WireEvent], faults: Sequence[Fault], pace: Pace
) -> Iterator[_Piece | Fault]:
    """Writes and faults in order; a fault beyond the last event comes after it."""
    start = 0
    for fault in faults:
        stop = min(fault.after_events, len(events))
        yield from _pieces(events[start:stop], pace)
        yield fault
        start = stop
    yield from _pieces(events[start:], pace)


def _pieces(events: Sequence[WireEvent], pace: Pace) -> Iterator[_Piece]:
    if not events:
        return
    if not pace.coalesce and pace.split_bytes is None:
        for event in events:
            yield _Piece(event.encode(), 1)
        return
    data = b"".join(event.encode() for event in events)
    size = pace.split_bytes or len(data)
    for start in range(0, len(data), size):
        is_last = start + size >= len(data)
        yield _Piece(data[start : start + size], len(events) if is_last else 0)


async def sleep_ms(milliseconds: float) -> None:
    """Wait; 0 does not even yield."""
    if milliseconds:
        await asyncio.sleep(milliseconds / 1000)
