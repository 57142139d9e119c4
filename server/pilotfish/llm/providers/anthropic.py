"""Models behind the Anthropic Messages API.

Owns: the SDK's client and the calls through it. With ``anthropic_clouds`` the only module that imports
the SDK, and only inside functions: it takes most of a second to load.
Does not own: shapes (``anthropic_convert``, ``anthropic_stream``), what all SDKs and servers have in
common (``sdk_client``, ``responses``), retries (``llm.retry``).

The stream is read raw: the SDK's accumulating helper parses partial tool input again with each
piece, and its own iterator hides pings, which must reset the watchdog.
"""

from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, TypeAlias, cast

from pilotfish.llm.catalog import ModelFacts, facts_of
from pilotfish.llm.events import ModelEvent
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.providers.anthropic_clouds import (
    bedrock_events,
    build_cloud_client,
    not_signed_in,
    post_to_cloud,
    post_to_cloud_whole,
    sign_in_errors,
)
from pilotfish.llm.providers.anthropic_convert import (
    build_params,
    encode_body,
    messages_history,
)
from pilotfish.llm.providers.anthropic_endpoint import AnthropicSettings, headers_for
from pilotfish.llm.providers.anthropic_stream import ReplyAssembler, events_of_message
from pilotfish.llm.providers.cloud_endpoint import CloudSettings
from pilotfish.llm.providers.connection import broken_stream
from pilotfish.llm.providers.endpoint import PLACEHOLDER_KEY, without_user_info
from pilotfish.llm.providers.history_cache import Wire
from pilotfish.llm.providers.responses import (
    WHOLE_TIMEOUT_S,
    Call,
    RawEvent,
    events_of,
    read_to_end,
    release,
    reply_in,
    reply_instead,
)
from pilotfish.llm.providers.sdk_client import (
    LazyClient,
    SdkErrors,
    build_for,
    failures_told,
    patience,
    rehearse,
    without_module,
)
from pilotfish.llm.rate_limits import NO_LIMITS, RateLimits, rate_limits_of

if TYPE_CHECKING:
    from anthropic import AsyncAnthropic, AsyncStream
    from anthropic.types import RawMessageStreamEvent
    from httpx2 import AsyncClient, Response

    from pilotfish.llm.providers.anthropic_clouds import CloudClient

    Client: TypeAlias = AsyncAnthropic | CloudClient


_CONTENT = "content"
"""What a reply in one piece has."""

_OTHER_TRANSPORT = "anthropic._vendor.httpx_aiohttp"
"""What the SDK could send by instead of httpx, which we never do: where aiohttp is installed, it loads
all of it, which takes as long as a tenth of the SDK itself."""


class AnthropicModel:
    """A model that the Messages API serves; implements ``llm.model.WarmModel``."""

    def __init__(self, settings: AnthropicSettings) -> None:
        self._settings = settings
        self._endpoint = settings.endpoint()
        self._client = LazyClient["Client"](lambda: _build_client(settings))
        self._histories = messages_history()
        self._limits = NO_LIMITS

    @property
    def limits(self) -> RateLimits:
        """What its latest answer told of the provider's limits; not every answer does."""
        return self._limits

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the model and yield events as they arrive.

        Raises:
            ModelError: The call failed, before or during the stream.
        """
        client = await self._client.ready()
        facts = facts_of(request.model, self._settings.overrides)
        body = self._body(request, facts)
        call = Call(
            endpoint=self._endpoint,
            model=facts.model,
            idle_timeout_s=self._settings.idle_timeout_s,
        )
        events = self._whole if request.in_one_piece else self._streamed
        async with aclosing(events(client, body, call)) as arriving:
            async for event in arriving:
                yield event

    async def _whole(
        self, client: "Client", body: "bytes | Wire", call: Call
    ) -> AsyncGenerator[ModelEvent, None]:
        """Ask for a reply in one piece."""
        async with self._refusals(call.model, WHOLE_TIMEOUT_S):
            response = await _post_whole(client, body)
        self._note_limits(response)
        for event in _events_in(reply_in(response.content, response, call, _CONTENT), call):
            yield event

    async def _streamed(
        self, client: "Client", body: "bytes | Wire", call: Call
    ) -> AsyncGenerator[ModelEvent, None]:
        """Ask for a stream."""
        async with self._refusals(call.model, call.idle_timeout_s):
            response = (await _post(client, body)).response
        self._note_limits(response)
        assembler = ReplyAssembler(call.model)
        try:
            message = await reply_instead(response, call, _CONTENT)
            if message is not None:
                for event in _events_in(message, call):
                    yield event
                return
            frames = bedrock_events(response) if self._in_frames() else None
            async with aclosing(events_of(response, call, frames)) as raw_events:
                async for raw in raw_events:
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
        await self._client.warm_up()

    async def close(self) -> None:
        """Release all connections."""
        self._histories = messages_history()
        await self._client.close()

    def _body(self, request: ModelRequest, facts: ModelFacts) -> "bytes | Wire":
        """Return the body of a call: an object where a cloud's client goes on with it."""
        if self._settings.cloud is not None:
            return build_params(request, facts, self._histories)
        return encode_body(request, facts, self._histories)

    def _note_limits(self, response: "Response") -> None:
        self._limits = rate_limits_of(response.headers) or self._limits

    def _in_frames(self) -> bool:
        """Tell whether the stream is a binary one."""
        return self._settings.cloud is not None and self._settings.cloud.name == "bedrock"

    @asynccontextmanager
    async def _refusals(self, model: str, timeout_s: float) -> AsyncGenerator[None]:
        """Turn what goes wrong with a request, up to its answer, into our errors."""
        from anthropic import APIConnectionError, APIStatusError

        cloud = self._settings.cloud
        errors = SdkErrors(status=APIStatusError, connection=APIConnectionError)
        try:
            async with failures_told(self._endpoint, model, timeout_s, errors):
                yield
        except sign_in_errors(cloud) as error:
            raise not_signed_in(cast(CloudSettings, cloud), error) from None


def _events_in(message: RawEvent, call: Call) -> list[ModelEvent]:
    """Return the events of a reply that came in one piece."""
    assembler = ReplyAssembler(call.model)
    return [event for raw in events_of_message(message) for event in assembler.feed(raw)]


def _build_client(settings: AnthropicSettings) -> "Client":
    """Load the SDK and make a client. Slow; runs in a thread.

    Raises:
        ModelError: The base URL is no address, or the SDK cannot work here.
    """

    def make() -> "Client":
        with without_module(_OTHER_TRANSPORT):
            import anthropic as _  # noqa: F401
        if settings.cloud is not None:
            return build_cloud_client(settings.cloud, settings.idle_timeout_s)
        client = _new_client(settings)
        _rehearse(client)
        return client

    return build_for(settings.endpoint(), make)


def _new_client(settings: AnthropicSettings) -> "AsyncAnthropic":
    from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient

    endpoint = settings.endpoint()
    key = settings.api_key
    if key is None and settings.auth_token is None:
        key = PLACEHOLDER_KEY
    timeout = patience(settings.idle_timeout_s)
    return AsyncAnthropic(
        api_key=key,
        auth_token=settings.auth_token if key is None else None,
        # Libraries below log addresses: none with a password may get there.
        base_url=without_user_info(endpoint.base_url),
        max_retries=0,
        timeout=timeout,
        # One of our own is closed by us; the SDK's would be closed by the garbage collector.
        http_client=DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False),
        default_headers=headers_for(endpoint, key),
    )


def _rehearse(client: "AsyncAnthropic") -> None:
    async def play(network: "AsyncClient") -> None:
        stream = await _post(client.copy(http_client=network), b"{}")
        await stream.response.aread()
        await stream.close()

    rehearse(play)
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


async def _post_whole(client: "Client", body: "bytes | Wire") -> "Response":
    """Send a body to the Messages API; the reply comes in one piece."""
    from httpx2 import Response  # noqa: PLC0415 - loads with the SDK, never before it

    if not isinstance(body, bytes):
        return await post_to_cloud_whole(cast("CloudClient", client), body, WHOLE_TIMEOUT_S)
    return await client.post(
        "/v1/messages", cast_to=Response, content=body, options={"timeout": WHOLE_TIMEOUT_S}
    )
