"""The Messages API provider against a real HTTP server."""

import asyncio
import json
import logging
import socket
from base64 import b64encode
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from itertools import count, pairwise
from typing import TypeVar

import pytest
from aiohttp import web
from pilotfish.core.ids import MessageId, ToolUseId
from pilotfish.core.messages import (
    AssistantMessage,
    Message,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
    UserMessage,
)
from pilotfish.llm.errors import ModelError, ModelErrorKind
from pilotfish.llm.events import (
    BlockCompleted,
    DeltaReceived,
    ReplyCompleted,
    ReplyStarted,
    RetryWaiting,
)
from pilotfish.llm.providers import responses
from pilotfish.llm.providers.anthropic import AnthropicModel
from pilotfish.llm.providers.anthropic_endpoint import AnthropicSettings
from pilotfish.llm.retry import RetryingModel
from pilotfish.llm.silence import SilenceWatch

from tests.support.fake_clock import FakeClock
from tests.support.model_requests import READ_TOOL, blocks, collect, model_request, of_type, user
from tests.support.waiting import WAIT_S
from tools.fake_model import (
    Cut,
    ErrorEvent,
    FakeModel,
    HttpError,
    Pace,
    Ping,
    RedactedThinking,
    Rules,
    Scenario,
    Stall,
    Text,
    Thinking,
    ToolUse,
    Turn,
)
from tools.fake_model import Usage as FakeUsage
from tools.fake_model.turns import ErrorName

T = TypeVar("T")

KEY = "sk-ant-test-0123456789abcdef"


@pytest.fixture
async def fake() -> AsyncIterator[FakeModel]:
    async with FakeModel() as server:
        yield server


def settings(url: str, *, idle_timeout_s: float = 20.0) -> AnthropicSettings:
    return AnthropicSettings(
        api_key=KEY,
        base_url=url,
        key_source="ANTHROPIC_API_KEY",
        idle_timeout_s=idle_timeout_s,
    )


@pytest.fixture
async def model(fake: FakeModel) -> AsyncIterator[AnthropicModel]:
    made = AnthropicModel(settings(fake.url))
    yield made
    await made.close()


async def failure_of(model: AnthropicModel) -> ModelError:
    with pytest.raises(ModelError) as caught:
        await collect(model, model_request())
    return caught.value


async def test_streams_text_thinking_and_a_tool_call(
    fake: FakeModel, model: AnthropicModel
) -> None:
    fake.play(
        [
            Turn(
                [
                    Thinking("Let me see.", signature="sig=="),
                    RedactedThinking("opaque"),
                    Text("I read the file. Ünïcødé 🐟"),
                    Ping(),
                    ToolUse("Read", {"file_path": "/a/b"}, id="toolu_1"),
                ],
                pace=Pace(chunk_chars=3, split_bytes=7),
                usage=FakeUsage(input=11, output=7, cache_read=5, cache_write=2),
            )
        ]
    )
    events = await collect(model, model_request(thinking=2_000))
    assert fake.problems == []
    assert blocks(events) == [
        ThinkingBlock(text="Let me see.", signature="sig=="),
        RedactedThinkingBlock(data="opaque"),
        TextBlock(text="I read the file. Ünïcødé 🐟"),
        ToolUseBlock(id=ToolUseId("toolu_1"), name="Read", input={"file_path": "/a/b"}),
    ]
    assert isinstance(events[0], ReplyStarted)
    assert len(of_type(events, DeltaReceived)) > 10
    end = events[-1]
    assert isinstance(end, ReplyCompleted)
    assert end.stop_reason == "tool_use"
    assert end.usage == Usage(
        input_tokens=11, output_tokens=7, cache_read_tokens=5, cache_write_tokens=2
    )


async def test_a_tool_input_that_is_cut_is_an_error_of_the_call(
    fake: FakeModel, model: AnthropicModel
) -> None:
    fake.play([Turn([ToolUse("Read", raw_json='{"file_path": "/a')])])
    (block,) = blocks(await collect(model, model_request()))
    assert isinstance(block, ToolUseBlock)
    assert block.input_error is not None


async def test_a_reply_without_any_block_is_a_success(
    fake: FakeModel, model: AnthropicModel
) -> None:
    fake.play([Turn()])
    events = await collect(model, model_request())
    assert blocks(events) == []
    assert isinstance(events[-1], ReplyCompleted)


async def test_requests_of_a_session_share_their_prefix_and_the_server_accepts_them(
    fake: FakeModel, model: AnthropicModel
) -> None:
    call = ToolUse("Read", {"file_path": "/a"})
    fake.play([Turn([Thinking("hm"), Text("x"), call])] * 3 + [Turn("Done.")])
    history: list[Message] = [user("Hello")]
    for _ in range(4):
        events = await collect(model, model_request(*history, thinking=2_000))
        content = tuple(event.block for event in of_type(events, BlockCompleted))
        history.append(AssistantMessage(id=MessageId("m"), content=content))
        results = tuple(
            ToolResultBlock(tool_use_id=block.id, content=(TextBlock(text="1\tx"),))
            for block in content
            if isinstance(block, ToolUseBlock)
        )
        history.append(UserMessage(content=results or (TextBlock(text="bye"),)))
    assert fake.problems == []
    bodies = [record.body for record in fake.requests]
    for earlier, later in pairwise(bodies):
        assert earlier["tools"] == later["tools"]
        assert earlier["system"] == later["system"]
        assert str(earlier["messages"]).count("cache_control") <= 2
        before = unmarked(earlier["messages"])
        assert unmarked(later["messages"])[: len(before)] == before
    assert str(bodies[-1]).count("'cache_control'") == 4


def unmarked(value: object) -> list[object]:
    text = json.dumps(value).replace(', "cache_control": {"type": "ephemeral"}', "")
    return list(json.loads(text))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ("bad_request", "invalid_request"),
        ("unauthorized", "authentication"),
        ("forbidden", "permission"),
        ("not_found", "not_found"),
        ("request_timeout", "timeout"),
        ("prompt_too_long", "prompt_too_long"),
        ("request_too_large", "prompt_too_long"),
        ("rate_limited", "rate_limit"),
        ("server_error", "server"),
        ("bad_gateway", "server"),
        ("overloaded", "overloaded"),
    ],
)
async def test_error_answers_end_the_call_with_their_kind(
    fake: FakeModel, model: AnthropicModel, error: ErrorName, kind: ModelErrorKind
) -> None:
    fake.play([Turn(error=error)])
    raised = await failure_of(model)
    assert raised.kind == kind
    assert raised.hint
    assert fake.url in raised.message or kind in {"prompt_too_long"}


async def test_the_wait_a_server_asks_for_is_kept(fake: FakeModel, model: AnthropicModel) -> None:
    fake.play([Turn(error=HttpError(status=429, retry_after_s=7))])
    assert (await failure_of(model)).retry_after_s == 7


async def test_a_wrong_key_never_shows_the_key(
    fake: FakeModel, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    fake.play(Scenario(turns=[Turn("x")], rules=Rules(api_key="another")))
    url = fake.url.replace("http://", "http://me:hunter2@")
    model = AnthropicModel(settings(url))
    raised = await failure_of(model)
    await model.close()
    assert raised.kind == "authentication"
    assert "ANTHROPIC_API_KEY" in str(raised)
    told = str(raised) + repr(raised.__cause__) + repr(settings(url))
    logged = "\n".join(r.getMessage() for r in caplog.records)
    assert "HTTP Request" in logged
    for secret in (KEY, "hunter2"):
        assert secret not in told
        assert secret not in logged


async def test_an_error_event_inside_the_stream_counts_like_the_status(
    fake: FakeModel, model: AnthropicModel
) -> None:
    fake.play([Turn("Hello", faults=[ErrorEvent(after_events=3)])])
    raised = await failure_of(model)
    assert (raised.kind, raised.status) == ("overloaded", 529)


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("after", [1, 3, 5])
async def test_a_server_that_closes_mid_stream_is_told(
    fake: FakeModel, model: AnthropicModel, after: int, reset: bool
) -> None:
    fake.play([Turn("Hello", faults=[Cut(after_events=after, reset=reset)])])
    raised = await failure_of(model)
    assert raised.kind == "stream_broken"
    assert "broke off" in raised.message
    assert raised.hint


async def test_a_server_that_closes_before_it_answers_is_a_connection_failure(
    fake: FakeModel, model: AnthropicModel
) -> None:
    fake.play([Turn("Hello", faults=[Cut(before_headers=True)])])
    assert (await failure_of(model)).kind == "connection"


@pytest.mark.parametrize("stall", [Stall(before_headers=True), Stall(after_events=2)])
async def test_silence_ends_the_call(fake: FakeModel, stall: Stall) -> None:
    fake.play([Turn("Hello", faults=[stall])])
    model = AnthropicModel(settings(fake.url, idle_timeout_s=0.2))
    raised = await failure_of(model)
    assert raised.kind == "timeout"
    await fake.wait_for_end()
    assert fake.requests[0].outcome == "client_left"
    await model.close()


async def test_pings_count_as_a_sign_of_life(
    fake: FakeModel, model: AnthropicModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits = count()

    class Counting(SilenceWatch):
        async def next(self, arriving: Awaitable[T]) -> T:
            next(waits)
            return await super().next(arriving)

    monkeypatch.setattr(responses, "SilenceWatch", Counting)
    fake.play([Turn([*[Ping()] * 20, Text("Hello")])])
    assert blocks(await collect(model, model_request())) == [TextBlock(text="Hello")]
    assert next(waits) > 20, "each of them ends a silence"


async def test_closing_the_iterator_releases_the_connection(
    fake: FakeModel, model: AnthropicModel
) -> None:
    fake.play([Turn("Hello", faults=[Stall(after_events=2)])])
    events = model.stream(model_request())
    assert isinstance(await anext(events), ReplyStarted)
    async with asyncio.timeout(WAIT_S):
        await events.aclose()
        await fake.wait_for_end()
    assert fake.requests[0].outcome == "client_left"


@pytest.mark.parametrize("stall", [Stall(before_headers=True), Stall(after_events=2)])
async def test_cancelling_releases_the_connection(
    fake: FakeModel, model: AnthropicModel, stall: Stall
) -> None:
    fake.play([Turn("Hello", faults=[stall])])
    task = asyncio.get_running_loop().create_task(collect(model, model_request()))
    await fake.wait_for_stall()
    task.cancel()
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(asyncio.CancelledError):
            await task
        await fake.wait_for_end()
    assert fake.requests[0].outcome == "client_left"


async def test_a_connection_is_used_again_after_a_whole_reply(
    fake: FakeModel, model: AnthropicModel
) -> None:
    fake.play([Turn("Hello", repeat="forever")])
    for _ in range(3):
        await collect(model, model_request())
    assert len(fake.requests) == 3
    assert all(record.outcome == "complete" for record in fake.requests)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


async def test_nothing_at_the_base_url_is_told_with_the_address() -> None:
    url = f"http://127.0.0.1:{free_port()}"
    model = AnthropicModel(settings(url))
    raised = await failure_of(model)
    assert raised.kind == "connection"
    assert f"Nothing answers at {url}" in raised.message
    assert "ANTHROPIC_BASE_URL" in raised.hint
    await model.close()


async def test_retries_go_on_to_the_good_answer(fake: FakeModel) -> None:
    fake.play(
        [
            Turn(error="overloaded"),
            Turn(error=HttpError(status=429, retry_after_s=3)),
            Turn("x", faults=[ErrorEvent()]),
            Turn("Hello"),
        ]
    )
    clock = FakeClock(auto_advance=True)
    model = RetryingModel(AnthropicModel(settings(fake.url)), clock=clock, randomness=lambda: 0.0)
    events = await collect(model, model_request())
    assert len(of_type(events, RetryWaiting)) == 3
    assert clock.slept_s == [0.5, 3, 2]
    assert blocks(events) == [TextBlock(text="Hello")]
    await model.close()


@asynccontextmanager
async def serving(app: web.Application) -> AsyncGenerator[str, None]:
    """Serve an application on a free port."""
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def always(body: str, content_type: str) -> web.Application:
    """Answer every request with the same."""

    async def answer(_: web.Request) -> web.Response:
        return web.Response(text=body, content_type=content_type)

    app = web.Application()
    app.router.add_route("*", "/{tail:.*}", answer)
    return app


@pytest.mark.parametrize(
    ("body", "content_type", "kind", "said"),
    [
        ("data: {broken\n\n", "text/event-stream", "stream_broken", "not valid JSON"),
        ("", "text/event-stream", "stream_broken", "closed the connection"),
        ("data: [DONE]\n\n", "text/event-stream", "stream_broken", "closed the connection"),
        ("data: 5\n\n", "text/event-stream", "stream_broken", "closed the connection"),
    ],
)
async def test_something_else_than_the_api_at_the_address_is_told(
    body: str, content_type: str, kind: ModelErrorKind, said: str
) -> None:
    async with serving(always(body, content_type)) as url:
        model = AnthropicModel(settings(url))
        raised = await failure_of(model)
        await model.close()
    assert raised.kind == kind
    assert said in raised.message


async def test_events_without_a_name_are_understood() -> None:
    stream = (
        'data: {"type": "message_start", "message": {"id": "m"}}\n\n'
        'data: {"type": "content_block_start", "index": 0, "content_block": {"type": "text"}}\n\n'
        'data: {"type": "content_block_delta", "index": 0,'
        ' "delta": {"type": "text_delta", "text": "hi"}}\n\n'
        'data: {"type": "message_stop"}\n\n'
    )
    async with serving(always(stream, "text/event-stream")) as url:
        model = AnthropicModel(settings(url))
        assert blocks(await collect(model, model_request())) == [TextBlock(text="hi")]
        await model.close()


async def test_without_a_key_a_placeholder_is_sent_and_with_a_token_a_bearer(
    fake: FakeModel,
) -> None:
    fake.play([Turn("x", repeat="forever")])
    for auth_token in (None, "t0ken"):
        model = AnthropicModel(AnthropicSettings(auth_token=auth_token, base_url=fake.url))
        await collect(model, model_request())
        await model.close()
    without, token = (record.headers for record in fake.requests)
    assert "x-api-key" in without
    assert "authorization" in token
    assert "x-api-key" not in token
    assert without["user-agent"].startswith("pilotfish")


async def test_a_password_in_the_address_is_sent_as_basic_authentication() -> None:
    seen: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        seen.append(request.headers["Authorization"])
        return web.Response(status=403)

    app = web.Application()
    app.router.add_post("/v1/messages", answer)
    async with serving(app) as url:
        model = AnthropicModel(settings(url.replace("http://", "http://me:a%3Ab@")))
        assert (await failure_of(model)).kind == "permission"
        await model.close()
    assert seen == ["Basic " + b64encode(b"me:a:b").decode()]


async def test_a_proxy_that_is_no_address_is_told(
    fake: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "nonsense://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "")
    model = AnthropicModel(settings(fake.url))
    raised = await failure_of(model)
    assert raised.kind == "not_configured"
    assert "HTTP_PROXY" in raised.hint


async def test_the_process_environment_is_not_consulted_for_the_address_or_key(
    fake: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.play(Scenario(turns=[Turn("x")], rules=Rules(api_key=KEY)))
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "wrong")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "wrong")
    model = AnthropicModel(settings(fake.url))
    assert blocks(await collect(model, model_request())) == [TextBlock(text="x")]
    await model.close()


async def test_warming_up_twice_at_once_builds_one_client(fake: FakeModel) -> None:
    fake.play([Turn("x")])
    model = AnthropicModel(settings(fake.url))
    await asyncio.gather(model.warm_up(), model.warm_up())
    assert fake.requests == []
    await collect(model, model_request(tools=(READ_TOOL,)))
    await model.close()
