"""Models behind the OpenAI chat completions API: the vendor's own and the many servers that copy it.

Owns: the SDK's client, opening and reading the stream, the idle watchdog, releasing the connection. The
only module that imports the SDK, and only inside functions: it takes most of a second to load.
Does not own: shapes (``openai_convert``, ``openai_stream``), error texts (``refusals``,
``connection``), retries (``llm.retry``).

The stream is read raw: the SDK's own iterator hides comments, with which servers show that they are
alive, and refuses chunks that only nearly look like the vendor's.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, cast

from pilotfish.llm.catalog import facts_of
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import ModelEvent
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.providers.connection import (
    broken_stream,
    from_connection_failure,
    timed_out,
    unusable_base_url,
    unusable_client,
)
from pilotfish.llm.providers.endpoint import PLACEHOLDER_KEY, is_http_url, without_user_info
from pilotfish.llm.providers.openai_convert import ChatHistory, encode_chat_body
from pilotfish.llm.providers.openai_endpoint import (
    CHAT_COMPLETIONS,
    DEFAULT_OPENAI_URL,
    OpenAISettings,
    openai_headers,
)
from pilotfish.llm.providers.openai_stream import ChatAssembler
from pilotfish.llm.providers.refusals import Refusal, from_refusal, status_of_type
from pilotfish.llm.providers.responses import (
    CONNECT_TIMEOUT_S,
    END_TIMEOUT_S,
    WRITE_TIMEOUT_S,
    RawEvent,
    decode_event,
    headers_of,
    reason_of,
    release,
    require_event_stream,
)
from pilotfish.llm.providers.sse import EventTooLongError, data_lines
from pilotfish.llm.silence import SilenceWatch

if TYPE_CHECKING:
    from httpx2 import Response
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk

logger = logging.getLogger(__name__)

_END = "[DONE]"
"""The data of the last event."""


class OpenAIModel:
    """A model that the chat completions API serves; implements ``llm.model.WarmModel``."""

    def __init__(self, settings: OpenAISettings) -> None:
        self._settings = settings
        self._endpoint = settings.endpoint()
        self._client: AsyncOpenAI | None = None
        self._building = asyncio.Lock()
        self._history = ChatHistory()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the model and yield events as they arrive.

        Raises:
            ModelError: The call failed, before or during the stream.
        """
        client = await self._ready()
        facts = facts_of(request.model, self._settings.overrides)
        body = encode_chat_body(request, facts, self._history, is_openai=self._endpoint.is_default)
        response = await self._open(client, body, facts.model)
        assembler = ChatAssembler(facts.model, len(body))
        try:
            require_event_stream(response, self._endpoint)
            async with aclosing(self._chunks(response)) as chunks:
                async for chunk in chunks:
                    if chunk.get("error"):
                        raise self._error_chunk(chunk, response, facts.model)
                    for event in assembler.feed(chunk):
                        yield event
            if not assembler.complete:
                raise broken_stream(self._endpoint, "the server closed the connection")
            for event in assembler.finish():
                yield event
        finally:
            await release(response)

    async def warm_up(self) -> None:
        """Load the SDK and build the client in a thread; failures are left to the first call."""
        try:
            await self._ready()
        except ModelError as error:
            logger.info("model client not ready: %s", error)

    async def close(self) -> None:
        """Release all connections."""
        client, self._client = self._client, None
        self._history = ChatHistory()
        if client is not None:
            await client.close()

    async def _ready(self) -> "AsyncOpenAI":
        if self._client is not None:
            return self._client
        async with self._building:
            if self._client is None:
                self._client = await asyncio.to_thread(_build_client, self._settings)
        return self._client

    async def _open(self, client: "AsyncOpenAI", body: bytes, model: str) -> "Response":
        """Send the request and return the response once its head is there."""
        from openai import APIConnectionError, APIStatusError

        try:
            async with asyncio.timeout(self._settings.idle_timeout_s):
                opened = await _post(client, body)
        except TimeoutError:
            raise timed_out(self._endpoint, self._settings.idle_timeout_s) from None
        except APIStatusError as error:
            # The SDK takes the outermost "error" off; what servers put beside it is not needed.
            refusal = Refusal(
                status=error.status_code,
                body={"error": error.body},
                headers=headers_of(error.response),
            )
            refused = from_refusal(refusal, self._endpoint, model)
            logger.info("model call refused: %s, request %s", refused.kind, refused.request_id)
            # The cause holds the request with its key: it must not travel into logs.
            raise refused from None
        except APIConnectionError as error:
            raise from_connection_failure(error, self._endpoint) from None
        return opened.response

    async def _chunks(self, response: "Response") -> AsyncGenerator[RawEvent, None]:
        """Yield decoded chunks up to the end mark; give up after too long a silence."""
        from httpx2 import HTTPError  # noqa: PLC0415 - loads with the SDK, never before it

        lines = data_lines(response.aiter_bytes())
        silence = SilenceWatch(self._settings.idle_timeout_s)
        while True:
            try:
                data = await silence.next(anext(lines, None))
            except TimeoutError:
                raise timed_out(self._endpoint, self._settings.idle_timeout_s) from None
            except (HTTPError, UnicodeDecodeError) as error:
                raise broken_stream(self._endpoint, reason_of(error)) from None
            except EventTooLongError:
                raise broken_stream(
                    self._endpoint, "the server sent an event without end"
                ) from None
            if data is None:
                return
            if data == _END:
                await _read_rest(lines)
                return
            chunk = decode_event(data, self._endpoint)
            if chunk is not None:
                yield chunk

    def _error_chunk(self, chunk: RawEvent, response: "Response", model: str) -> ModelError:
        """Turn an error inside a running stream into ours."""
        error: object = chunk.get("error")
        told = cast(dict[str, Any], error) if isinstance(error, dict) else {}
        code: object = told.get("code")
        by_type = status_of_type(str(told.get("type")))
        status = code if isinstance(code, int) and 400 <= code < 600 else by_type
        refusal = Refusal(status=status, body=chunk, headers=headers_of(response))
        return from_refusal(refusal, self._endpoint, model)


def _build_client(settings: OpenAISettings) -> "AsyncOpenAI":
    """Load the SDK and make a client. Slow; runs in a thread.

    Raises:
        ModelError: The base URL is no address, or the SDK cannot work here.
    """
    base_url = settings.base_url or DEFAULT_OPENAI_URL
    if not is_http_url(base_url):
        raise unusable_base_url(base_url, CHAT_COMPLETIONS)
    try:
        client = _new_client(settings, base_url)
        _rehearse(client)
    except (ImportError, OSError, ValueError) as error:
        # A damaged installation, a certificate file that is not there, a proxy that is no address.
        raise unusable_client(settings.endpoint(), error) from None
    return client


def _new_client(settings: OpenAISettings, base_url: str) -> "AsyncOpenAI":
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient, Timeout

    # Silence is the watchdog's business; this only has to be longer.
    timeout = Timeout(2 * settings.idle_timeout_s, connect=CONNECT_TIMEOUT_S, write=WRITE_TIMEOUT_S)
    return AsyncOpenAI(
        api_key=settings.api_key or PLACEHOLDER_KEY,
        # Libraries below log addresses: none with a password may get there.
        base_url=without_user_info(base_url),
        max_retries=0,
        timeout=timeout,
        # One of our own is closed by us; the SDK's would be closed by the garbage collector.
        http_client=DefaultAsyncHttpxClient(timeout=timeout),
        default_headers=openai_headers(base_url),
    )


def _rehearse(client: "AsyncOpenAI") -> None:
    """Play one call without a network, so that the first real one finds everything loaded."""
    import anyio  # noqa: PLC0415 - loads with the SDK, never before it
    import httpx2  # noqa: PLC0415 - as above

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text="\n\n")

    async def call() -> None:
        transport = httpx2.MockTransport(answer)
        async with client.copy(http_client=httpx2.AsyncClient(transport=transport)) as stand_in:
            stream = await _post(stand_in, b"{}")
            await stream.response.aread()
            await stream.close()

    anyio.run(call)


async def _post(client: "AsyncOpenAI", body: bytes) -> "AsyncStream[ChatCompletionChunk]":
    """Send a body to the API; the SDK adds headers, checks the status, opens the stream."""
    from openai import AsyncStream
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    return await client.post(
        "/chat/completions",
        cast_to=ChatCompletion,
        content=body,
        stream=True,
        stream_cls=AsyncStream[ChatCompletionChunk],
    )


async def _read_rest(lines: AsyncGenerator[str, None]) -> None:
    """Read what follows the end mark, so that the connection can serve the next request."""
    try:
        async with asyncio.timeout(END_TIMEOUT_S):
            async for _ in lines:
                pass
    except TimeoutError:
        logger.debug("the server does not end its response")
