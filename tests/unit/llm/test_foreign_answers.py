"""Servers that answer with success but with no reply: pages, nothing, errors, broken JSON."""

import json
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Literal

import pytest
from aiohttp import web
from pilotfish.core.messages import TextBlock, ToolUseBlock, Usage
from pilotfish.llm.errors import ModelError, ModelErrorKind
from pilotfish.llm.events import ReplyCompleted
from pilotfish.llm.model import WarmModel
from pilotfish.llm.providers.anthropic import AnthropicModel
from pilotfish.llm.providers.anthropic_endpoint import AnthropicSettings
from pilotfish.llm.providers.openai import OpenAIModel
from pilotfish.llm.providers.openai_endpoint import OpenAISettings

from tests.support.model_requests import blocks, collect, model_request
from tools.fake_chat import Call, ChatReply, FakeChat

Provider = Literal["anthropic", "openai"]
Way = Literal["streamed", "in one piece"]

KEY = "sk-secret-0123456789"
PAGE = "<!DOCTYPE html><html><head><title>\n Sign in to Acme </title></head><body>…</body></html>"


@asynccontextmanager
async def answering(
    provider: Provider, body: str, content_type: str
) -> AsyncGenerator[WarmModel, None]:
    """Serve the same answer to every request; yield a model of that server."""

    async def answer(_: web.Request) -> web.Response:
        headers = {"content-type": content_type} if content_type else {}
        return web.Response(body=body.encode(), headers=headers)

    async with serving(provider, answer) as model:
        yield model


@asynccontextmanager
async def serving(
    provider: Provider, answer: Callable[[web.Request], Awaitable[web.Response]]
) -> AsyncGenerator[WarmModel, None]:
    """Yield a model of a server that answers in one way."""
    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    model = (
        AnthropicModel(AnthropicSettings(api_key=KEY, base_url=url))
        if provider == "anthropic"
        else OpenAIModel(OpenAISettings(api_key=KEY, base_url=f"{url}/v1"))
    )
    try:
        yield model
    finally:
        await model.close()
        await runner.cleanup()


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize("way", ["streamed", "in one piece"])
@pytest.mark.parametrize(
    ("body", "content_type", "kind", "said"),
    [
        (PAGE, "text/html; charset=utf-8", "invalid_request", "a page titled “Sign in to Acme”"),
        (PAGE, "", "invalid_request", "a page titled “Sign in to Acme”"),
        (PAGE, "text/event-stream", "invalid_request", "a page titled “Sign in to Acme”"),
        ("<html></html>", "text/html", "invalid_request", "an HTML page"),
        ("", "application/json", "invalid_request", "an empty answer"),
        ("", "text/plain", "invalid_request", "an empty answer"),
        ("no healthy upstream", "text/plain", "invalid_request", "“no healthy upstream”"),
        ('{"ok": true}', "application/json", "invalid_request", '“{"ok": true}”'),
        ("[]", "application/json", "invalid_request", "“[]”"),
        ('{"id": "m", "content": [{"ty', "application/json", "stream_broken", "not complete"),
        (
            json.dumps({"error": {"type": "overloaded_error", "message": f"Busy, {KEY}"}}),
            "application/json",
            "overloaded",
            "Busy",
        ),
        (
            json.dumps({"error": {"code": 401, "message": "Who are you?"}}),
            "application/json",
            "authentication",
            "Who are you?",
        ),
    ],
)
async def test_an_answer_that_is_no_reply_is_an_error_that_says_what_came(
    provider: Provider, way: Way, body: str, content_type: str, kind: ModelErrorKind, said: str
) -> None:
    request = replace(model_request(), in_one_piece=way == "in one piece")
    async with answering(provider, body, content_type) as model:
        with pytest.raises(ModelError) as raised:
            await collect(model, request)
    assert (raised.value.kind, said in raised.value.message) == (kind, True), raised.value.message
    assert KEY not in str(raised.value)
    assert raised.value.hint


@pytest.mark.parametrize("body", [f"{PAGE}\n" * 400, ": alive\n\n", "\n\n\n"])
async def test_a_stream_without_any_event_is_never_an_empty_reply(body: str) -> None:
    async with answering("openai", body, "") as model:
        with pytest.raises(ModelError):
            await collect(model, model_request())


async def test_a_reply_in_one_piece_of_a_chat_server_is_read() -> None:
    reply = ChatReply(text="Here.", calls=(Call(name="Read", input={"file_path": "a"}),))
    async with FakeChat([reply]) as fake:
        model = OpenAIModel(OpenAISettings(api_key=KEY, base_url=fake.url))
        events = await collect(model, replace(model_request(), in_one_piece=True))
        await model.close()
        assert fake.problems == []
        assert "stream" not in fake.requests[0].body
    text, call = blocks(events)
    assert text == TextBlock(text="Here.")
    assert isinstance(call, ToolUseBlock)
    assert (call.name, call.input) == ("Read", {"file_path": "a"})
    end = events[-1]
    assert isinstance(end, ReplyCompleted)
    assert (end.stop_reason, end.usage.input_tokens) == ("tool_use", 100)


WHOLE: dict[Provider, dict[str, object]] = {
    "anthropic": {
        "type": "message",
        "content": [{"type": "text", "text": "Here."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 9, "output_tokens": 3},
    },
    "openai": {
        "choices": [{"message": {"content": "Here."}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 3},
    },
}


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
async def test_a_reply_in_one_piece_that_answers_for_a_stream_is_read(provider: Provider) -> None:
    body = json.dumps({"id": "m", "role": "assistant", "model": "m"} | WHOLE[provider])
    async with answering(provider, body, "application/json; charset=utf-8") as model:
        events = await collect(model, model_request())
    assert blocks(events) == [TextBlock(text="Here.")]
    assert events[-1] == ReplyCompleted(
        stop_reason="end_turn", usage=Usage(input_tokens=9, output_tokens=3)
    )


@pytest.mark.parametrize("provider", ["anthropic", "openai"])
@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_key_is_not_sent_on_to_where_a_server_points(
    provider: Provider, status: int
) -> None:
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=status, headers={"location": "/elsewhere?token=secret"})

    async with serving(provider, answer) as model:
        with pytest.raises(ModelError) as raised:
            await collect(model, model_request())
    assert len(asked) == 1
    assert f"sends requests on to /elsewhere ({status})" in raised.value.message
    assert "Check the base URL" in raised.value.hint
