"""What is the same for a sub-agent as for the session that it works for.

Owns: handing on, to the session's workbench, what is no agent's own: rules, settings, the review of
changes, the status line.
"""

from collections.abc import Iterable
from pathlib import Path

from pilotfish.config.schema import SettingsProblem
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionDecision, PermissionMode
from pilotfish.core.permission_updates import PermissionUpdate, RulesUpdate
from pilotfish.permissions.overview import RuleOverview
from pilotfish.ports.agents import AgentDesk
from pilotfish.session.edit_review import EditReview
from pilotfish.session.side_calls import SideCalls
from pilotfish.session.status_line import StatusLine
from pilotfish.session.workbench import Workbench


class DelegatingBench:
    """The part of ``session.workbench.Workbench`` that agents share with their session."""

    def __init__(self, main: Workbench) -> None:
        self._main = main

    @property
    def start_mode(self) -> PermissionMode:
        """The mode that a new session begins in."""
        return self._main.start_mode

    @property
    def review(self) -> EditReview:
        """The changes of the session and all its agents, for people."""
        return self._main.review

    @property
    def agents(self) -> AgentDesk:
        """The agents of the session, at whatever depth."""
        return self._main.agents

    @property
    def status_line(self) -> StatusLine:
        """The user's own status line."""
        return self._main.status_line

    @property
    def side_calls(self) -> SideCalls:
        """Small questions to a cheap model, on the session's bill."""
        return self._main.side_calls

    async def commit_message(self, folder: Path) -> str:
        """Return a message for what has changed in the repository around a folder."""
        return await self._main.commit_message(folder)

    def holds_grants(self) -> bool:
        """Tell whether something was granted that ends with the session in this process."""
        return self._main.holds_grants()

    def hidden_files(self, paths: Iterable[Path]) -> frozenset[Path]:
        """Return those of some absolute paths that a Read deny rule hides. Blocking."""
        return self._main.hidden_files(paths)

    def why_mode_unavailable(self, mode: PermissionMode) -> str:
        """Return why a mode cannot be chosen here; empty when it can."""
        return self._main.why_mode_unavailable(mode)

    async def rules(self) -> RuleOverview:
        """Return the rules in force, where they come from and what is wrong with them."""
        return await self._main.rules()

    async def change_rules(self, update: PermissionUpdate) -> bool:
        """Change what holds for this session alone; returns whether anything changed."""
        return await self._main.change_rules(update)

    async def settings_changed(self, removed: RulesUpdate | None = None) -> None:
        """Take over changed settings at once, for the calls that wait for the user, too."""
        await self._main.settings_changed(removed)

    def news(self) -> tuple[str, ...]:
        """Return what the user should know of this process's start."""
        return self._main.news()

    def problems(self) -> tuple[SettingsProblem, ...]:
        """Return what is wrong with the settings files, as last read."""
        return self._main.problems()

    async def explain(self, tool: str, tool_input: JsonObject) -> PermissionDecision:
        """Return what would be decided about a call of the main agent. Runs nothing."""
        return await self._main.explain(tool, tool_input)
