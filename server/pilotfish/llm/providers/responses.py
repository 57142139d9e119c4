"""Reading the HTTP answer of a model server.

Owns: what all providers that stream over HTTP do with a response: check what it is, decode events,
read its end, let go of it.
Does not own: the SDKs, and what the events mean (each provider).
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pilotfish.llm.errors import ModelError
from pilotfish.llm.providers.connection import broken_stream, not_an_event_stream
from pilotfish.llm.providers.endpoint import Endpoint

if TYPE_CHECKING:
    from httpx2 import Response

logger = logging.getLogger(__name__)

RawEvent: TypeAlias = dict[str, Any]
"""One event as it stands on the wire."""

CONNECT_TIMEOUT_S = 10.0
"""Longest wait for a connection."""

WRITE_TIMEOUT_S = 60.0
"""Longest standstill while a request is sent."""

END_TIMEOUT_S = 0.5
"""Longest wait for the end of a response whose last event is there."""

RELEASE_TIMEOUT_S = 1.0
"""Longest wait for a connection to close after a reply or a cancel."""

_OTHER_TYPES = frozenset({"text/html", "application/json", "text/plain"})


def require_event_stream(response: "Response", endpoint: Endpoint) -> None:
    """Make sure that an answer is a stream.

    Raises:
        ModelError: It is something else.
    """
    content_type = response.headers.get("content-type", "").split(";")[0].strip().lower()
    if content_type in _OTHER_TYPES:
        raise not_an_event_stream(endpoint, content_type)


def decode_event(data: str, endpoint: Endpoint) -> RawEvent | None:
    """Decode one event; None for what is no event (comments, end markers of gateways).

    Raises:
        ModelError: It is no JSON.
    """
    if not data or data == "[DONE]":
        return None
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError):
        raise broken_stream(endpoint, "the server sent an event that is not valid JSON") from None
    return cast(RawEvent, value) if isinstance(value, dict) else None


def headers_of(response: "Response") -> dict[str, str]:
    """Return a response's headers, names in lower case."""
    return {name.lower(): value for name, value in response.headers.items()}


def reason_of(error: Exception) -> str:
    """Return what an exception says about a lost connection."""
    return str(error).strip().rstrip(".") or "the connection was lost"


async def read_to_end(raw_events: AsyncGenerator[RawEvent, None]) -> None:
    """Read to the end of the response, so that its connection can serve the next request.

    Opening another one costs a round trip and, where it is encrypted, several.
    """
    try:
        async with asyncio.timeout(END_TIMEOUT_S):
            async for _ in raw_events:
                pass
    except (TimeoutError, ModelError) as error:
        logger.debug("the connection cannot be used again: %s", error)


async def release(response: "Response") -> None:
    """Give the connection back, or close it when the reply was not read to its end."""
    try:
        async with asyncio.timeout(RELEASE_TIMEOUT_S):
            await response.aclose()
    except TimeoutError:
        logger.warning("a model connection did not close within %s s", RELEASE_TIMEOUT_S)
