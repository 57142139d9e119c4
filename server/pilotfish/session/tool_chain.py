"""Stacking the gates over the executor.

Owns: the order of design 08 §2.3: permissions in front of the executor; hooks come in front of
permissions when they exist. History is part of the edit pipeline, so that no write can pass it by.
"""

from pilotfish.codeintel.preflight import Preview, preflight
from pilotfish.core.calls import CallScope, PreparedCall
from pilotfish.core.events import DecisionMade
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.core.jsontypes import JsonObject
from pilotfish.permissions.denials import DenialTracker
from pilotfish.permissions.gate import GateServices, PermissionGate
from pilotfish.permissions.waiting import WaitingCalls
from pilotfish.ports.attachments import AttachmentSource
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.session.permission_source import PermissionSource
from pilotfish.session.session import Session
from pilotfish.tooling.budget import ResultBudget
from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.executor import ToolExecutor
from pilotfish.tooling.registry import ToolRegistry


class ToolChain:
    """Builds the runner of a session's turns."""

    def __init__(
        self,
        context: ToolContext,
        session: Session,
        permissions: PermissionSource,
        preview: Preview,
    ) -> None:
        self._context = context
        self._preview = preview
        self._session = session
        self._permissions = permissions
        self._budget = ResultBudget(context.results_dir)
        self._denials = DenialTracker()
        self.waiting = WaitingCalls()
        """The calls that wait for the user, of all turns and agents of the session."""

    @property
    def reminders(self) -> AttachmentSource:
        """What the model must hear after too many refusals."""
        return self._denials.source(MAIN_AGENT)

    @property
    def budget(self) -> ResultBudget:
        """What keeps results small, one by one and together."""
        return self._budget

    def runner(self, registry: ToolRegistry) -> ToolRunner:
        """Return the stacked runner for a set of tools."""
        executor = ToolExecutor(registry, self._context, self._budget)

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
            prompt_timeout_s=self._permissions.prompt_timeout_s,
        )
        return PermissionGate(executor, services)

    def _note(self, _: CallScope, decision: DecisionMade) -> None:
        self._session.log.emit(decision)
