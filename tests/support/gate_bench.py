"""A permission gate with a real chain behind it, for its tests.

Owns: the runner behind the gate and the user in front of it.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

from pilotfish.core.calls import (
    CallScope,
    PreparedCall,
    RejectedCall,
    ToolCall,
    ToolOutcome,
    text_outcome,
)
from pilotfish.core.errors import SettingsError
from pilotfish.core.events import DecisionMade
from pilotfish.core.ids import MAIN_AGENT, RequestId, SessionId, ToolUseId, TurnId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import TextBlock
from pilotfish.core.permission import (
    PERMISSION_MODES,
    PermissionAnswer,
    PermissionMode,
    PermissionQuestion,
    PermissionRule,
    Preflight,
    RuleDestination,
)
from pilotfish.permissions.assumed import assume_call
from pilotfish.permissions.denials import DenialTracker
from pilotfish.permissions.gate import GateServices, PermissionGate
from pilotfish.permissions.waiting import WaitingCalls
from pilotfish.permissions.witness import Witness

from tests.support.fake_clock import FakeClock
from tests.support.permission_state import Judge
from tests.support.waiting import WAIT_S


class Tools:
    """A runner that remembers what ran."""

    def __init__(self, judge: Judge) -> None:
        self.ran: list[JsonObject] = []
        self._judge = judge

    def is_concurrency_safe(self, call: ToolCall) -> bool:
        return call.name == "Read"

    def starts_early(self, call: ToolCall) -> bool:
        return not call.name.startswith("Agent")

    async def prepare(
        self,
        call: ToolCall,
        scope: CallScope,
    ) -> PreparedCall | RejectedCall:
        if call.input.get("command") == "":
            return RejectedCall(call=call, message="command is empty")
        prepared = assume_call(call.name, call.input, self._judge.state.cwd)
        return replace(prepared, call=call)

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        self.ran.append(call.call.input)
        return text_outcome("done")


class User:
    """Somebody who answers questions by hand."""

    def __init__(self) -> None:
        self.open: dict[str, tuple[PermissionQuestion, asyncio.Future[PermissionAnswer]]] = {}
        self.asked: list[PermissionQuestion] = []
        self.withdrawn: list[str] = []
        self._changed = asyncio.Event()

    @property
    def can_ask(self) -> bool:
        return True

    async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
        future: asyncio.Future[PermissionAnswer] = asyncio.get_running_loop().create_future()
        self.open[question.tool_use_id] = (question, future)
        self.asked.append(question)
        self._changed.set()
        try:
            return await future
        except asyncio.CancelledError:
            self.withdrawn.append(question.tool_use_id)
            raise
        finally:
            del self.open[question.tool_use_id]

    def withdraw(self, request_id: RequestId) -> None:
        for question, future in self.open.values():
            if question.request_id == request_id and not future.done():
                self.withdrawn.append(question.tool_use_id)
                future.set_result(PermissionAnswer(kind="withdrawn"))

    async def sees(self, count: int) -> None:
        async with asyncio.timeout(WAIT_S):
            while len(self.asked) < count:
                self._changed.clear()
                await self._changed.wait()

    def answer(self, tool_use_id: str, answer: PermissionAnswer) -> None:
        self.open[tool_use_id][1].set_result(answer)


@dataclass
class GateBench:
    """A gate over a real chain, with tools that only remember and a user who answers by hand."""

    judge: Judge
    tools: Tools
    user: User
    clock: FakeClock
    denials: DenialTracker
    decisions: list[DecisionMade] = field(default_factory=list[DecisionMade])
    granted: list[tuple[object, RuleDestination]] = field(
        default_factory=list[tuple[object, RuleDestination]]
    )
    timeout_s: float = 0.0
    waiting: WaitingCalls = field(default_factory=WaitingCalls)
    during_preflight: Callable[[], Awaitable[None]] | None = None
    """What happens while the diagnostics of an edit are gathered."""
    witness: Witness = field(default_factory=Witness)
    broken: set[RuleDestination] = field(default_factory=set[RuleDestination])
    input_for_text: Callable[[PreparedCall, str], JsonObject | None] = lambda _, text: {
        "file_path": "a.py",
        "content": text,
    }

    def gate(self) -> PermissionGate:
        async def preflight(_: PreparedCall) -> Preflight:
            if self.during_preflight is not None:
                await self.during_preflight()
            return Preflight(lines=("a.py:1: new error",), added=1, fixed=2)

        return PermissionGate(
            self.tools,
            GateServices(
                state=lambda _: self.judge.state,
                interaction=self.user,
                grant=self._grant,
                on_decision=lambda _, event: self.decisions.append(event),
                clock=self.clock,
                denials=self.denials,
                input_for_text=self.input_for_text,
                preflight=preflight,
                prompt_timeout_s=lambda: self.timeout_s,
                waiting=self.waiting,
                witness=self.witness,
            ),
        )

    async def _grant(
        self, granted: PermissionRule | PermissionMode, destination: RuleDestination
    ) -> None:
        if destination in self.broken:
            raise SettingsError("the file is broken")
        self.granted.append((granted, destination))
        if isinstance(granted, PermissionRule):
            self.judge.set(rules=(*self.judge.state.rules, replace(granted, source="session")))
        else:
            assert granted in PERMISSION_MODES
            self.judge.set(mode=granted)

    def call(self, name: str, given: JsonObject, call_id: str = "c1") -> PreparedCall:
        prepared = assume_call(name, given, self.judge.state.cwd)
        call = ToolCall(id=ToolUseId(call_id), name=name, input=given)
        return replace(prepared, call=call)

    def bash(self, command: str, call_id: str = "c1") -> PreparedCall:
        return self.call("Bash", {"command": command}, call_id)

    def scope(self) -> CallScope:
        return CallScope(
            session_id=SessionId("s"),
            turn_id=TurnId("t"),
            agent_id=MAIN_AGENT,
            cwd=self.judge.root,
            on_progress=lambda _: None,
        )

    async def answered(self, call: PreparedCall, answer: PermissionAnswer) -> ToolOutcome:
        """Run a call whose one question gets this answer."""
        async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
            task = group.create_task(self.gate().run(call, self.scope()))
            await self.user.sees(len(self.user.asked) + 1)
            self.user.answer(call.call.id, answer)
        return task.result()


def gate_bench(folder: Path) -> GateBench:
    """Return a bench over a fresh project."""
    judge = Judge(folder)
    return GateBench(
        judge=judge,
        tools=Tools(judge),
        user=User(),
        clock=FakeClock(),
        denials=DenialTracker(),
    )


def text(outcome: ToolOutcome) -> str:
    """Return what the model reads."""
    return "".join(block.text for block in outcome.content if isinstance(block, TextBlock))
