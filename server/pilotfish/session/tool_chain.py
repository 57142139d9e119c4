"""Stacking the gates over the executor.

Owns: the order of design 08 §2.3: permissions in front of the executor; hooks come in front of
permissions when they exist. History is part of the edit pipeline, so that no write can pass it by.
And that another mode counts at once for the calls that wait for the user, whoever chose it.
"""

from collections.abc import Callable, Mapping

from pilotfish.codeintel.preflight import Preview, preflight
from pilotfish.core.calls import CallScope, PreparedCall
from pilotfish.core.events import DecisionMade, EventRecord, ModeChanged
from pilotfish.core.ids import ToolUseId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.engine.state import ResultContent
from pilotfish.permissions.denials import DenialTracker
from pilotfish.permissions.gate import GateServices, PermissionGate
from pilotfish.permissions.waiting import WaitingCalls
from pilotfish.permissions.witness import Witness
from pilotfish.ports.attachments import AttachmentSource
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.session.permission_source import PermissionSource
from pilotfish.session.session import Session
from pilotfish.tooling.budget import ResultBudget
from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.executor import ToolExecutor
from pilotfish.tooling.registry import ToolRegistry
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentManners:
    """What is different where a sub-agent works."""

    waiting: WaitingCalls
    """Of the session: an answer to one agent may be an answer to others."""
    prompt_timeout_s: Callable[[], float]
    """Returns how long its questions may wait; 0 means: as long as it takes."""


class ToolChain:
    """Builds the runner of one agent's turns."""

    def __init__(
        self,
        context: ToolContext,
        session: Session,
        permissions: PermissionSource,
        preview: Preview,
        *,
        agent: AgentManners | None = None,
    ) -> None:
        """Set it up.

        Args:
            context: What the agent's tools use.
            session: Its conversation, which keeps the record of decisions.
            permissions: Of the session that the user talks with; all of its agents share them.
            preview: Tells what an edit would break.
            agent: For a sub-agent.
        """
        self._context = context
        self._preview = preview
        self._session = session
        self._permissions = permissions
        self._agent = agent
        self._budget = ResultBudget(context.results_dir)
        self._denials = DenialTracker()
        self.waiting = WaitingCalls() if agent is None else agent.waiting
        """The calls that wait for the user, of all turns and agents of the session."""
        self._tasks = TaskScope("waiting calls")
        self._unlisten = session.log.listen(self._hear)

    @property
    def reminders(self) -> AttachmentSource:
        """What the model must hear after too many refusals."""
        return self._denials.source(self._context.agent_id)

    async def fit_together(
        self, results: Mapping[ToolUseId, ResultContent]
    ) -> dict[ToolUseId, ResultContent]:
        """Return previews in place of the longest results of a reply, if they are too much together.

        A file that is only seen in part then is not known: its next read returns the text again.
        """
        shortened = await self._budget.fit_together(results)
        if shortened:
            self._context.files.forget_reads()
        return shortened

    def runner(self, registry: ToolRegistry, witness: Witness | None = None) -> ToolRunner:
        """Return the stacked runner for a set of tools.

        Args:
            registry: The tools.
            witness: Who takes note of the decisions, if anybody does.
        """
        executor = ToolExecutor(registry, self._context, self._budget)
        timeout_s = self._permissions.prompt_timeout_s

        def input_for_text(call: PreparedCall, text: str) -> JsonObject | None:
            return executor.input_for_text(call, text)

        services = GateServices(
            state=self._permissions.state,
            interaction=self._session.inbox,
            grant=self._permissions.grant,
            on_decision=self._note,
            clock=self._context.clock,
            denials=self._denials,
            input_for_text=input_for_text,
            preflight=lambda call: preflight(call, self._preview),
            waiting=self.waiting,
            warn=self._session.warn,
            refusal_stops_turn=self._agent is None,
            prompt_timeout_s=timeout_s if self._agent is None else self._agent.prompt_timeout_s,
            witness=witness or Witness(),
        )
        return PermissionGate(executor, services)

    async def close(self) -> None:
        """Judge nothing again any more."""
        self._unlisten()
        await self._tasks.close()

    def _hear(self, record: EventRecord) -> None:
        if isinstance(record.event, ModeChanged):
            self._tasks.start(self.waiting.judge_again(), name="judge again")

    def _note(self, _: CallScope, decision: DecisionMade) -> None:
        self._session.log.emit(decision)
