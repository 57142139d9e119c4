"""What permission decisions of a session are based on.

Owns: the snapshot for each decision, made of settings, session and process; where a grant goes.
Does not own: the decision (``permissions.decide``), writing settings files (``config.store``).
"""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pilotfish.config.schema import LoadedSettings
from pilotfish.config.store import SettingsStore
from pilotfish.core.calls import CallScope, PreparedCall
from pilotfish.core.events import RuleGranted
from pilotfish.core.ids import SessionId
from pilotfish.core.permission import (
    PermissionDecision,
    PermissionMode,
    PermissionRule,
    RuleDestination,
    RuleSource,
)
from pilotfish.permissions.decide import decide
from pilotfish.permissions.delegate import coordinates
from pilotfish.permissions.probe import DiskProbe
from pilotfish.permissions.rules import is_read_denied
from pilotfish.permissions.state import PermissionState
from pilotfish.session.services import Services
from pilotfish.session.session import Session

_SOURCES: dict[RuleDestination, RuleSource] = {
    "session": "session",
    "local": "localSettings",
    "project": "projectSettings",
    "user": "userSettings",
}


def results_folder(state_folder: Path, session_id: SessionId) -> Path:
    """Return where a session keeps the results that are too long for the model."""
    return state_folder / "tool-results" / session_id


class PermissionSource:
    """Snapshots and grants of one session."""

    def __init__(
        self, session: Session, services: Services, roots: tuple[Path, ...], plan_file: Path
    ) -> None:
        self._session = session
        self._services = services
        self._roots = roots
        self._plan_file = plan_file
        self._probe = DiskProbe()
        self._loaded: LoadedSettings | None = None
        self._additional: tuple[Path, ...] = ()
        self._saved: list[PermissionRule] = []
        """Rules saved since the settings were last read."""
        self._resumed = len(session.data.granted_rules)
        """Grants of earlier processes: they were for that session only, and a resumed one asks anew."""
        self._resumed_seq = session.data.seq
        """So it is with what an approved plan may run."""

    def take(self, loaded: LoadedSettings) -> None:
        """Use these settings from now on."""
        self._loaded = loaded
        self._additional = tuple(
            folder.resolve() for folder in loaded.settings.permissions.additional_directories
        )
        self._saved.clear()

    def rules(self) -> tuple[PermissionRule, ...]:
        """Return all rules in force."""
        known = () if self._loaded is None else self._loaded.rules
        return (*known, *self._saved, *self._session.data.granted_rules[self._resumed :])

    def removed_tools(self) -> frozenset[str]:
        """Return the tools that a rule denies altogether: the model does not even see them."""
        return frozenset(
            rule.tool for rule in self.rules() if rule.behavior == "deny" and rule.content is None
        )

    def is_offered(self, tool: str) -> bool:
        """Tell whether the model sees a tool: in the mode delegate only what coordinates."""
        return self._session.data.mode != "delegate" or coordinates(tool)

    def state(self, _: CallScope) -> PermissionState:
        """Return the snapshot that a call of an agent is judged on."""
        return self._snapshot()

    def hidden_files(self, paths: Iterable[Path]) -> frozenset[Path]:
        """Return those of some absolute paths that a Read deny rule hides. Blocking."""
        state = self._snapshot()
        if not any(rule.behavior == "deny" for rule in state.rules):
            return frozenset()
        return frozenset(path for path in paths if is_read_denied(str(path), state))

    def decide(self, call: PreparedCall, scope: CallScope) -> PermissionDecision:
        """Judge a call without running it or asking anybody."""
        return decide(call, self.state(scope))

    async def grant(
        self, granted: PermissionRule | PermissionMode, destination: RuleDestination
    ) -> None:
        """Make a rule or a mode hold from now on.

        Raises:
            SettingsError: The settings file cannot take the rule.
        """
        if not isinstance(granted, PermissionRule):
            self._session.set_mode(granted, cause="dialog")
            return
        rule = replace(granted, source=_SOURCES[destination])
        if destination == "session":
            self._session.log.emit(RuleGranted(rule=rule))
            return
        store = SettingsStore(home=self._services.state_folder, project_root=self._roots[0])
        await asyncio.to_thread(store.add_rule, rule, destination)
        # A project's own rules count only where the user vouches for the project, but this one
        # comes from the user: it holds for the session whatever the file's standing.
        self._session.log.emit(RuleGranted(rule=replace(rule, source="session")))
        self._saved.append(rule)

    def _snapshot(self) -> PermissionState:
        data, services = self._session.data, self._services
        settings = self._loaded.settings.permissions if self._loaded is not None else None
        problem = self._session.workbench.why_mode_unavailable("bypassPermissions")
        return PermissionState(
            mode=data.mode,
            pre_plan_mode=data.pre_plan_mode or "default",
            project_root=self._roots[0],
            cwd=self._roots[0],
            home=services.user_home,
            state_folder=services.state_folder,
            roots=self._roots,
            additional_dirs=self._additional,
            rules=self.rules(),
            trusted=self._loaded is not None and self._loaded.trusted,
            can_ask=self._session.inbox.can_ask,
            bypass_available=not problem,
            plan_file=self._plan_file,
            results_folder=results_folder(services.state_folder, self._session.id),
            plan_prompts=self._plan_prompts(),
            ask_beats_allow=settings is not None and settings.ask_beats_allow,
            probe=self._probe,
        )

    def _plan_prompts(self) -> tuple[str, ...]:
        data = self._session.data
        if data.approved_plan is None or data.approved_plan_seq <= self._resumed_seq:
            return ()
        return data.approved_plan.allowed_prompts
