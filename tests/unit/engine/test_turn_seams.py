"""A turn where something looks at its end, or makes room in its conversation."""

from collections.abc import AsyncGenerator
from typing import NoReturn

import pytest
from pilotfish.core.events import KeptEvent, NoteAdded, PromptSubmitted
from pilotfish.core.ids import MAIN_AGENT, MessageId, SessionId, TurnId
from pilotfish.core.messages import TextBlock, Usage
from pilotfish.engine.conversation import Conversation
from pilotfish.engine.state import TurnEnd, TurnIdentity, TurnPorts, TurnSettings
from pilotfish.engine.turn import Turn
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import BlockCompleted, ModelEvent, ReplyCompleted, ReplyStarted
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.rate_limits import NO_LIMITS
from pilotfish.ports.compaction import Compactor
from pilotfish.ports.stop_hooks import StopHooks, StopVerdict

from tests.support.fake_clock import FakeClock
from tests.support.gate_bench import GateBench, gate_bench

TOO_LONG = ModelError("prompt_too_long", "It does not fit.", hint="Start anew.")
MAX_CALLS = 5


class Model:
    """Says a text, or fails, at each call."""

    limits = NO_LIMITS

    def __init__(self, *replies: str | ModelError) -> None:
        self._replies = list(replies)
        self.requests: list[str] = []
        """What each call brought, as text."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.requests.append(str(request.messages))
        reply = self._replies.pop(0)
        if isinstance(reply, ModelError):
            raise reply
        number = len(self.requests)
        yield ReplyStarted(message_id=MessageId(f"m{number}"), model="x", usage=Usage())
        yield BlockCompleted(index=0, block=TextBlock(text=reply))
        yield ReplyCompleted(stop_reason="end_turn", usage=Usage(output_tokens=1))

    async def warm_up(self) -> None:
        """Nothing is to be prepared."""

    async def close(self) -> None:
        """Nothing is held."""


class Hooks:
    """Says one thing after the other; then nothing."""

    def __init__(self, *verdicts: StopVerdict) -> None:
        self._verdicts = list(verdicts)
        self.held_back: list[bool] = []

    async def look(self, *, already_held_back: bool) -> StopVerdict:
        self.held_back.append(already_held_back)
        return self._verdicts.pop(0) if self._verdicts else StopVerdict()


class Shortener:
    """Makes room, or cannot."""

    def __init__(self, *, can: bool) -> None:
        self._can = can
        self.calls: list[str] = []

    async def before_call(self) -> None:
        self.calls.append("before")

    async def make_room(self) -> bool:
        self.calls.append("room")
        return self._can


@pytest.fixture
def bench(tmp_path_factory: pytest.TempPathFactory) -> GateBench:
    return gate_bench(tmp_path_factory.mktemp("bench"))


def unused(*_: object, **__: object) -> NoReturn:
    raise AssertionError("nothing calls this here")


async def nothing() -> None:
    """Write nothing."""


async def run(
    bench: GateBench,
    model: Model,
    *,
    stop_hooks: StopHooks | None = None,
    compactor: Compactor | None = None,
) -> tuple[TurnEnd, list[KeptEvent]]:
    """Run a turn to its end; returns what it said besides."""
    conversation, events = Conversation(), list[KeptEvent]()

    def emit(event: KeptEvent) -> None:
        events.append(event)
        conversation.apply(event)

    emit(PromptSubmitted(message_id=MessageId("p"), content=(TextBlock(text="Do it."),)))
    ports = TurnPorts(
        model=model, runner=bench.tools, conversation=conversation, clock=FakeClock(), emit=emit,
        tell=lambda _: None, take_queued=list, attachments=(), late_news=(), flush=nothing,
        fit_results=unused, cost_of=lambda _, __: None, context_tokens=lambda: 0,
        compactor=compactor, stop_hooks=stop_hooks,
    )  # fmt: skip
    settings = TurnSettings(
        model="x", system=(), tools=(), max_tokens=100, thinking_budget_tokens=0,
        max_model_calls=MAX_CALLS,
    )  # fmt: skip
    identity = TurnIdentity(session_id=SessionId("s"), turn_id=TurnId("t"), agent_id=MAIN_AGENT)
    return await Turn(identity, settings, ports, unused).run(), events


async def test_a_hook_that_objects_holds_the_turn_back_once(bench: GateBench) -> None:
    model = Model("Done.", "Tested, too.")
    hooks = Hooks(StopVerdict(objections=("Run the tests.", "Format it.")))
    end, events = await run(bench, model, stop_hooks=hooks)
    assert (end.reason, end.model_calls) == ("completed", 2)
    assert [one.text for one in events if isinstance(one, NoteAdded)] == [
        "Run the tests.\nFormat it."
    ]
    assert "Run the tests." in model.requests[1]
    assert hooks.held_back == [False, True]


async def test_a_hook_ends_the_turn_with_its_reason(bench: GateBench) -> None:
    model = Model("Done.")
    verdict = StopVerdict(objections=("More.",), ends_turn=True, reason="It is late.")
    end, _ = await run(bench, model, stop_hooks=Hooks(verdict))
    assert (end.reason, end.message) == ("stop_hook_prevented", "It is late.")
    assert len(model.requests) == 1


async def test_a_hook_that_always_objects_meets_the_limit_of_a_turn(bench: GateBench) -> None:
    verdicts = [StopVerdict(objections=("Again.",))] * (MAX_CALLS + 1)
    end, _ = await run(bench, Model(*["Done."] * MAX_CALLS), stop_hooks=Hooks(*verdicts))
    assert (end.reason, end.model_calls) == ("max_turns", MAX_CALLS)


async def test_a_conversation_that_does_not_fit_is_shortened_once(bench: GateBench) -> None:
    shortener = Shortener(can=True)
    end, _ = await run(bench, Model(TOO_LONG, "Here it is."), compactor=shortener)
    assert end.reason == "completed"
    assert shortener.calls == ["before", "room", "before"]


@pytest.mark.parametrize("can", [True, False])
async def test_one_that_stays_too_long_ends_the_turn(bench: GateBench, can: bool) -> None:
    shortener = Shortener(can=can)
    end, _ = await run(bench, Model(TOO_LONG, TOO_LONG), compactor=shortener)
    assert (end.reason, end.message) == ("prompt_too_long", str(TOO_LONG))
    assert shortener.calls.count("room") == 1
