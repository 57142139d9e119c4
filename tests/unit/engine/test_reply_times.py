"""How long a reply took: with its retries, without them, and until it began."""

from collections.abc import AsyncGenerator
from typing import NoReturn

import pytest
from pilotfish.core.events import BlockFinished, KeptEvent, ReplyDiscarded, ReplyFinished
from pilotfish.core.ids import MessageId
from pilotfish.core.messages import TextBlock, Usage
from pilotfish.engine.conversation import Conversation
from pilotfish.engine.reply import ReplyReader
from pilotfish.engine.state import TurnPorts
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import BlockCompleted, ModelEvent, ReplyCompleted, ReplyStarted
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.rate_limits import NO_LIMITS
from pilotfish.llm.retry import RetryingModel
from pilotfish.tooling.scheduler import ToolBatch

from tests.support.fake_clock import FakeClock
from tests.support.gate_bench import GateBench, gate_bench
from tests.support.model_requests import model_request

STARTED = ReplyStarted(message_id=MessageId("m"), model="x", usage=Usage(input_tokens=1))
SAID = BlockCompleted(index=0, block=TextBlock(text="Hello"))
COMPLETED = ReplyCompleted(stop_reason="end_turn", usage=Usage(input_tokens=1, output_tokens=1))
BROKEN = ModelError("stream_broken", "It broke off.", hint="Wait.")
BUSY = ModelError("rate_limit", "Busy.", hint="Wait.", retry_after_s=7.0)


class Slow:
    """Each call plays the next list; a number is how long the next thing takes, in seconds."""

    limits = NO_LIMITS

    def __init__(
        self, clock: FakeClock, calls: list[list[float | ModelEvent | ModelError]]
    ) -> None:
        self._clock = clock
        self._calls = calls

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        for item in self._calls.pop(0):
            if isinstance(item, float | int):
                self._clock.advance(item)
            elif isinstance(item, ModelError):
                raise item
            else:
                yield item

    async def warm_up(self) -> None:
        """Nothing is to be prepared."""

    async def close(self) -> None:
        """Nothing is held."""


@pytest.fixture
def bench(tmp_path_factory: pytest.TempPathFactory) -> GateBench:
    return gate_bench(tmp_path_factory.mktemp("bench"))


def unused(*_: object) -> NoReturn:
    raise AssertionError("nothing calls this here")


def reader(
    bench: GateBench, clock: FakeClock, emitted: list[KeptEvent], model: RetryingModel
) -> ReplyReader:
    def new_batch() -> ToolBatch:
        return ToolBatch(bench.tools, unused, on_started=unused, on_finished=unused)

    ports = TurnPorts(
        model=model,
        runner=bench.tools,
        conversation=Conversation(),
        clock=clock,
        emit=emitted.append,
        tell=lambda _: None,
        take_queued=unused,
        attachments=(),
        late_news=(),
        flush=unused,
        fit_results=unused,
        cost_of=lambda _, __: None,
        context_tokens=unused,
    )
    return ReplyReader(ports, new_batch)


async def read(
    bench: GateBench, *calls: list[float | ModelEvent | ModelError]
) -> tuple[list[KeptEvent], ReplyReader]:
    clock = FakeClock(auto_advance=True)
    clock.advance(100.0)
    emitted: list[KeptEvent] = []
    model = RetryingModel(Slow(clock, list(calls)), clock=clock, randomness=lambda: 0.0)
    made = reader(bench, clock, emitted, model)
    await made.read(model_request())
    return emitted, made


def times(events: list[KeptEvent]) -> list[tuple[int, int | None, int | None]]:
    return [
        (event.duration_ms, event.answer_ms, event.first_ms)
        for event in events
        if isinstance(event, ReplyFinished)
    ]


async def test_a_reply_at_the_first_attempt_took_as_long_as_it_took(bench: GateBench) -> None:
    events, _ = await read(bench, [0.25, STARTED, 1.0, SAID, COMPLETED])
    assert times(events) == [(1_250, 1_250, 250)]


async def test_refused_attempts_and_the_waits_after_them_are_counted_apart(
    bench: GateBench,
) -> None:
    events, _ = await read(bench, [2.0, BUSY], [0.5, BUSY], [0.25, STARTED, 1.0, SAID, COMPLETED])
    assert times(events) == [(2_000 + 7_000 + 500 + 7_000 + 1_250, 1_250, 250)]


async def test_an_attempt_that_broke_off_counts_for_nothing_in_the_answer(
    bench: GateBench,
) -> None:
    events, _ = await read(
        bench, [0.25, STARTED, 3.0, SAID, BROKEN], [0.75, STARTED, 1.0, SAID, COMPLETED]
    )
    assert [type(event) for event in events if not isinstance(event, BlockFinished)] == [
        ReplyDiscarded,
        ReplyFinished,
    ]
    assert times(events) == [(3_250 + 500 + 1_750, 1_750, 750)]


async def test_what_was_said_before_a_stop_has_the_times_of_its_own_attempt(
    bench: GateBench,
) -> None:
    refused = ModelError("invalid_request", "No.", hint="Ask otherwise.")
    clock = FakeClock(auto_advance=True)
    emitted: list[KeptEvent] = []
    slow = Slow(clock, [[1.0, BUSY], [0.5, STARTED, 1.5, SAID, 2.0, refused]])
    made = reader(bench, clock, emitted, RetryingModel(slow, clock=clock))
    with pytest.raises(ModelError, match="No"):
        await made.read(model_request())
    made.settle()
    assert times(emitted) == [(1_000 + 7_000 + 4_000, 4_000, 500)]
