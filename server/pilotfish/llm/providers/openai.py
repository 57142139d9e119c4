"""Models behind the OpenAI chat completions API: the vendor's own and the many servers that copy it.

Owns: the SDK's client and the calls through it. The only module that imports the SDK, and only inside
functions: it takes most of a second to load.
Does not own: shapes (``openai_convert``, ``openai_stream``), what all SDKs and servers have in common
(``sdk_client``, ``responses``), retries (``llm.retry``).

The stream is read raw: the SDK's own iterator hides comments, with which servers show that they are
alive, and refuses chunks that only nearly look like the vendor's.
"""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import TYPE_CHECKING, cast

from pilotfish.llm.catalog import facts_of
from pilotfish.llm.events import ModelEvent
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.providers.connection import broken_stream
from pilotfish.llm.providers.endpoint import PLACEHOLDER_KEY, base_headers, without_user_info
from pilotfish.llm.providers.openai_calls import TooManyCallsError
from pilotfish.llm.providers.openai_convert import chat_history, encode_chat_body
from pilotfish.llm.providers.openai_endpoint import OpenAISettings
from pilotfish.llm.providers.openai_stream import ChatAssembler, choices_in
from pilotfish.llm.providers.responses import (
    WHOLE_TIMEOUT_S,
    Call,
    RawEvent,
    events_of,
    is_error,
    release,
    reply_in,
    reply_instead,
    told_error,
)
from pilotfish.llm.providers.sdk_client import (
    LazyClient,
    SdkErrors,
    build_for,
    failures_told,
    patience,
    rehearse,
)
from pilotfish.llm.rate_limits import NO_LIMITS, RateLimits

if TYPE_CHECKING:
    from httpx2 import AsyncClient, Response
    from openai import AsyncOpenAI, AsyncStream
    from openai.types.chat import ChatCompletionChunk


_CHOICES = "choices"
"""What a reply in one piece has."""

LIST_TIMEOUT_S = 5.0
"""Longest wait for a list of models."""


class OpenAIModel:
    """A model that the chat completions API serves; implements ``llm.model.WarmModel``."""

    def __init__(self, settings: OpenAISettings) -> None:
        self._settings = settings
        self._endpoint = settings.endpoint()
        self._client = LazyClient["AsyncOpenAI"](lambda: _build_client(settings))
        self._history = chat_history()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Call the model and yield events as they arrive.

        Raises:
            ModelError: The call failed, before or during the stream.
        """
        client = await self._client.ready()
        facts = facts_of(request.model, self._settings.overrides)
        body = encode_chat_body(request, facts, self._history, is_openai=self._endpoint.is_default)
        call = Call(
            endpoint=self._endpoint,
            model=facts.model,
            idle_timeout_s=self._settings.idle_timeout_s,
        )
        tools = frozenset(tool.name for tool in request.tools)
        assembler = ChatAssembler(facts.model, len(body), tools)
        events = self._whole if request.in_one_piece else self._streamed
        async with aclosing(events(client, body, call, assembler.end)) as chunks:
            async for chunk in chunks:
                for event in self._read(assembler, chunk):
                    yield event
        if not assembler.complete:
            raise broken_stream(self._endpoint, assembler.why_incomplete())
        for event in assembler.finish():
            yield event

    def _read(self, assembler: ChatAssembler, chunk: RawEvent) -> list[ModelEvent]:
        try:
            return assembler.feed(chunk)
        except TooManyCallsError:
            raise broken_stream(self._endpoint, "the server sent calls without end") from None

    async def warm_up(self) -> None:
        """Load the SDK and build the client in a thread; failures are left to the first call."""
        await self._client.warm_up()

    @property
    def limits(self) -> RateLimits:
        """Nothing: these servers count requests and tokens of a minute, not of a plan."""
        return NO_LIMITS

    async def close(self) -> None:
        """Release all connections."""
        self._history = chat_history()
        await self._client.close()

    async def list_models(self) -> list[str]:
        """Return the names that the server gives its models.

        Raises:
            ModelError: It does not say.
        """
        client = await self._client.ready()
        call = Call(endpoint=self._endpoint, model="", idle_timeout_s=LIST_TIMEOUT_S)
        async with self._refusals(call, LIST_TIMEOUT_S):
            response = await _get_models(client)
        listed = cast("list[object]", reply_in(response.content, response, call, "data")["data"])
        models = [cast(RawEvent, one) for one in listed if isinstance(one, dict)]
        return [name for one in models if isinstance(name := one.get("id"), str)]

    async def _whole(
        self, client: "AsyncOpenAI", body: bytes, call: Call, on_end: Callable[[], None]
    ) -> AsyncGenerator[RawEvent, None]:
        """Ask for a reply in one piece, which reads like one chunk."""
        async with self._refusals(call, WHOLE_TIMEOUT_S):
            response = await _post_whole(client, body)
        yield _told(reply_in(response.content, response, call, _CHOICES), response, call)
        on_end()

    async def _streamed(
        self, client: "AsyncOpenAI", body: bytes, call: Call, on_end: Callable[[], None]
    ) -> AsyncGenerator[RawEvent, None]:
        """Ask for a stream."""
        async with self._refusals(call, call.idle_timeout_s):
            response = (await _post(client, body)).response
        try:
            reply = await reply_instead(response, call, _CHOICES)
            if reply is not None:
                yield _told(reply, response, call)
                on_end()
                return
            async with aclosing(events_of(response, call, on_end=on_end)) as chunks:
                async for chunk in chunks:
                    yield _told(chunk, response, call)
        finally:
            await release(response)

    @asynccontextmanager
    async def _refusals(self, call: Call, timeout_s: float) -> AsyncGenerator[None]:
        """Turn what goes wrong with a request, up to its answer, into our errors."""
        from openai import APIConnectionError, APIStatusError

        errors = SdkErrors(status=APIStatusError, connection=APIConnectionError)
        async with failures_told(self._endpoint, call.model, timeout_s, errors):
            yield


def _told(chunk: RawEvent, response: "Response", call: Call) -> RawEvent:
    """Return a chunk, unless its choice holds an error, as those of some gateways do.

    Raises:
        ModelError: It does.
    """
    for choice in choices_in(chunk):
        if is_error(choice):
            raise told_error(choice, response, call)
    return chunk


def _build_client(settings: OpenAISettings) -> "AsyncOpenAI":
    """Load the SDK and make a client. Slow; runs in a thread.

    Raises:
        ModelError: The base URL is no address, or the SDK cannot work here.
    """

    def make() -> "AsyncOpenAI":
        client = _new_client(settings)
        _rehearse(client)
        return client

    return build_for(settings.endpoint(), make)


def _new_client(settings: OpenAISettings) -> "AsyncOpenAI":
    from openai import AsyncOpenAI, DefaultAsyncHttpxClient

    base_url = settings.endpoint().base_url
    timeout = patience(settings.idle_timeout_s)
    return AsyncOpenAI(
        api_key=settings.api_key or PLACEHOLDER_KEY,
        # Libraries below log addresses: none with a password may get there.
        base_url=without_user_info(base_url),
        max_retries=0,
        timeout=timeout,
        # One of our own is closed by us; the SDK's would be closed by the garbage collector.
        http_client=DefaultAsyncHttpxClient(timeout=timeout, follow_redirects=False),
        default_headers=base_headers(base_url),
    )


def _rehearse(client: "AsyncOpenAI") -> None:
    async def play(network: "AsyncClient") -> None:
        stream = await _post(client.copy(http_client=network), b"{}")
        await stream.response.aread()
        await stream.close()

    rehearse(play)


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


async def _post_whole(client: "AsyncOpenAI", body: bytes) -> "Response":
    """Send a body to the API; the reply comes in one piece."""
    from httpx2 import Response  # noqa: PLC0415 - loads with the SDK, never before it

    return await client.post(
        "/chat/completions", cast_to=Response, content=body, options={"timeout": WHOLE_TIMEOUT_S}
    )


async def _get_models(client: "AsyncOpenAI") -> "Response":
    """Ask which models there are."""
    from httpx2 import Response  # noqa: PLC0415 - loads with the SDK, never before it

    return await client.get("/models", cast_to=Response, options={"timeout": LIST_TIMEOUT_S})
