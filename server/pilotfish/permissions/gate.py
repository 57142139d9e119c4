"""The gate in front of the tools.

Owns: one road for every call: decide, ask if need be, apply the answer, then hand on or refuse.
Does not own: the decision (``decide``), the questions' storage (``ports.interaction``), who waits
(``waiting``), running.
See also: design 05 §7.4 steps 13 to 15, §9.1; design 08 §2.3.

A waiting call holds up nobody else. When an answer adds a rule, all other waiting calls are judged
again, and those that no longer need the user stop waiting. A call that was being judged meanwhile
is judged again before its question is put.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import field, replace

from pilotfish.core.calls import (
    CallScope,
    PreparedCall,
    RejectedCall,
    ToolCall,
    ToolOutcome,
    text_outcome,
)
from pilotfish.core.errors import PilotfishError, SettingsError
from pilotfish.core.events import DecisionMade
from pilotfish.core.ids import new_request_id
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.messages import TextBlock
from pilotfish.core.permission import (
    PermissionAnswer,
    PermissionDecision,
    PermissionMode,
    PermissionQuestion,
    PermissionRule,
    Phase,
    Preflight,
    RuleDestination,
    RuleSuggestion,
)
from pilotfish.permissions import texts
from pilotfish.permissions.denials import DenialTracker
from pilotfish.permissions.edited_rule import edited_rule
from pilotfish.permissions.proposal_review import told_of_change
from pilotfish.permissions.state import PermissionState
from pilotfish.permissions.waiting import WaitingCalls
from pilotfish.permissions.witness import Witness
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.interaction import InteractionPort
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.util.records import dataclass

logger = logging.getLogger(__name__)

Grant = Callable[[PermissionRule | PermissionMode, RuleDestination], Awaitable[None]]
"""Makes a rule or a mode hold: in the session at once, and in the destination's file.

Raises SettingsError when the file cannot take it; the gate then grants it for the session.
"""


async def no_preflight(_: PreparedCall) -> Preflight:
    """Say nothing about an edit before it is made."""
    return Preflight()


def no_edited_text(_: PreparedCall, _text: str) -> JsonObject | None:
    """Stand in where no tool can take a text that the user edited."""
    return None


@dataclass(frozen=True, kw_only=True)
class GateServices:
    """What the gate works with. One set per session."""

    state: Callable[[CallScope], PermissionState]
    """Returns a fresh snapshot; ``can_ask`` in it decides whether the user is asked."""
    interaction: InteractionPort
    grant: Grant
    on_decision: Callable[[CallScope, DecisionMade], None]
    clock: ClockPort
    denials: DenialTracker
    input_for_text: Callable[[PreparedCall, str], JsonObject | None] = no_edited_text
    """Returns the input that writes the text which the user made of an edit."""
    preflight: Callable[[PreparedCall], Awaitable[Preflight]] = no_preflight
    """Returns the diagnostics that an edit would add or repair; bounded in time by its owner."""
    waiting: WaitingCalls = field(default_factory=WaitingCalls)
    """Shared by all gates of a session, so that whoever changes rules can have all judged again."""
    warn: Callable[[str], None] = logger.warning
    """Tells the user that a grant is not kept as wished."""
    refusal_stops_turn: bool = True
    """Whether a refusal ends the turn; that of a sub-agent goes on (design 05, C25)."""
    prompt_timeout_s: Callable[[], float] = lambda: 0.0
    """Returns how long a question may wait for its answer; 0 means: as long as it takes."""
    witness: Witness = field(default_factory=Witness)
    """Judges the calls, and may take note of it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class _Verdict:
    """What a call comes to: run it, or end it with a text."""

    call: PreparedCall
    phase: Phase
    reason: str
    rule: PermissionRule | None = None
    refusal: ToolOutcome | None = None
    waited_ms: int = 0
    counts: bool = True
    """Whether a refusal counts towards the reminder; feedback does not."""
    note: str = ""
    """What the model should know of the user's answer when the call ran."""


class PermissionGate:
    """Wraps a runner; implements ``ports.tool_runner.ToolRunner``."""

    def __init__(self, inner: ToolRunner, services: GateServices) -> None:
        self._inner = inner
        self._services = services
        self._turn_to_judge = asyncio.Lock()
        """First come, first served: calls that run together are asked about, and start, in their order."""

    def is_concurrency_safe(self, call: ToolCall) -> bool:
        """Pass on what the tool says."""
        return self._inner.is_concurrency_safe(call)

    def starts_early(self, call: ToolCall) -> bool:
        """Pass on what the tool says."""
        return self._inner.starts_early(call)

    async def prepare(self, call: ToolCall, scope: CallScope) -> PreparedCall | RejectedCall:
        """Pass on what the tool says."""
        return await self._inner.prepare(call, scope)

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        """Run the call if it may run; else say why not. Waiting for the user ends on cancel."""
        decision, question = await self._judged(call, scope, _asks)
        if question is not None:
            verdict = await self._ask(call, scope, decision, question)
        else:
            verdict = _by_chain(call, decision)
        self._report(verdict, scope)
        if verdict.refusal is not None:
            if verdict.counts:
                self._services.denials.refused(scope.agent_id, call.tool)
            return verdict.refusal
        outcome = await self._inner.run(verdict.call, scope)
        if outcome.status != "completed":
            return outcome
        self._services.denials.succeeded(scope.agent_id)
        if not verdict.note:
            return outcome
        return replace(outcome, content=(*outcome.content, TextBlock(text=verdict.note)))

    async def _judged(
        self, call: PreparedCall, scope: CallScope, asks: Callable[[PermissionDecision], bool]
    ) -> tuple[PermissionDecision, PermissionQuestion | None]:
        """Decide by rules that still hold at the end; a call that needs the user gets its question.

        Nothing waits between the return and the question: a later change finds it waiting.
        """
        while True:
            changes = self._services.waiting.changes
            async with self._turn_to_judge:
                decision = await self._decide(call, scope)
            question = await self._question(call, scope, decision) if asks(decision) else None
            if changes == self._services.waiting.changes:
                return decision, question

    async def _decide(self, call: PreparedCall, scope: CallScope) -> PermissionDecision:
        return await self._services.witness.judge(call, self._services.state(scope))

    # --- asking ---

    async def _ask(
        self,
        call: PreparedCall,
        scope: CallScope,
        decision: PermissionDecision,
        question: PermissionQuestion,
    ) -> _Verdict:
        started = self._services.clock.monotonic_s()
        answer, settled = await self._wait(question, call, scope)
        waited_ms = int((self._services.clock.monotonic_s() - started) * 1000)
        if settled is not None:
            return replace(_by_chain(call, settled), waited_ms=waited_ms)
        self._services.witness.answered(call, answer)
        verdict = await self._apply(answer, call, scope, decision)
        return replace(verdict, waited_ms=verdict.waited_ms + waited_ms)

    async def _question(
        self, call: PreparedCall, scope: CallScope, decision: PermissionDecision
    ) -> PermissionQuestion:
        is_edit = call.preview is not None or bool(call.batch)
        preflight = await self._services.preflight(call) if is_edit else Preflight()
        return PermissionQuestion(
            request_id=new_request_id(),
            session_id=scope.session_id,
            agent_id=scope.agent_id,
            tool_use_id=call.call.id,
            tool=call.tool,
            title=call.title,
            input=call.call.input,
            reason=decision.reason,
            risk=decision.risk,
            suggestions=decision.suggestions,
            hide_always=decision.hide_always,
            preview=call.preview,
            batch=call.batch,
            preflight=preflight.lines,
            preflight_added=preflight.added,
            preflight_fixed=preflight.fixed,
            created_at_ms=self._services.clock.now_ms(),
        )

    async def _wait(
        self, question: PermissionQuestion, call: PreparedCall, scope: CallScope
    ) -> tuple[PermissionAnswer, PermissionDecision | None]:
        """Wait for the answer, or until a rule granted elsewhere makes it needless."""
        waiting = self._services.waiting.waiting(
            lambda: self._withdraw(question), lambda: self._decide(call, scope)
        )
        with waiting as waiter:
            answer = await self._put(question)
        # An answer that came first counts, whatever a rule would say now.
        return answer, waiter.settled if answer.kind == "withdrawn" else None

    def _withdraw(self, question: PermissionQuestion) -> None:
        self._services.interaction.withdraw(question.request_id)

    async def _put(self, question: PermissionQuestion) -> PermissionAnswer:
        """Ask within the time that there is. The question is open before anything else runs."""
        limit_s = self._services.prompt_timeout_s()
        if limit_s <= 0:
            return await self._ask_user(question)
        async with asyncio.TaskGroup() as group:
            limit = group.create_task(self._withdraw_after(limit_s, question))
            answer = await self._ask_user(question)
            is_late = limit.done()
            limit.cancel()
        # No answer in time is a refusal without a reason (design 05 §9.1).
        return PermissionAnswer(kind="reject") if is_late and answer.kind == "withdrawn" else answer

    async def _withdraw_after(self, limit_s: float, question: PermissionQuestion) -> None:
        await self._services.clock.sleep(limit_s)
        self._withdraw(question)

    async def _ask_user(self, question: PermissionQuestion) -> PermissionAnswer:
        try:
            return await self._services.interaction.ask(question)
        except PilotfishError:
            logger.exception("a permission question could not be put to the user")
            return PermissionAnswer(kind="withdrawn")

    # --- answers ---

    async def _apply(
        self,
        answer: PermissionAnswer,
        call: PreparedCall,
        scope: CallScope,
        decision: PermissionDecision,
    ) -> _Verdict:
        if answer.kind == "withdrawn":
            return _refused(call, "the question was withdrawn", texts.withdrawn())
        if answer.kind == "reject":
            if not self._services.refusal_stops_turn:
                return _refused(call, "the user refused", texts.refused_to_agent(answer.feedback))
            text = texts.refused_by_user(answer.feedback)
            return _refused(call, "the user refused", text, stops_turn=True)
        if answer.kind == "feedback":
            text = texts.answered_with_feedback(answer.feedback)
            return replace(_refused(call, "the user answered with feedback", text), counts=False)
        granted = await self._grant(answer, call, scope, decision)
        return await self._agreed(answer, call, scope, decision, granted)

    async def _grant(
        self,
        answer: PermissionAnswer,
        call: PreparedCall,
        scope: CallScope,
        decision: PermissionDecision,
    ) -> PermissionRule | None:
        """Make the chosen grant hold, and let those go on who waited for the same."""
        chosen = _chosen(answer, decision)
        if chosen is not None and answer.edited_rule is not None:
            chosen = await self._edited(chosen, answer.edited_rule, call, scope)
        granted = None if chosen is None else chosen.rule or chosen.mode
        if chosen is None or granted is None:
            return None
        destination = answer.destination if answer.destination in chosen.destinations else "session"
        try:
            await self._services.grant(granted, destination)
        except SettingsError as error:
            self._services.warn(f"This holds for the present session only: {error}")
            await self._services.grant(granted, "session")
        await self._services.waiting.judge_again()
        return chosen.rule

    async def _edited(
        self, chosen: RuleSuggestion, text: str, call: PreparedCall, scope: CallScope
    ) -> RuleSuggestion | None:
        """Return the grant with the rule that the user wrote; None, and why, if it cannot be saved."""
        edited = await asyncio.to_thread(edited_rule, text, call, self._services.state(scope))
        if edited.rule is None:
            self._services.warn(
                f"The rule `{text}` was not saved: {edited.problem}. The call runs once."
            )
            return None
        return replace(chosen, rule=edited.rule, mode=None)

    async def _agreed(
        self,
        answer: PermissionAnswer,
        call: PreparedCall,
        scope: CallScope,
        decision: PermissionDecision,
        granted: PermissionRule | None,
    ) -> _Verdict:
        changed = _changed_input(answer, call, self._services.input_for_text)
        if changed is None:
            return _Verdict(call=call, phase="user", reason="the user agreed", rule=granted)
        if isinstance(changed, str):
            return _refused(call, "the user's change could not be used", changed)
        prepared = await self._inner.prepare(replace(call.call, input=changed), scope)
        self._services.witness.changed(prepared)
        if isinstance(prepared, RejectedCall):
            text = texts.change_not_possible(prepared.message)
            return _refused(call, "the user's change could not be used", text)
        verdict = await self._judge_change(prepared, scope, decision)
        if call.preview is None or prepared.preview is None:
            return verdict
        note = await asyncio.to_thread(told_of_change, call.preview, prepared.preview)
        return replace(verdict, note=note)

    async def _judge_change(
        self, call: PreparedCall, scope: CallScope, before: PermissionDecision
    ) -> _Verdict:
        """Run what the user made of the call, unless a rule forbids it or it became dangerous."""

        def became_dangerous(now: PermissionDecision) -> bool:
            is_new = before.phase != "protected"
            return now.behavior != "deny" and now.phase == "protected" and is_new

        decision, question = await self._judged(call, scope, became_dangerous)
        if decision.behavior == "deny":
            return _by_chain(call, decision)
        if question is not None:
            return await self._ask(call, scope, decision, question)
        reason = "the user changed the call and agreed"
        return _Verdict(call=call, phase="user", reason=reason)

    def _report(self, verdict: _Verdict, scope: CallScope) -> None:
        self._services.on_decision(
            scope,
            DecisionMade(
                tool_use_id=verdict.call.call.id,
                tool=verdict.call.tool,
                behavior="allow" if verdict.refusal is None else "deny",
                phase=verdict.phase,
                reason=verdict.reason,
                rule=verdict.rule,
                waited_ms=verdict.waited_ms,
            ),
        )


def _asks(decision: PermissionDecision) -> bool:
    return decision.behavior == "ask"


def _by_chain(call: PreparedCall, decision: PermissionDecision) -> _Verdict:
    refusal = None
    if decision.behavior != "allow":
        refusal = text_outcome(texts.refused_by_chain(decision), status="denied")
    return _Verdict(
        call=call,
        phase=decision.phase,
        reason=decision.reason,
        rule=decision.rule,
        refusal=refusal,
    )


def _refused(call: PreparedCall, reason: str, text: str, *, stops_turn: bool = False) -> _Verdict:
    refusal = text_outcome(text, status="denied", stops_turn=stops_turn)
    return _Verdict(call=call, phase="user", reason=reason, refusal=refusal)


def _chosen(answer: PermissionAnswer, decision: PermissionDecision) -> RuleSuggestion | None:
    """Return the grant that was chosen; a lasting one that was not offered counts as "once"."""
    if answer.kind != "allow_always" or decision.hide_always:
        return None
    if not 0 <= answer.suggestion_index < len(decision.suggestions):
        return None
    return decision.suggestions[answer.suggestion_index]


def _changed_input(
    answer: PermissionAnswer,
    call: PreparedCall,
    input_for_text: Callable[[PreparedCall, str], JsonObject | None],
) -> JsonObject | str | None:
    """Return the input that the user made of the call, a refusal text, or None without a change."""
    if answer.edited_text is not None:
        if call.preview is not None and answer.edited_text == call.preview.new_text:
            return None
        made = input_for_text(call, answer.edited_text)
        return (
            made
            if made is not None
            else texts.change_not_possible(
                "this tool cannot write a text that was edited in the dialog."
            )
        )
    if answer.updated_input is None or answer.updated_input == call.call.input:
        return None
    return answer.updated_input
