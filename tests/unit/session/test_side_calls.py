"""What a session has used: the conversation and the questions beside it."""

from collections.abc import AsyncGenerator

import pytest
from pilotfish.core.events import (
    EventRecord,
    KeptEvent,
    ReplyFinished,
    SessionEvent,
    SideCallFinished,
)
from pilotfish.core.ids import MAIN_AGENT, new_message_id
from pilotfish.core.messages import TextBlock, Usage
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import BlockCompleted, ModelEvent, ReplyCompleted, ReplyStarted
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.small import SmallQuestion
from pilotfish.session.side_calls import SideCalls, SmallModel
from pilotfish.session.state import SessionData

QUESTION = SmallQuestion(system="Name it.", text="Fix the login page")
USED = Usage(input_tokens=10, output_tokens=2)


class Answering:
    """A model that says one thing."""

    def __init__(self, text: str) -> None:
        self.text = text

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        yield ReplyStarted(message_id=new_message_id(), model=request.model, usage=Usage())
        yield BlockCompleted(index=0, block=TextBlock(text=self.text))
        yield ReplyCompleted(stop_reason="end_turn", usage=USED)

    async def close(self) -> None:
        pass


def fold(*events: SessionEvent) -> SessionData:
    data = SessionData()
    for seq, event in enumerate(events, 1):
        data.apply(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT))
    return data


def reply(model: str, usage: Usage, cost_usd: float | None) -> ReplyFinished:
    return ReplyFinished(
        message_id=new_message_id(),
        model=model,
        stop_reason="end_turn",
        usage=usage,
        cost_usd=cost_usd,
    )


async def test_a_side_question_is_on_the_sessions_bill() -> None:
    emitted: list[KeptEvent] = []
    small = SmallModel(model=Answering("Login fix"), model_id="cheap")
    calls = SideCalls(emitted.append, lambda: small, lambda _model, _usage: 0.25)
    assert calls.available()
    assert await calls.ask("title", QUESTION) == "Login fix"
    assert emitted == [SideCallFinished(purpose="title", model="cheap", usage=USED, cost_usd=0.25)]


async def test_where_there_is_no_model_nothing_is_asked() -> None:
    calls = SideCalls(lambda _: None, lambda: None, lambda _model, _usage: None)
    assert not calls.available()
    with pytest.raises(ModelError):
        await calls.ask("title", QUESTION)


def test_sums_are_kept_for_each_model_and_unknown_prices_are_counted() -> None:
    big = Usage(input_tokens=100, output_tokens=50, cache_read_tokens=7)
    data = fold(
        reply("big", big, 1.0),
        reply("strange", USED, None),
        reply("big", big, 0.5),
        SideCallFinished(purpose="title", model="cheap", usage=USED, cost_usd=0.25),
    )
    assert data.used.total.cost_usd == 1.75
    assert data.used.total.unpriced_calls == 1
    assert data.used.total.usage == big + big + USED + USED
    assert list(data.used.by_model) == ["big", "strange", "cheap"]
    assert data.used.by_model["big"].calls == 2
    assert data.used.by_model["strange"].cost_usd is None


def test_a_side_question_says_nothing_about_how_full_the_window_is() -> None:
    data = fold(
        reply("big", Usage(input_tokens=100), 1.0),
        SideCallFinished(purpose="title", model="cheap", usage=USED, cost_usd=None),
    )
    assert data.last_usage.context_tokens == 100
