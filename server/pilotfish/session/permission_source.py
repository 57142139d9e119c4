"""What permission decisions of a session are based on.

Owns: the snapshot for each decision, made of settings, session and process; where a grant goes.
Does not own: the decision (``permissions.decide``), writing settings files (``config.store``).
"""

import asyncio
from dataclasses import replace
from pathlib import Path

from pilotfish.config.schema import LoadedSettings, PermissionSettings
from pilotfish.config.store import SettingsStore
from pilotfish.core.calls import CallScope, PreparedCall
from pilotfish.core.events import RuleGranted
from pilotfish.core.permission import (
    PermissionDecision,
    PermissionMode,
    PermissionRule,
    RuleDestination,
    RuleSource,
)
from pilotfish.permissions.agent_modes import AgentWishes, mode_for_agent
from pilotfish.permissions.decide import decide
from pilotfish.permissions.delegate import coordinates
from pilotfish.permissions.probe import DiskProbe
from pilotfish.permissions.state import PermissionState
from pilotfish.session.services import Services
from pilotfish.session.session import Session

_SOURCES: dict[RuleDestination, RuleSource] = {
    "session": "session",
    "local": "localSettings",
    "project": "projectSettings",
    "user": "userSettings",
}


class PermissionSource:
    """Snapshots and grants of one session."""

    def __init__(self, session: Session, services: Services, roots: tuple[Path, ...]) -> None:
        self._session = session
        self._services = services
        self._roots = roots
        self._probe = DiskProbe()
        self._loaded: LoadedSettings | None = None
        self._additional: tuple[Path, ...] = ()
        self._saved: list[PermissionRule] = []
        """Rules saved since the settings were last read."""
        self._resumed = len(session.data.granted_rules)
        """Grants of earlier processes: they were for that session only, and a resumed one asks anew."""

    def take(self, loaded: LoadedSettings) -> None:
        """Use these settings from now on."""
        self._loaded = loaded
        self._additional = tuple(
            folder.resolve() for folder in loaded.settings.permissions.additional_directories
        )
        self._saved.clear()

    @property
    def _settings(self) -> PermissionSettings:
        return PermissionSettings() if self._loaded is None else self._loaded.settings.permissions

    def prompt_timeout_s(self) -> float:
        """Return how long a question may wait; 0 means: as long as it takes."""
        return self._settings.prompt_timeout_ms / 1000

    def mode_for_agent(self, wishes: AgentWishes) -> PermissionMode:
        """Return the mode of a sub-agent of this session; the settings have their say in it."""
        wishes = replace(wishes, setting=self._settings.subagent_mode)
        return mode_for_agent(self._session.data.mode, wishes)

    def rules(self) -> tuple[PermissionRule, ...]:
        """Return all rules in force."""
        known = () if self._loaded is None else self._loaded.rules
        granted = (*self._saved, *self._session.data.granted_rules[self._resumed :])
        if self._settings.managed_rules_only:
            granted = tuple(rule for rule in granted if rule.behavior != "allow")
        return (*known, *granted)

    def removed_tools(self) -> frozenset[str]:
        """Return the tools that a rule denies altogether: the model does not even see them."""
        return frozenset(
            rule.tool for rule in self.rules() if rule.behavior == "deny" and rule.content is None
        )

    def is_offered(self, tool: str) -> bool:
        """Tell whether the model sees a tool: in the mode delegate only what coordinates."""
        return self._session.data.mode != "delegate" or coordinates(tool)

    def state(self, _: CallScope) -> PermissionState:
        """Return the snapshot that a decision is made on."""
        data, services = self._session.data, self._services
        settings = self._settings
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
            ask_beats_allow=settings.ask_beats_allow,
            skipped=settings.skipped,
            protect_secrets=settings.protect_secrets,
            managed_rules_only=settings.managed_rules_only,
            unread=() if self._loaded is None else self._loaded.unread,
            probe=self._probe,
        )

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
