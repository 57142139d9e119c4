"""Playing a recording again: the same loop, without the model, without tools, without anybody to ask.

Owns: a model and a runner of tools that answer as they did, and the first difference between what the
loop made of it then and now. Questions to the user are not asked again: their answers were recorded.
Does not own: recording (``session.recording``), reading it (``session.recording_reader``), how calls
are decided (``session.replayed_decisions``), the loop (``engine.turn``).
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

from pydantic import TypeAdapter

from pilotfish.core.calls import (
    CallScope,
    Location,
    PreparedCall,
    RejectedCall,
    ToolCall,
    ToolOutcome,
    ToolProgress,
)
from pilotfish.core.effects import Effects
from pilotfish.core.events import EventRecord, KeptEvent, NoteAdded, PromptSubmitted
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import Usage
from pilotfish.core.passing_events import PassingEvent
from pilotfish.engine.conversation import Conversation
from pilotfish.engine.state import ResultContent, Substitute, TurnIdentity, TurnPorts, TurnSettings
from pilotfish.engine.turn import Turn
from pilotfish.llm import events as model_events
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import ModelEvent
from pilotfish.llm.model import ModelRequest
from pilotfish.session.recording import outcome_adapter, plain_event
from pilotfish.session.recording_reader import RecordedTurn
from pilotfish.session.replayed_decisions import DecisionReplay, DecisionReport
from pilotfish.util.clock import SystemClock
from pilotfish.util.records import dataclass

COMPARED = ("block_finished", "reply_finished", "reply_discarded", "tool_started", "tool_finished")
"""What the loop makes of a recording, beside its notes and its end."""

MAX_TOLD_CHARS = 300
"""As much of an event as a difference shows."""

_MADE_UP = frozenset({"message_id", "cost_usd", "display", "turn_id"})
"""Fields that are new with every run, or made for people only; times (``…_ms``) are, too."""

_MODEL_EVENTS: Mapping[str, type[ModelEvent]] = {
    kind.__name__: kind
    for kind in (
        model_events.ReplyStarted,
        model_events.DeltaReceived,
        model_events.BlockCompleted,
        model_events.ReplyCompleted,
        model_events.ReplyBroken,
        model_events.RetryWaiting,
    )
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayResult:
    """What came of playing a recording."""

    turns: int
    model_calls: int
    difference: str
    """The first difference of the loop, for people; empty when there is none."""
    decisions: DecisionReport
    """What the permission chain says now."""


class _DifferenceError(Exception):
    """The loop asks for something that was not recorded."""


class ReplayModel:
    """A model that streams what was recorded."""

    def __init__(self, calls: deque[JsonObject], fail: Callable[[str], Exception]) -> None:
        self._calls = calls
        self._fail = fail
        self.made = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the events of the next recorded call."""
        if not self._calls:
            raise self._fail("the model is called once more than was recorded")
        call = cast("dict[str, Any]", self._calls.popleft())
        self.made += 1
        if call["messages"] != len(request.messages):
            raise self._fail(
                f"model call {self.made} has {len(request.messages)} messages; recorded were "
                f"{call['messages']}"
            )
        for event in call["events"]:
            yield _model_event(event)
        if call["end"] == "failed":
            error = call["error"]
            raise ModelError(error["kind"], error["message"], hint=error["hint"])
        if call["end"] == "left":
            raise asyncio.CancelledError

    async def close(self) -> None:
        """Release nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Decided:
    """What the runner needs to play how calls were decided."""

    replay: DecisionReplay
    emit: Callable[[KeptEvent], None]


class ReplayRunner:
    """A runner of tools that runs none: what came of each call was recorded."""

    def __init__(
        self, turn: RecordedTurn, fail: Callable[[str], Exception], decided: Decided
    ) -> None:
        self._turn = turn
        self._fail = fail
        self._decided = decided

    def is_concurrency_safe(self, call: ToolCall) -> bool:
        """Tell what was told then."""
        return bool(self._turn.prepared.get(call.id, {}).get("safe"))

    def starts_early(self, call: ToolCall) -> bool:
        """Tell what was told then; older recordings did not say so, and all did."""
        return bool(self._turn.prepared.get(call.id, {}).get("early", True))

    async def prepare(self, call: ToolCall, scope: CallScope) -> PreparedCall | RejectedCall:
        """Return the call as it was prepared."""
        _ = scope
        recorded = cast("dict[str, Any] | None", self._turn.prepared.get(call.id))
        if recorded is None:
            raise self._fail(f"the call {call.name} {call.id} was not made when it was recorded")
        if (recorded["name"], recorded["input"]) != (call.name, call.input):
            raise self._fail(f"the call {call.id} is another than was recorded")
        if "rejected" in recorded:
            return RejectedCall(call=call, message=recorded["rejected"])
        facts = recorded["prepared"]
        return PreparedCall(
            call=call,
            tool=facts["tool"],
            title=facts["title"],
            kind=facts["kind"],
            args=None,
            effects=Effects(),
            locations=tuple(Location(**one) for one in facts["locations"]),
        )

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        """Return what came of the call then, by way of how it was decided, where that is known."""
        recorded = self._turn.decisions.get(call.call.id)
        plain = self._turn.outcomes.get(call.call.id)
        if plain is None:
            if recorded is not None:
                await self._decided.replay.judge_all(recorded)
            raise asyncio.CancelledError
        outcome = outcome_adapter().validate_python(plain)
        if recorded is None:
            scope.on_running()
            return outcome
        return await self._decided.replay.run(recorded, outcome, scope, self._decided.emit)


class _Player:
    """Plays one turn."""

    def __init__(
        self, turn: RecordedTurn, conversation: Conversation, decisions: DecisionReplay
    ) -> None:
        self._turn = turn
        self._conversation = conversation
        self._emitted: list[JsonObject] = []
        self._replies = 0
        self._problem = ""
        self._news: dict[int, list[JsonObject]] = {}
        self._sort_news()
        self.model = ReplayModel(turn.calls, self._fail)
        decided = Decided(replay=decisions, emit=self._emit)
        self._runner = ReplayRunner(turn, self._fail, decided)

    async def play(self) -> str:
        """Run the loop; returns the first difference, empty when there is none."""
        for event in self._news.pop(0, []):
            self._emit(_news_event(event))
        ports = TurnPorts(
            model=self.model,
            runner=self._runner,
            conversation=self._conversation,
            clock=SystemClock(),
            emit=self._emit,
            tell=_ignore,
            take_queued=self._take_queued,
            attachments=(self,),
            late_news=(self,),
            flush=_nothing,
            fit_results=self._fit,
            cost_of=_no_price,
            context_tokens=lambda: 0,
            substitute=self._substitute(),
        )
        identity = TurnIdentity(
            session_id=SessionId("replay"), turn_id=TurnId("replay"), agent_id=MAIN_AGENT
        )
        try:
            unanswered = self._conversation.unanswered() if self._turn.recalled else ()
            turn = Turn(identity, self._settings(), ports, self._scope)
            ended = await turn.run(unanswered)
        except _DifferenceError:
            return self._problem
        return self._problem or self._compare(ended.reason)

    async def collect(self) -> list[NoteAdded]:
        """Return the notes that came after as many replies as there have been."""
        events = self._news.get(self._replies, [])
        self._news[self._replies] = [one for one in events if one["type"] != "note_added"]
        return [
            _note_adapter().validate_python(one) for one in events if one["type"] == "note_added"
        ]

    def _take_queued(self) -> list[PromptSubmitted]:
        events = self._news.get(self._replies, [])
        self._news[self._replies] = [one for one in events if one["type"] != "prompt_submitted"]
        return [
            _prompt_adapter().validate_python(one)
            for one in events
            if one["type"] == "prompt_submitted"
        ]

    def _sort_news(self) -> None:
        """Keep what came from outside the loop, by the number of replies before it."""
        replies = 0
        for event in self._turn.events:
            if event["type"] == "reply_finished":
                replies += 1
            elif event["type"] == "prompt_submitted" or (
                event["type"] == "note_added" and event["origin"] not in ("recovery", "fallback")
            ):
                self._news.setdefault(replies, []).append(event)

    def _emit(self, event: KeptEvent) -> None:
        self._conversation.apply(event)
        self._replies += event.type == "reply_finished"
        record = EventRecord(seq=0, time_ms=0, event=event, agent_id=MAIN_AGENT)
        self._emitted.append(plain_event(record))

    def _fail(self, problem: str) -> _DifferenceError:
        self._problem = self._problem or problem
        return _DifferenceError(problem)

    async def _fit(
        self, results: Mapping[ToolUseId, ResultContent]
    ) -> Mapping[ToolUseId, ResultContent]:
        shortened = {
            event["tool_use_id"]: event["content"]
            for event in self._turn.events
            if event["type"] == "result_shortened" and event["tool_use_id"] in results
        }
        adapter: TypeAdapter[dict[ToolUseId, ResultContent]] = TypeAdapter(
            dict[ToolUseId, ResultContent]
        )
        return adapter.validate_python(shortened)

    def _settings(self) -> TurnSettings:
        given = cast("dict[str, Any]", dict(self._turn.settings))
        given.pop("substitute", None)
        given["tools"] = ()
        return TurnSettings(**given)

    def _substitute(self) -> Substitute | None:
        name = self._turn.settings.get("substitute")
        if not isinstance(name, str):
            return None
        return Substitute(model=self.model, name=name, max_tokens=self._settings().max_tokens)

    def _scope(
        self, identity: TurnIdentity, on_progress: Callable[[ToolProgress], None]
    ) -> CallScope:
        return CallScope(
            session_id=identity.session_id,
            turn_id=identity.turn_id,
            agent_id=identity.agent_id,
            cwd=Path("/"),
            on_progress=on_progress,
        )

    def _is_compared(self, event: JsonObject) -> bool:
        if event["type"] == "decision_made":
            return event["tool_use_id"] in self._turn.decisions
        return event["type"] in COMPARED

    def _compare(self, reason: str) -> str:
        """Return the first difference between the events then and now."""
        then = [_shape(one) for one in self._turn.events if self._is_compared(one)]
        now = [_shape(one) for one in self._emitted if self._is_compared(one)]
        # Calls that run side by side end in any order.
        then.sort(key=_order)
        now.sort(key=_order)
        for before, after in zip(then, now, strict=False):
            if before != after:
                return f"recorded was {_short(before)}, now it is {_short(after)}"
        if len(then) != len(now):
            return f"{len(then)} events were recorded, now there are {len(now)}"
        ends = [one["reason"] for one in self._turn.events if one["type"] == "turn_ended"]
        if ends and ends[0] != reason:
            return f"the turn ended with {ends[0]}, now it ends with {reason}"
        if self._turn.calls:
            return f"{len(self._turn.calls)} recorded model calls are not made any more"
        return ""


async def replay(
    turns: list[RecordedTurn], decisions: DecisionReplay | None = None
) -> ReplayResult:
    """Play all turns, one after the other, until something is not as it was.

    Decisions that differ end nothing: the turn goes on with those of then.

    Args:
        turns: What was recorded.
        decisions: What judges again; None: by the rules of then.
    """
    conversation = Conversation()
    decisions = decisions or DecisionReplay()
    made, difference, number = 0, "", 0
    for number, turn in enumerate(turns, 1):
        if turn.recalled is not None:
            conversation = Conversation.of(turn.recalled)
        player = _Player(turn, conversation, decisions)
        difference = await player.play()
        made += player.model.made
        if difference:
            difference = f"Turn {number}: {difference}."
            break
    return ReplayResult(
        turns=number, model_calls=made, difference=difference, decisions=decisions.report
    )


@cache
def _note_adapter() -> TypeAdapter[NoteAdded]:
    return TypeAdapter(NoteAdded)


@cache
def _prompt_adapter() -> TypeAdapter[PromptSubmitted]:
    return TypeAdapter(PromptSubmitted)


def _news_event(event: JsonObject) -> NoteAdded | PromptSubmitted:
    if event["type"] == "note_added":
        return _note_adapter().validate_python(event)
    return _prompt_adapter().validate_python(event)


def _model_event(plain: dict[str, Any]) -> ModelEvent:
    fields = {key: value for key, value in plain.items() if key != "type"}
    adapter: TypeAdapter[ModelEvent] = TypeAdapter(_MODEL_EVENTS[plain["type"]])
    return adapter.validate_python(fields)


def _shape(event: JsonObject) -> JsonObject:
    return {
        key: value
        for key, value in event.items()
        if key not in _MADE_UP and not key.endswith("_ms")
    }


def _order(event: JsonObject) -> tuple[str, str]:
    """Keep replies in their order, and calls by their id."""
    call = event.get("tool_use_id")
    return (str(event["type"]), str(call)) if call else ("", "")


def _short(event: JsonObject) -> str:
    text = json.dumps(event, ensure_ascii=False)
    return text if len(text) <= MAX_TOLD_CHARS else f"{text[:MAX_TOLD_CHARS]}…"


def _ignore(event: PassingEvent) -> None:
    """Show nothing."""
    _ = event


async def _nothing() -> None:
    """Store nothing."""


def _no_price(model: str, usage: Usage) -> float | None:
    _ = model, usage
    return None
