"""Trying a model call again."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
from pilotfish.core.ids import MessageId
from pilotfish.core.messages import Usage
from pilotfish.llm.errors import RETRYABLE, ModelError, ModelErrorKind
from pilotfish.llm.events import (
    ModelEvent,
    ReplyBroken,
    ReplyCompleted,
    ReplyStarted,
    RetryWaiting,
)
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.rate_limits import NO_LIMITS
from pilotfish.llm.retry import RetryingModel

from tests.support.fake_clock import FakeClock
from tests.support.model_requests import collect, model_request, of_type

STARTED = ReplyStarted(message_id=MessageId("m"), model="x", usage=Usage())
COMPLETED = ReplyCompleted(stop_reason="end_turn", usage=Usage())


class Scripted:
    """Each call plays the next list; an error in it is raised."""

    limits = NO_LIMITS

    def __init__(self, *calls: list[ModelEvent | ModelError]) -> None:
        self.calls = list(calls)
        self.made = 0
        self.requests: list[ModelRequest] = []
        self.open = 0
        self.warm = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        assert request.messages
        self.requests.append(request)
        script = self.calls[min(self.made, len(self.calls) - 1)]
        self.made += 1
        self.open += 1
        try:
            for item in script:
                if isinstance(item, ModelError):
                    raise item
                yield item
        finally:
            self.open -= 1

    async def warm_up(self) -> None:
        self.warm = True

    async def close(self) -> None:
        self.open = -1


def failing(kind: ModelErrorKind, retry_after_s: float | None = None) -> ModelError:
    return ModelError(kind, "It failed.", hint="Do it.", retry_after_s=retry_after_s)


def wrap(inner: Scripted, randomness: float = 0.0) -> tuple[RetryingModel, FakeClock]:
    clock = FakeClock(auto_advance=True)
    return RetryingModel(inner, clock=clock, randomness=lambda: randomness), clock


async def test_passes_a_good_call_through() -> None:
    model, clock = wrap(Scripted([STARTED, COMPLETED]))
    assert await collect(model, model_request()) == [STARTED, COMPLETED]
    assert clock.slept_s == []


@pytest.mark.parametrize("kind", sorted(RETRYABLE))
async def test_tries_again_what_may_pass_and_says_so_before_each_wait(
    kind: ModelErrorKind,
) -> None:
    inner = Scripted([failing(kind)], [STARTED, COMPLETED])
    model, clock = wrap(inner)
    waiting, *rest = await collect(model, model_request())
    assert isinstance(waiting, RetryWaiting)
    assert (waiting.attempt, waiting.delay_s, waiting.message) == (1, 0.5, "It failed.")
    assert rest == [STARTED, COMPLETED]
    assert clock.slept_s == [0.5]


async def test_waits_double_up_to_a_limit_and_ten_attempts_are_all() -> None:
    inner = Scripted([failing("server")])
    model, clock = wrap(inner)
    with pytest.raises(ModelError, match=r"It failed\. Tried 10 times\.") as caught:
        await collect(model, model_request())
    assert clock.slept_s == [0.5, 1, 2, 4, 8, 16, 32, 32, 32]
    assert inner.made == 10
    assert caught.value.kind == "server"
    assert caught.value.hint == "Do it."


async def test_jitter_adds_a_quarter_at_most() -> None:
    model, clock = wrap(Scripted([failing("overloaded")]), randomness=1.0)
    with pytest.raises(ModelError):
        await collect(model, model_request())
    assert clock.slept_s == [0.625, 1.25, 2.5, 5, 10, 20, 32, 32, 32]


async def test_a_closed_port_gets_three_attempts() -> None:
    inner = Scripted([failing("connection")])
    model, _ = wrap(inner)
    with pytest.raises(ModelError, match="Tried 3 times"):
        await collect(model, model_request())
    assert inner.made == 3


async def test_waits_as_long_as_the_server_asks() -> None:
    model, clock = wrap(Scripted([failing("rate_limit", 60)], [STARTED, COMPLETED]), 1.0)
    await collect(model, model_request())
    assert clock.slept_s == [60]


async def test_gives_up_when_the_server_asks_for_too_long() -> None:
    inner = Scripted([failing("rate_limit", 300)])
    model, clock = wrap(inner)
    with pytest.raises(ModelError, match="asks to wait 5 minutes") as caught:
        await collect(model, model_request())
    assert clock.slept_s == []
    assert inner.made == 1
    assert "does not wait that long" in caught.value.hint
    assert caught.value.retry_after_s == 300


@pytest.mark.parametrize(
    "kind", ["authentication", "invalid_request", "prompt_too_long", "image_rejected", "not_found"]
)
async def test_what_cannot_pass_is_raised_at_once(kind: ModelErrorKind) -> None:
    inner = Scripted([failing(kind)])
    model, _ = wrap(inner)
    with pytest.raises(ModelError):
        await collect(model, model_request())
    assert inner.made == 1


async def test_a_reply_that_breaks_off_is_void_and_asked_for_again() -> None:
    inner = Scripted([STARTED, failing("overloaded")], [STARTED, COMPLETED])
    model, _ = wrap(inner)
    events = await collect(model, model_request())
    assert [type(event) for event in events] == [
        ReplyStarted,
        ReplyBroken,
        RetryWaiting,
        ReplyStarted,
        ReplyCompleted,
    ]


@pytest.mark.parametrize("failure", [failing("stream_broken"), failing("timeout")])
async def test_after_two_broken_streams_the_reply_is_asked_for_in_one_piece(
    failure: ModelError,
) -> None:
    inner = Scripted([STARTED, failure], [failure], [STARTED, COMPLETED])
    model, _ = wrap(inner)
    events = await collect(model, model_request())
    assert [request.in_one_piece for request in inner.requests] == [False, False, True]
    assert events[-1] == COMPLETED
    assert [wait.max_attempts for wait in of_type(events, RetryWaiting)] == [3, 3]


async def test_when_one_piece_fails_too_the_last_failure_is_not_voided() -> None:
    inner = Scripted([STARTED, failing("stream_broken")])
    model, _ = wrap(inner)
    seen: list[ModelEvent] = []

    async def read() -> None:
        async for event in model.stream(model_request()):
            seen.append(event)

    with pytest.raises(ModelError, match="Tried 3 times"):
        await read()
    assert len(of_type(seen, ReplyBroken)) == 2
    assert seen[-1] == STARTED


async def test_where_another_model_can_be_asked_three_overloads_in_a_row_are_all() -> None:
    inner = Scripted([failing("overloaded")], [failing("server")], [failing("overloaded")])
    model, _ = wrap(inner)
    with pytest.raises(ModelError) as caught:
        await collect(model, replace(model_request(), has_substitute=True))
    assert caught.value.kind == "overloaded"
    assert inner.made == 5


async def test_a_wait_ends_at_once_on_cancel() -> None:
    inner = Scripted([failing("server")])
    clock = FakeClock()
    model = RetryingModel(inner, clock=clock)
    task = asyncio.get_running_loop().create_task(collect(model, model_request()))
    await clock.wait_for_sleeper()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert clock.sleepers == 0
    assert inner.made == 1


async def test_closing_the_iterator_closes_the_inner_one() -> None:
    inner = Scripted([STARTED, COMPLETED])
    model, _ = wrap(inner)
    events = model.stream(model_request())
    await anext(events)
    assert inner.open == 1
    await events.aclose()
    assert inner.open == 0


async def test_warms_up_and_closes_the_inner_model() -> None:
    inner = Scripted([])
    model, _ = wrap(inner)
    await model.warm_up()
    assert inner.warm
    await model.close()
    assert inner.open == -1


async def test_two_failures_in_a_row_are_counted() -> None:
    inner = Scripted([failing("server")], [failing("server")], [STARTED, COMPLETED])
    model, _ = wrap(inner)
    waits = of_type(await collect(model, model_request()), RetryWaiting)
    assert [(w.attempt, w.max_attempts) for w in waits] == [(1, 10), (2, 10)]
