"""What permission decisions of a session are based on.

Owns: the snapshot for each decision, made of settings, session and process; where a grant goes.
Does not own: the decision (``permissions.decide``), writing settings files (``config.store``).
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import assert_never

from pilotfish.config.layers import Layer
from pilotfish.config.rule_syntax import parse_rule
from pilotfish.config.schema import LoadedSettings, PermissionSettings
from pilotfish.config.store import SettingsStore
from pilotfish.core.agents import AgentMemory
from pilotfish.core.calls import CallScope, PreparedCall
from pilotfish.core.events import RuleGranted, RuleRevoked
from pilotfish.core.ids import MAIN_AGENT, AgentId, SessionId
from pilotfish.core.permission import (
    PermissionDecision,
    PermissionMode,
    PermissionRule,
    RuleDestination,
    RuleSource,
)
from pilotfish.core.permission_updates import (
    DirectoriesUpdate,
    ModeUpdate,
    PermissionUpdate,
    RulesUpdate,
)
from pilotfish.permissions.agent_modes import AgentWishes, mode_for_agent
from pilotfish.permissions.decide import decide
from pilotfish.permissions.delegate import coordinates
from pilotfish.permissions.overview import RuleOverview, SessionGrants, overview
from pilotfish.permissions.probe import DiskProbe
from pilotfish.permissions.rules import hidden_among
from pilotfish.permissions.state import PermissionState
from pilotfish.ports.planning import PlanPort
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.tools.shell_environment import shell_environment
from pilotfish.util.records import dataclass
from pilotfish.util.secret_variables import secret_variables

_SOURCES: dict[RuleDestination, RuleSource] = {
    "session": "session",
    "local": "localSettings",
    "project": "projectSettings",
    "user": "userSettings",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentStanding:
    """What is different for a sub-agent when its calls are judged."""

    mode: PermissionMode
    """At this moment."""
    can_ask: bool
    """Whether its questions may go to the user."""
    root: Path | None = None
    """The working tree of its own that it may change; None: the session's."""
    memory: AgentMemory | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class _Grant:
    """A rule that holds for the session."""

    rule: PermissionRule
    kept_in: RuleDestination
    """Where the user wanted it: a saved one holds for the session as well."""


def results_folder(state_folder: Path, session_id: SessionId) -> Path:
    """Return where a session keeps the results that are too long for the model."""
    return state_folder / "tool-results" / session_id


class PermissionSource:
    """Snapshots and grants of one session.

    Grants of earlier processes are not taken up: they were for that session only, and a resumed one
    asks anew.
    """

    def __init__(
        self, session: Session, services: Services, roots: tuple[Path, ...], plan: PlanPort
    ) -> None:
        self._session = session
        self._services = services
        self._own_roots = self._roots = roots
        self._plan = plan
        self._probe = DiskProbe()
        self._secret_variables = secret_variables(shell_environment(services.environment))
        self._loaded: LoadedSettings | None = None
        self._additional: tuple[Path, ...] = ()
        self._folders: tuple[Path, ...] = ()
        """Folders that are trusted for this session."""
        self._saved: list[PermissionRule] = []
        """Rules saved since the settings were last read."""
        self._granted: list[_Grant] = []
        self._of_commands: dict[AgentId, tuple[PermissionRule, ...]] = {}
        """What the skills in use grant, to each agent for itself."""
        self.standing_of: Callable[[AgentId], AgentStanding | None] = lambda _: None
        """Returns how a sub-agent stands; None for one that is not running any more."""
        self._resumed_seq = session.data.seq
        """What a plan of an earlier process was allowed to run, it is asked about anew."""

    def take(self, loaded: LoadedSettings) -> None:
        """Use these settings from now on."""
        self._loaded = loaded
        self._additional = tuple(
            folder.resolve() for folder in loaded.settings.permissions.additional_directories
        )
        self._saved.clear()

    def work_in(self, roots: tuple[Path, ...]) -> None:
        """Judge calls as those of a session whose folders are these; settings stay where they are.

        Args:
            roots: Real paths; the first stands for the project.
        """
        self._roots = roots

    @property
    def _settings(self) -> PermissionSettings:
        return PermissionSettings() if self._loaded is None else self._loaded.settings.permissions

    def prompt_timeout_s(self) -> float:
        """Return how long a question may wait; 0 means: as long as it takes."""
        return self._settings.prompt_timeout_ms / 1000

    def mode_for_agent(self, parent: PermissionMode, wishes: AgentWishes) -> PermissionMode:
        """Return the mode of a sub-agent; the settings have their say in it.

        Args:
            parent: The mode of whoever started it, now.
            wishes: What call and definition ask for.
        """
        return mode_for_agent(parent, replace(wishes, setting=self._settings.subagent_mode))

    @property
    def is_trusted(self) -> bool:
        """Whether the user vouches for the project: only then is anything of it run."""
        return self._loaded is not None and self._loaded.trusted

    @property
    def background_may_ask(self) -> bool:
        """Whether questions of agents in the background go to the user."""
        return self._settings.background_prompts == "bubble"

    @property
    def skills_restrict(self) -> bool:
        """Whether an agent that works on a skill has no tools but those that the skill names."""
        return self._loaded is not None and self._loaded.settings.skill_tools == "restrict"

    def rules(self) -> tuple[PermissionRule, ...]:
        """Return all rules in force."""
        known = () if self._loaded is None else self._loaded.rules
        granted = (*self._saved, *(grant.rule for grant in self._granted))
        if self._settings.managed_rules_only:
            granted = tuple(rule for rule in granted if rule.behavior != "allow")
        return (*known, *granted)

    def overview(self, layers: Sequence[Layer]) -> RuleOverview:
        """Return the rules with where they come from, of layers that were just taken."""
        assert self._loaded is not None
        grants = SessionGrants(
            rules=tuple(grant.rule for grant in self._granted),
            folders=self._folders,
            roots=self._roots,
            mode=self._session.data.mode,
        )
        return overview(self._loaded, layers, grants, self._own_roots[0])

    def folders(self) -> tuple[Path, ...]:
        """Return the folders that count as the session's, real paths."""
        return (*self._roots, *self._additional, *self._folders)

    def hold_for_command(
        self, agent: AgentId, rules: Iterable[PermissionRule]
    ) -> Callable[[], None]:
        """Let rules of a skill hold for one agent, beside those that do, until ``end_command``.

        Call what is returned to be as before.
        """
        held = self._of_commands.get(agent, ())
        self._of_commands[agent] = tuple(dict.fromkeys((*held, *rules)))

        def undo() -> None:
            self._of_commands[agent] = held

        return undo

    def end_command(self, agent: AgentId) -> None:
        """Let what skills have granted to an agent hold no longer."""
        self._of_commands.pop(agent, None)

    def removed_tools(self) -> frozenset[str]:
        """Return the tools that a rule denies altogether: the model does not even see them."""
        return frozenset(
            rule.tool for rule in self.rules() if rule.behavior == "deny" and rule.content is None
        )

    def denied_agents(self) -> frozenset[str]:
        """Return the types of agents that a rule forbids."""
        return frozenset(
            rule.content
            for rule in self.rules()
            if rule.behavior == "deny" and rule.tool == "Agent" and rule.content is not None
        )

    def is_offered(self, tool: str) -> bool:
        """Tell whether the model sees a tool: in the mode delegate only what coordinates."""
        return self._session.data.mode != "delegate" or coordinates(tool)

    def state(self, scope: CallScope) -> PermissionState:
        """Return the snapshot that a call of an agent is judged on."""
        state = self._snapshot()
        granted = self._of_commands.get(scope.agent_id, ())
        if granted and not state.managed_rules_only:
            state = replace(state, rules=(*state.rules, *granted))
        if scope.agent_id == MAIN_AGENT:
            return state
        standing = self.standing_of(scope.agent_id)
        if standing is None:  # it has ended, and what is left of it may do nothing
            return replace(state, mode="plan", can_ask=False, plan_file=None)
        own = replace(
            state,
            mode=standing.mode,
            can_ask=state.can_ask and standing.can_ask,
            plan_file=None,
            memory=standing.memory,
        )
        return own if standing.root is None else self._in_tree(own, standing.root)

    def _in_tree(self, state: PermissionState, tree: Path) -> PermissionState:
        """Return a snapshot for an agent that has a working tree to itself."""
        return replace(
            state, roots=(tree,), cwd=tree, project_root=tree, other_projects=self._own_roots
        )

    def hidden_files_in(self, tree: Path) -> Callable[[Iterable[Path]], frozenset[Path]]:
        """Return what tells hidden files to an agent that works in a tree of its own."""
        return lambda paths: hidden_among(paths, self._in_tree(self._snapshot(), tree))

    def hidden_files(self, paths: Iterable[Path]) -> frozenset[Path]:
        """Return those of some absolute paths that a Read deny rule hides. Blocking."""
        return hidden_among(paths, self._snapshot())

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
            self._session.choices.set_mode(granted, cause="dialog")
            self._services.news.tell(self._session.id)
            return
        if destination == "session":
            self._hold(granted, "session")
            self._services.news.tell(self._session.id)
            return
        store = SettingsStore(home=self._services.state_folder, project_root=self._own_roots[0])
        await asyncio.to_thread(store.add_rule, granted, destination)
        # A project's own rules count only where the user vouches for the project, but this one
        # comes from the user: it holds for the session whatever the file's standing.
        self._hold(granted, destination)
        self._saved.append(replace(granted, source=_SOURCES[destination]))
        await self._services.news.saved(destination, self._own_roots[0], self._session.id)

    def change(self, update: PermissionUpdate) -> bool:
        """Change what holds for this session alone; returns whether anything changed.

        Raises:
            SessionError: The mode is not available here, or a rule cannot be removed.
            InvalidField: A rule or a folder cannot be used.
        """
        match update:
            case RulesUpdate():
                return self._change_rules(update)
            case ModeUpdate(mode=mode):
                changed = mode != self._session.data.mode
                self._session.choices.set_mode(mode)
                return changed
            case DirectoriesUpdate():
                return self._change_folders(update)
            case _:
                assert_never(update)

    def holds_grants(self) -> bool:
        """Tell whether something was granted that ends with the session in this process."""
        return bool(self._granted or self._folders or self._plan_prompts())

    def forget_copies(self, removed: RulesUpdate) -> None:
        """Drop what a dialog granted together with rules that now have left their file."""
        gone = {parse_rule(text, removed.behavior, "session").rule for text in removed.rules}
        stay = removed.kind == "replaceRules"
        for grant in tuple(self._granted):
            ours = (grant.kept_in, grant.rule.behavior) == (removed.destination, removed.behavior)
            if ours and (grant.rule in gone) != stay:
                self._let_go(grant)

    def _change_rules(self, update: RulesUpdate) -> bool:
        named = [
            rule
            for text in update.rules
            if (rule := parse_rule(text, update.behavior, "session").rule) is not None
        ]
        before = [grant.rule for grant in self._granted]
        if update.kind != "addRules":
            removing = update.kind == "removeRules"
            for grant in tuple(self._granted):
                if grant.rule.behavior == update.behavior and (grant.rule in named) == removing:
                    self._let_go(grant)
        if update.kind != "removeRules":
            for rule in named:
                self._hold(rule, "session")
        return [grant.rule for grant in self._granted] != before

    def _change_folders(self, update: DirectoriesUpdate) -> bool:
        before = self._folders
        named = [(self._roots[0] / text).resolve() for text in update.directories]
        kept = [folder for folder in before if folder not in named]
        self._folders = tuple(kept if update.kind == "removeDirectories" else [*kept, *named])
        return self._folders != before

    def _hold(self, rule: PermissionRule, kept_in: RuleDestination) -> None:
        rule = replace(rule, source="session")
        if all(grant.rule != rule for grant in self._granted):
            self._granted.append(_Grant(rule=rule, kept_in=kept_in))
            self._session.log.emit(RuleGranted(rule=rule))

    def _let_go(self, grant: _Grant) -> None:
        self._granted.remove(grant)
        self._session.log.emit(RuleRevoked(rule=grant.rule))

    def _snapshot(self) -> PermissionState:
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
            other_projects=self._own_roots if self._roots != self._own_roots else (),
            additional_dirs=self.folders()[len(self._roots) :],
            rules=self.rules(),
            trusted=self.is_trusted,
            can_ask=self._session.inbox.can_ask,
            bypass_available=not problem,
            plan_file=self._plan.file,
            results_folder=results_folder(services.state_folder, self._session.id),
            plan_prompts=self._plan_prompts(),
            ask_beats_allow=settings.ask_beats_allow,
            skipped=settings.skipped,
            protect_secrets=settings.protect_secrets,
            secret_variables=self._secret_variables,
            managed_rules_only=settings.managed_rules_only,
            unread=() if self._loaded is None else self._loaded.unread,
            probe=self._probe,
        )

    def _plan_prompts(self) -> tuple[str, ...]:
        data = self._session.data
        if data.approved_plan is None or data.approved_plan_seq <= self._resumed_seq:
            return ()
        return data.approved_plan.allowed_prompts
