"""What a workbench tells of its permissions, and how changed settings come to count.

Owns: the part of ``session.workbench.Workbench`` about rules, modes and settings that change.
Does not own: how calls are decided (``session.permission_source``, ``session.tool_chain``), reading
settings (``session.settings_in_use``).
"""

import asyncio
from collections.abc import Callable

from pilotfish.core.calls import CallScope, ToolProgress
from pilotfish.core.events import NoteAdded
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionDecision, PermissionMode
from pilotfish.core.permission_updates import PermissionUpdate, RulesUpdate
from pilotfish.engine.state import TurnIdentity
from pilotfish.permissions.overview import RuleOverview
from pilotfish.session.definitions import Definitions
from pilotfish.session.explanation import asking_identity, explain_call
from pilotfish.session.mode_choice import why_unavailable
from pilotfish.session.permission_source import PermissionSource
from pilotfish.session.plan_mode import PlanMode
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.session.settings_in_use import SettingsInUse
from pilotfish.session.tool_chain import ToolChain
from pilotfish.tooling.registry import ToolRegistry


class PermissionBench:
    """The part of a workbench that is about permissions."""

    _session: Session
    _services: Services
    _settings: SettingsInUse
    _definitions: Definitions
    _permissions: PermissionSource
    _plan: PlanMode
    _registry: ToolRegistry
    _chain: ToolChain

    def why_mode_unavailable(self, mode: PermissionMode) -> str:
        """Return why a mode cannot be chosen here; empty when it can."""
        return why_unavailable(mode, self._settings.settings, self._services)

    def note_for_mode(self, old: PermissionMode, new: PermissionMode) -> NoteAdded | None:
        """Return what the model must know of a changed mode."""
        # Of plan mode itself the model hears with its next message.
        return self._plan.note_on_leaving() if old == "plan" and new != "plan" else None

    async def rules(self) -> RuleOverview:
        """Return the rules in force, where they come from and what is wrong with them."""
        layers = await self._settings.refresh_by_layer()
        return await asyncio.to_thread(self._permissions.overview, layers)

    async def change_rules(self, update: PermissionUpdate) -> bool:
        """Change what holds for this session alone; returns whether anything changed."""
        changed = self._permissions.change(update)
        await self._chain.waiting.judge_again()
        return changed

    async def settings_changed(self, removed: RulesUpdate | None = None) -> None:
        """Take over changed settings at once, for the calls that wait for the user, too."""
        if removed is not None:
            self._permissions.forget_copies(removed)
        await self._refresh()
        await self._chain.waiting.judge_again()

    async def explain(self, tool: str, tool_input: JsonObject) -> PermissionDecision:
        """Return what would be decided about a call, with its trace. Runs nothing."""
        await self._refresh()
        runner = self._chain.runner(self._registry)
        scope = self._scope(asking_identity(self._session.id), lambda _: None)
        return await explain_call(tool, tool_input, runner, self._permissions, scope)

    async def _settings_changed(self) -> None:
        """Let changed files count at once: also for what waits for the user."""
        await self._refresh()
        await self._chain.waiting.judge_again()
        self._services.news.tell(self._session.id)

    async def _refresh(self) -> None:
        """Read the settings again: files may have changed since the last turn."""
        await self._settings.refresh()
        await self._definitions.refresh(trusted=self._settings.trusted)

    def _scope(
        self, identity: TurnIdentity, on_progress: Callable[[ToolProgress], None]
    ) -> CallScope:
        """Return who makes a call of a turn, and where."""
        raise NotImplementedError
