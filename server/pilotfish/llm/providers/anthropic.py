"""Models behind the Anthropic Messages API.

Owns: the SDK's client, opening and reading the event stream, the idle watchdog, releasing the
connection. With ``anthropic_clouds`` the only module that imports the SDK, and only inside functions:
it takes most of a second to load.
Does not own: shapes (``anthropic_convert``, ``anthropic_stream``), error texts (``refusals``, ``connection``), retries (``llm.retry``).

The stream is read raw: the SDK's accumulating helper parses partial tool input again with each
piece, and its own iterator hides pings, which must reset the watchdog.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from pilotfish.llm.catalog import ModelFacts, facts_of
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import ModelEvent
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.providers.anthropic_clouds import (
    bedrock_events,
    build_cloud_client,
    not_signed_in,
    post_to_cloud,
    post_to_cloud_for_message,
    sign_in_errors,
)
from pilotfish.llm.providers.anthropic_convert import (
    build_params,
    encode_body,
    messages_history,
)
from pilotfish.llm.providers.anthropic_endpoint import (
    AnthropicSettings,
    headers_for,
)
from pilotfish.llm.providers.anthropic_stream import ReplyAssembler, events_of_message
from pilotfish.llm.providers.cloud_endpoint import CloudSettings
from pilotfish.llm.providers.connection import (
    broken_stream,
    from_connection_failure,
    timed_out,
    unusable_base_url,
    unusable_client,
)
from pilotfish.llm.providers.endpoint import PLACEHOLDER_KEY, is_http_url, without_user_info
from pilotfish.llm.providers.history_cache import Wire
from pilotfish.llm.providers.refusals import Refusal, from_refusal, status_of_type
from pilotfish.llm.providers.responses import (
    CONNECT_TIMEOUT_S,
    WRITE_TIMEOUT_S,
    RawEvent,
    decode_event,
    headers_of,
    read_to_end,
    reason_of,
    release,
    require_event_stream,
)
from pilotfish.llm.silence import SilenceWatch

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncStream
    from anthropic.types import RawMessageStreamEvent
    from httpx2 import Response

    from pilotfish.llm.providers.anthropic_clouds import CloudClient

    Client: TypeAlias = AsyncAnthropic | CloudClient

logger = logging.getLogger(__name__)

WHOLE_TIMEOUT_S = 300.0
"""Longest wait for a reply in one piece (design 02 §7.4)."""


class AnthropicModel:
    """A model that the Messages API serves; implements ``llm.model.WarmModel``."""

    def __init__(self, settings: AnthropicSettings) -> None:
        self._settings = settings
        self._endpoint = settings.endpoint()
        self._client: Client | None = None
        self._building = asyncio.Lock()
        self._histories = messages_history()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the model and yield events as they arrive.

        Raises:
            ModelError: The call failed, before or during the stream.
        """
        client = await self._ready()
        facts = facts_of(request.model, self._settings.overrides)
        body = self._body(request, facts)
        assembler = ReplyAssembler(facts.model)
        if request.in_one_piece:
            async with self._refusals(facts.model, WHOLE_TIMEOUT_S):
                message = await _post_for_message(client, body)
            for raw in events_of_message(message):
                for event in assembler.feed(raw):
                    yield event
            return
        response = await self._open(client, body, facts.model)
        try:
            require_event_stream(response, self._endpoint)
            async with aclosing(self._events(response)) as raw_events:
                async for raw in raw_events:
                    if raw.get("type") == "error":
                        raise self._error_event(raw, response, facts.model)
                    for event in assembler.feed(raw):
                        yield event
                    if assembler.finished:
                        await read_to_end(raw_events)
                        return
            raise broken_stream(self._endpoint, "the server closed the connection")
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
        self._histories = messages_history()
        if client is not None:
            await client.close()

    def _body(self, request: ModelRequest, facts: ModelFacts) -> "bytes | Wire":
        """Return the body of a call: an object where a cloud's client goes on with it."""
        if self._settings.cloud is not None:
            return build_params(request, facts, self._histories)
        return encode_body(request, facts, self._histories)

    async def _ready(self) -> "Client":
        if self._client is not None:
            return self._client
        async with self._building:
            if self._client is None:
                self._client = await asyncio.to_thread(_build_client, self._settings)
        return self._client

    async def _open(self, client: "Client", body: "bytes | Wire", model: str) -> "Response":
        """Send the request and return the response once its head is there."""
        async with self._refusals(model, self._settings.idle_timeout_s):
            opened = await _post(client, body)
        return opened.response

    @asynccontextmanager
    async def _refusals(self, model: str, timeout_s: float) -> AsyncGenerator[None]:
        """Turn what goes wrong with a request, up to its answer, into our errors."""
        from anthropic import APIConnectionError, APIStatusError

        cloud = self._settings.cloud
        try:
            async with asyncio.timeout(timeout_s):
                yield
        except TimeoutError:
            raise timed_out(self._endpoint, timeout_s) from None
        except APIStatusError as error:
            refusal = Refusal(
                status=error.status_code, body=error.body, headers=headers_of(error.response)
            )
            refused = from_refusal(refusal, self._endpoint, model)
            logger.info("model call refused: %s, request %s", refused.kind, refused.request_id)
            # The cause holds the request with its key: it must not travel into logs.
            raise refused from None
        except APIConnectionError as error:
            raise from_connection_failure(error, self._endpoint) from None
        except sign_in_errors(cloud) as error:
            raise not_signed_in(cast(CloudSettings, cloud), error) from None

    async def _events(self, response: "Response") -> AsyncGenerator[RawEvent, None]:
        """Yield decoded events; give up after too long a silence."""
        from httpx2 import HTTPError  # noqa: PLC0415 - loads with the SDK, never before it

        cloud = self._settings.cloud
        in_frames = cloud is not None and cloud.name == "bedrock"
        lines = bedrock_events(response) if in_frames else _server_sent(response)
        silence = SilenceWatch(self._settings.idle_timeout_s)
        while True:
            try:
                data = await silence.next(anext(lines, None))
            except TimeoutError:
                raise timed_out(self._endpoint, self._settings.idle_timeout_s) from None
            except (HTTPError, UnicodeDecodeError) as error:
                raise broken_stream(self._endpoint, reason_of(error)) from None
            if data is None:
                return
            raw = decode_event(data, self._endpoint)
            if raw is not None:
                yield raw

    def _error_event(self, raw: RawEvent, response: "Response", model: str) -> ModelError:
        error: object = raw.get("error")
        kind: object = cast(dict[str, Any], error).get("type") if isinstance(error, dict) else None
        status = status_of_type(kind if isinstance(kind, str) else "")
        refusal = Refusal(status=status, body=dict(raw), headers=headers_of(response))
        return from_refusal(refusal, self._endpoint, model)


async def _server_sent(response: "Response") -> AsyncGenerator[str, None]:
    """Yield the data of each event."""
    from anthropic import AsyncStream

    async for sse in AsyncStream.raw_events(response):
        yield sse.data


def _build_client(settings: AnthropicSettings) -> "Client":
    """Load the SDK and make a client. Slow; runs in a thread.

    Raises:
        ModelError: The base URL is no address, or the SDK cannot work here.
    """
    base_url = settings.endpoint().base_url
    if not is_http_url(base_url):
        raise unusable_base_url(base_url, settings.endpoint().dialect)
    try:
        if settings.cloud is not None:
            return build_cloud_client(settings.cloud, settings.idle_timeout_s)
        client = _new_client(settings, base_url)
        _rehearse(client)
    except (ImportError, OSError, ValueError) as error:
        # A damaged installation, a certificate file that is not there, a proxy that is no address.
        raise unusable_client(settings.endpoint(), error) from None
    return client


def _new_client(settings: AnthropicSettings, base_url: str) -> "AsyncAnthropic":
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient, Timeout

    key = settings.api_key
    if key is None and settings.auth_token is None:
        key = PLACEHOLDER_KEY
    # Silence is the watchdog's business; this only has to be longer.
    timeout = Timeout(2 * settings.idle_timeout_s, connect=CONNECT_TIMEOUT_S, write=WRITE_TIMEOUT_S)
    return AsyncAnthropic(
        api_key=key,
        auth_token=settings.auth_token if key is None else None,
        # Libraries below log addresses: none with a password may get there.
        base_url=without_user_info(base_url),
        max_retries=0,
        timeout=timeout,
        # One of our own is closed by us; the SDK's would be closed by the garbage collector.
        http_client=DefaultAsyncHttpxClient(timeout=timeout),
        default_headers=headers_for(settings, base_url, key),
    )


def _rehearse(client: "AsyncAnthropic") -> None:
    """Play one call without a network, so that the first real one finds everything loaded.

    The SDK and what is below it load and compute many things at first use, some 20 ms in all.
    """
    import anyio  # noqa: PLC0415 - loads with the SDK, never before it
    import httpx2  # noqa: PLC0415 - as above

    def answer(_: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, text=": x\n\n")

    async def call() -> None:
        transport = httpx2.MockTransport(answer)
        async with client.copy(http_client=httpx2.AsyncClient(transport=transport)) as stand_in:
            stream = await _post(stand_in, b"{}")
            async for _ in stream.raw_events(stream.response):
                pass
            await stream.close()

    # Also loads the backend that connections use.
    anyio.run(call)
    _ = client.messages


async def _post(client: "Client", body: "bytes | Wire") -> "AsyncStream[RawMessageStreamEvent]":
    """Send a body to the Messages API; the SDK adds headers, checks the status, opens the stream."""
    from anthropic import AsyncStream
    from anthropic.types import Message, RawMessageStreamEvent

    if not isinstance(body, bytes):
        return await post_to_cloud(cast("CloudClient", client), body)
    return await client.post(
        "/v1/messages",
        cast_to=Message,
        content=body,
        stream=True,
        stream_cls=AsyncStream[RawMessageStreamEvent],
    )


async def _post_for_message(client: "Client", body: "bytes | Wire") -> RawEvent:
    """Send a body to the Messages API and return the reply in one piece, as it stands there."""
    if not isinstance(body, bytes):
        return await post_to_cloud_for_message(cast("CloudClient", client), body, WHOLE_TIMEOUT_S)
    answer = await client.post(
        "/v1/messages", cast_to=object, content=body, options={"timeout": WHOLE_TIMEOUT_S}
    )
    return cast(RawEvent, answer) if isinstance(answer, dict) else {}
