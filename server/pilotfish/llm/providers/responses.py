"""Reading the HTTP answer of a model server.

Owns: what all providers do with a response: check what it is, decode events and replies in one piece,
give up after too long a silence, read its end, let go of it.
Does not own: the SDKs, and what the events mean (each provider).
"""

import asyncio
import json
import logging
import re
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pilotfish.llm.errors import ModelError
from pilotfish.llm.providers.connection import broken_stream, not_a_reply, timed_out
from pilotfish.llm.providers.endpoint import Endpoint
from pilotfish.llm.providers.refusals import Refusal, from_refusal, status_of_type
from pilotfish.llm.providers.sse import (
    MAX_EVENT_BYTES,
    EventTooLongError,
    NotEventsError,
    data_of_events,
)
from pilotfish.llm.silence import SilenceWatch
from pilotfish.util.records import dataclass

if TYPE_CHECKING:
    from httpx2 import Response

logger = logging.getLogger(__name__)

RawEvent: TypeAlias = dict[str, Any]
"""One event as it stands on the wire."""

WHOLE_TIMEOUT_S = 300.0
"""Longest wait for a reply in one piece (design 02 §7.4)."""

END_TIMEOUT_S = 0.5
"""Longest wait for the end of a response whose last event is there."""

RELEASE_TIMEOUT_S = 1.0
"""Longest wait for a connection to close after a reply or a cancel."""

MAX_FOREIGN_BYTES = 64 * 1024
"""How much of an answer that is no stream is read to say what it is."""

FOREIGN_TIMEOUT_S = 2.0
"""How long we wait for that."""

_END = "[DONE]"
"""The data of the last event of chat completions servers and of some gateways."""

_JSON = "application/json"
_OTHER_TYPES = frozenset({"text/html", _JSON, "text/plain"})

_STATUS = re.compile("[45][0-9][0-9]")
"""The status of an error; some servers give it as text."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """Which call an answer belongs to, for what is said about it."""

    endpoint: Endpoint
    model: str
    idle_timeout_s: float


async def reply_instead(response: "Response", call: Call, part: str) -> RawEvent | None:
    """Return what answers the request for a stream in one piece, as some servers do; None for a stream.

    Args:
        response: The answer, not read yet.
        call: What it belongs to.
        part: The list that a reply has.

    Raises:
        ModelError: It is something else; the error says what.
    """
    content_type = _content_type(response)
    if content_type not in _OTHER_TYPES:
        return None
    if content_type != _JSON:
        foreign = await _read(response, MAX_FOREIGN_BYTES, FOREIGN_TIMEOUT_S)
        raise _something_else(foreign, response, call)
    body = await _read(response, MAX_EVENT_BYTES, call.idle_timeout_s)
    return reply_in(body, response, call, part)


async def events_of(
    response: "Response",
    call: Call,
    lines: AsyncGenerator[str, None] | None = None,
    on_end: Callable[[], None] = lambda: None,
) -> AsyncGenerator[RawEvent, None]:
    """Yield a stream's events, decoded, up to its end mark.

    Args:
        response: The answer.
        call: What it belongs to.
        lines: The data of the events where they are not server-sent ones.
        on_end: Called at the end mark.

    Raises:
        ModelError: The stream is silent for too long, breaks off, is none, or an event is an error.
    """
    data_lines = data_of_events(response.aiter_bytes()) if lines is None else lines
    # Closed here and now: left to the collector, each stage of a stream would close the next at once with it.
    async with aclosing(data_lines):
        silence = SilenceWatch(call.idle_timeout_s)
        while (data := await _next_data(data_lines, silence, response, call)) is not None:
            if data == _END:
                on_end()
                await read_to_end(data_lines)
                return
            event = _decode_event(data, call.endpoint)
            if event is None:
                continue
            if is_error(event):
                raise told_error(event, response, call)
            yield event


async def _next_data(
    data_lines: AsyncGenerator[str, None], silence: SilenceWatch, response: "Response", call: Call
) -> str | None:
    """Return the data of the next event, None at the end; fails as ``events_of``."""
    from httpx2 import HTTPError  # noqa: PLC0415 - loads with the SDKs, never before them

    try:
        return await silence.next(anext(data_lines, None))
    except TimeoutError:
        raise timed_out(call.endpoint, call.idle_timeout_s) from None
    except NotEventsError as error:
        raise _something_else(error.beginning, response, call) from None
    except EventTooLongError:
        raise broken_stream(call.endpoint, "the server sent an event without end") from None
    except (HTTPError, UnicodeDecodeError) as error:
        raise broken_stream(call.endpoint, _reason_of(error)) from None


def reply_in(body: bytes, response: "Response", call: Call, part: str) -> RawEvent:
    """Return a reply that came in one piece.

    Args:
        body: What came.
        response: What it came with.
        call: What it belongs to.
        part: The list that it must have.

    Raises:
        ModelError: It is an error, or something else; the error says what came.
    """
    reply = _decoded(body)
    found = cast(RawEvent, reply) if isinstance(reply, dict) else {}
    if is_error(found) or not isinstance(found.get(part), list):
        raise _something_else(body, response, call)
    return found


def is_error(event: RawEvent) -> bool:
    """Tell whether an event or a reply is an error."""
    return bool(event.get("error")) or "error" in (event.get("type"), event.get("object"))


def told_error(event: RawEvent, response: "Response", call: Call) -> ModelError:
    """Turn an error that came with the status of success into ours."""
    error: object = event.get("error")
    told = cast(dict[str, Any], error) if isinstance(error, dict) else event
    code = str(told.get("code"))
    status = int(code) if _STATUS.fullmatch(code) else status_of_type(str(told.get("type")))
    refusal = Refusal(status=status, body=event, headers=headers_of(response))
    return from_refusal(refusal, call.endpoint, call.model)


def headers_of(response: "Response") -> dict[str, str]:
    """Return a response's headers, names in lower case."""
    return {name.lower(): value for name, value in response.headers.items()}


async def read_to_end(pieces: AsyncGenerator[Any, None]) -> None:
    """Read to the end of the response, so that its connection can serve the next request.

    Opening another one costs a round trip and, where it is encrypted, several.
    """
    from httpx2 import HTTPError  # noqa: PLC0415 - as in _next_data

    try:
        async with asyncio.timeout(END_TIMEOUT_S):
            async for _ in pieces:
                pass
    except (TimeoutError, ModelError, HTTPError, ValueError) as error:
        logger.debug("the connection cannot be used again: %s", error)


async def release(response: "Response") -> None:
    """Give the connection back, or close it when the reply was not read to its end."""
    try:
        async with asyncio.timeout(RELEASE_TIMEOUT_S):
            await response.aclose()
    except TimeoutError:
        logger.warning("a model connection did not close within %s s", RELEASE_TIMEOUT_S)


def _decode_event(data: str, endpoint: Endpoint) -> RawEvent | None:
    """Decode one event; None for what is no event (comments).

    Raises:
        ModelError: It is no JSON.
    """
    if not data:
        return None
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError):
        raise broken_stream(endpoint, "the server sent an event that is not valid JSON") from None
    return cast(RawEvent, value) if isinstance(value, dict) else None


async def _read(response: "Response", max_bytes: int, timeout_s: float) -> bytes:
    """Read an answer that is no stream; what has come until it breaks off, takes too long or is too long."""
    from httpx2 import HTTPError  # noqa: PLC0415 - as in _next_data

    read = bytearray()
    try:
        async with asyncio.timeout(timeout_s):
            async with aclosing(response.aiter_bytes()) as pieces:
                async for piece in pieces:
                    read += piece
                    if len(read) >= max_bytes:
                        break
    except (TimeoutError, HTTPError) as error:
        logger.debug("an answer that is no stream broke off: %s", error)
    return bytes(read[:max_bytes])


def _something_else(body: bytes, response: "Response", call: Call) -> ModelError:
    """Say what came instead of a reply."""
    answer = _decoded(body)
    if isinstance(answer, dict) and is_error(cast(RawEvent, answer)):
        return told_error(cast(RawEvent, answer), response, call)
    content_type = _content_type(response)
    if answer is None and body and content_type.endswith("json"):
        return broken_stream(
            call.endpoint, "the server sent JSON that is not complete or not valid"
        )
    return not_a_reply(call.endpoint, body.decode("utf-8", "replace"), content_type)


def _decoded(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _content_type(response: "Response") -> str:
    return response.headers.get("content-type", "").split(";")[0].strip().lower()


def _reason_of(error: Exception) -> str:
    """Return what an exception says about a lost connection."""
    return str(error).strip().rstrip(".") or "the connection was lost"
