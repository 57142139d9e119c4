"""Playing again how calls were decided.

Owns: judging recorded calls by the code as it is now, and by other rules if somebody wants that, and
naming each decision that comes out otherwise; the gate with the user's answers of then.
Does not own: the rest of a turn (``session.replay``), the form (``session.decision_record``).

The turn goes on with what was decided then, so that one different decision does not hide the next.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any, cast

from pilotfish.core.calls import CallScope, PreparedCall, RejectedCall, ToolCall, ToolOutcome
from pilotfish.core.events import DecisionMade
from pilotfish.core.ids import RequestId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import (
    PermissionAnswer,
    PermissionDecision,
    PermissionMode,
    PermissionQuestion,
    PermissionRule,
    RuleDestination,
)
from pilotfish.permissions.denials import DenialTracker
from pilotfish.permissions.gate import GateServices, PermissionGate
from pilotfish.permissions.state import PermissionState
from pilotfish.permissions.waiting import WaitingCalls
from pilotfish.permissions.witness import Witness
from pilotfish.session.decision_record import (
    STAND_IN_HOME,
    decide_again,
    decision_of,
    differs,
    in_words,
    judged_call,
    standing_of,
)
from pilotfish.session.recorded_decisions import answer_adapter
from pilotfish.session.recording_reader import RecordedDecisions
from pilotfish.util.clock import SystemClock
from pilotfish.util.records import dataclass

OtherRules = Callable[[tuple[PermissionRule, ...]], tuple[PermissionRule, ...]]
"""Returns the rules to judge by, given those of then."""


def rules_of_then(rules: tuple[PermissionRule, ...]) -> tuple[PermissionRule, ...]:
    """Judge by the rules that held when it was recorded."""
    return rules


@dataclass(kw_only=True)
class DecisionReport:
    """What came of judging again."""

    judged: int = 0
    """Decisions that were judged again."""
    hidden: int = 0
    """Decisions that depended on what is secret, and so cannot be."""
    differences: list[str] = field(default_factory=list[str])
    """Those that come out otherwise, for people: the call, what was decided then, and now."""


class DecisionReplay:
    """Judges the calls of a recording."""

    def __init__(self, rules: OtherRules = rules_of_then) -> None:
        self._rules = rules
        self.report = DecisionReport()

    async def judge(self, judgement: Mapping[str, Any]) -> PermissionDecision:
        """Judge a call again and note the difference; returns what was decided then."""
        then = decision_of(judgement)
        if not judgement["exact"]:
            self.report.hidden += 1
            return then
        state = standing_of(judgement["standing"])
        state = replace(state, rules=self._rules(state.rules))
        now = await asyncio.to_thread(decide_again, judgement, state)
        self.report.judged += 1
        if differs(then, now):
            self.report.differences.append(
                f"{judgement['title']} ({judgement['id']}, mode {state.mode}): "
                f"recorded was {in_words(then)} Now it is {in_words(now)}"
            )
        return then

    async def run(
        self,
        recorded: RecordedDecisions,
        outcome: ToolOutcome,
        scope: CallScope,
        on_decision: Callable[[DecisionMade], None],
    ) -> ToolOutcome:
        """Send a call through the gate, with the decisions and answers of then.

        Args:
            recorded: How it was decided, at least once.
            outcome: What came of it, if it passes the gate.
            scope: Who makes it.
            on_decision: Hears what the gate makes of it.
        """
        first = recorded.judgements[0]
        waiting = WaitingCalls()  # its own: whoever else waited then has answers of its own
        witness = _ThenAndNow(self, recorded.judgements)
        services = GateServices(
            state=lambda _: standing_of(cast("JsonObject", first["standing"])),
            interaction=_Answers(recorded, waiting),
            grant=_grant_nothing,
            on_decision=lambda _, decision: on_decision(decision),
            clock=SystemClock(),
            denials=DenialTracker(),
            input_for_text=lambda _call, _text: _changed_input(recorded),
            waiting=waiting,
            warn=_say_nothing,
            refusal_stops_turn=not recorded.by_agent,
            witness=witness,
        )
        gate = PermissionGate(_Tool(recorded, outcome), services)
        ran = await gate.run(judged_call(first), scope)
        await witness.judge_rest()
        return ran

    async def judge_all(self, recorded: RecordedDecisions) -> None:
        """Judge a call again whose turn ended before anything came of it."""
        await _ThenAndNow(self, recorded.judgements).judge_rest()


class _ThenAndNow(Witness):
    """Hands the gate the decisions of then in their order, and judges each again."""

    def __init__(self, replay: DecisionReplay, judgements: list[JsonObject]) -> None:
        self._replay = replay
        self._left = deque(judgements)
        self._latest: PermissionDecision | None = None

    async def judge(self, call: PreparedCall, state: PermissionState) -> PermissionDecision:
        """Return the next decision of then, or the last one again."""
        _ = call, state
        if self._left or self._latest is None:
            self._latest = _as_told(await self._replay.judge(self._left.popleft()))
        return self._latest

    async def judge_rest(self) -> None:
        """Judge what nobody has asked for."""
        while self._left:
            await self._replay.judge(self._left.popleft())


class _Answers:
    """Answers as the user did; implements ``ports.interaction.InteractionPort``."""

    def __init__(self, recorded: RecordedDecisions, waiting: WaitingCalls) -> None:
        self._recorded = recorded
        self._waiting = waiting

    @property
    def can_ask(self) -> bool:
        """Tell that there is an answer."""
        return True

    async def ask(self, question: PermissionQuestion) -> PermissionAnswer:
        """Return the answer; without one, another answer had made the question needless."""
        _ = question
        if self._recorded.answers:
            answer = answer_adapter().validate_python(self._recorded.answers.popleft())
            return replace(answer, updated_input=_changed_input(self._recorded))
        await self._waiting.judge_again()
        return PermissionAnswer(kind="withdrawn")

    def withdraw(self, request_id: RequestId) -> None:
        """Do nothing: whoever asks has the answer at once."""
        _ = request_id


class _Tool:
    """What stands behind the gate; implements ``ports.tool_runner.ToolRunner`` and runs nothing."""

    def __init__(self, recorded: RecordedDecisions, outcome: ToolOutcome) -> None:
        self._recorded = recorded
        self._outcome = outcome

    def is_concurrency_safe(self, call: ToolCall) -> bool:
        """Answer for the one call that there is."""
        _ = call
        return False

    def starts_early(self, call: ToolCall) -> bool:
        """Answer for the one call that there is."""
        _ = call
        return False

    async def prepare(self, call: ToolCall, scope: CallScope) -> PreparedCall | RejectedCall:
        """Return what came of the user's change."""
        _ = scope
        changed = self._recorded.changed.popleft()
        if "rejected" in changed:
            return RejectedCall(call=call, message=str(changed["rejected"]))
        return judged_call(self._recorded.judgements[0])

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        """Return what came of the call then."""
        _ = call
        scope.on_running()
        return self._outcome


def _changed_input(recorded: RecordedDecisions) -> JsonObject | None:
    if not recorded.changed:
        return None
    return cast("JsonObject", recorded.changed[0]["input"])


def _as_told(decision: PermissionDecision) -> PermissionDecision:
    """Name the home folder as the rest of the recording does."""
    rule = decision.rule
    if rule is not None and rule.content is not None:
        rule = replace(rule, content=rule.content.replace(STAND_IN_HOME, "~"))
    return replace(decision, rule=rule, reason=decision.reason.replace(STAND_IN_HOME, "~"))


async def _grant_nothing(
    granted: PermissionRule | PermissionMode, destination: RuleDestination
) -> None:
    """Grant nothing: what followed from it then is in the decisions that come after."""
    _ = granted, destination


def _say_nothing(text: str) -> None:
    _ = text
