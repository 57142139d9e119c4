"""Trying a model call again."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from pilotfish.core.ids import MessageId
from pilotfish.core.messages import Usage
from pilotfish.llm.errors import RETRYABLE, ModelError, ModelErrorKind
from pilotfish.llm.events import ModelEvent, ReplyCompleted, ReplyStarted, RetryWaiting
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.retry import RetryingModel

from tests.support.fake_clock import FakeClock
from tests.support.model_requests import collect, model_request, of_type

STARTED = ReplyStarted(message_id=MessageId("m"), model="x", usage=Usage())
COMPLETED = ReplyCompleted(stop_reason="end_turn", usage=Usage())


class Scripted:
    """Each call plays the next list; an error in it is raised."""

    def __init__(self, *calls: list[ModelEvent | ModelError]) -> None:
        self.calls = list(calls)
        self.made = 0
        self.open = 0
        self.warm = False

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        assert request.messages
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


async def test_waits_double_up_to_a_limit_and_six_attempts_are_all() -> None:
    inner = Scripted([failing("server")])
    model, clock = wrap(inner)
    with pytest.raises(ModelError, match=r"It failed\. Tried 6 times\.") as caught:
        await collect(model, model_request())
    assert clock.slept_s == [0.5, 1, 2, 4, 8]
    assert inner.made == 6
    assert caught.value.kind == "server"
    assert caught.value.hint == "Do it."


async def test_jitter_adds_a_quarter_at_most() -> None:
    model, clock = wrap(Scripted([failing("overloaded")]), randomness=1.0)
    with pytest.raises(ModelError):
        await collect(model, model_request())
    assert clock.slept_s == [0.625, 1.25, 2.5, 5, 10]


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
    "kind", ["authentication", "invalid_request", "prompt_too_long", "stream_broken", "not_found"]
)
async def test_what_cannot_pass_is_raised_at_once(kind: ModelErrorKind) -> None:
    inner = Scripted([failing(kind)])
    model, _ = wrap(inner)
    with pytest.raises(ModelError):
        await collect(model, model_request())
    assert inner.made == 1


async def test_nothing_is_repeated_after_the_first_event() -> None:
    inner = Scripted([STARTED, failing("overloaded")])
    model, _ = wrap(inner)
    events = model.stream(model_request())
    assert await anext(events) == STARTED
    with pytest.raises(ModelError):
        await anext(events)
    assert inner.made == 1


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
    assert [(w.attempt, w.max_attempts) for w in waits] == [(1, 6), (2, 6)]
