"""The rules as people manage them, with or without a session.

Owns: listing, changing and explaining rules for a folder; carrying a change to every open session and
to the calls that wait for the user; replay and proposals over past sessions.
Does not own: what holds for one session alone (``session.permission_source``), writing files
(``config.store``), judging (``permissions``).
See also: design 05 §3.6, §7.3.
"""

import asyncio
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import assert_never

from pilotfish.config.modes import SETTABLE_MODES, UNASKED_MODES
from pilotfish.config.rule_syntax import parse_rule
from pilotfish.config.sources import read_settings
from pilotfish.config.store import FileDestination, SettingsStore
from pilotfish.core.errors import InvalidField, SettingsError
from pilotfish.core.ids import SessionId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionDecision, RuleSource
from pilotfish.core.permission_updates import (
    DirectoriesUpdate,
    ModeUpdate,
    PermissionUpdate,
    RulesUpdate,
)
from pilotfish.permissions.assumed import assume_call
from pilotfish.permissions.decide import decide
from pilotfish.permissions.edited_rule import written_rule
from pilotfish.permissions.overview import RuleOverview, SessionGrants, overview
from pilotfish.permissions.propose import Proposal
from pilotfish.permissions.replay import ReplayReport
from pilotfish.permissions.rules import hidden_among
from pilotfish.permissions.state import PermissionState
from pilotfish.session.past_ground import PastGround, PastPlaces, PastWindow, TriedRules
from pilotfish.session.rule_news import RuleNews
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.session.transcript_store import TranscriptStore
from pilotfish.tools.shell_environment import shell_environment
from pilotfish.util.records import dataclass
from pilotfish.util.secret_variables import secret_variables

_UNWRITABLE: dict[RuleSource, str] = {
    "policySettings": "the managed settings",
    "flagSettings": "the settings given at start, or the editor's",
    "cliArg": "the command line",
    "command": "the running command",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """Whose rules are meant."""

    root: Path | None
    """The project; None when no folder is open."""
    session: Session | None = None
    """Set when the rules of one session are meant, its own ones included."""


class RulesDesk:
    """One for each process."""

    def __init__(
        self,
        services: Services,
        store: TranscriptStore,
        sessions: Callable[[], tuple[Session, ...]],
    ) -> None:
        """Set it up.

        Args:
            services: What all sessions share.
            store: The transcripts.
            sessions: Returns the open sessions.
        """
        self._services = services
        self._store = store
        self._sessions = sessions
        services.news.when_saved(self._saved_by_dialog)

    @property
    def news(self) -> RuleNews:
        """Where views hear that rules have changed."""
        return self._services.news

    @property
    def default_root(self) -> Path | None:
        """The folder that is meant when nobody names one."""
        return next(iter(self._services.roots), None)

    async def listing(self, place: Place) -> RuleOverview:
        """Return the rules in force, where each comes from and what is wrong with them."""
        if place.session is not None:
            return await place.session.workbench.rules()
        return await asyncio.to_thread(self._overview, place.root)

    async def explain(self, place: Place, tool: str, given: JsonObject) -> PermissionDecision:
        """Return what would be decided about a call, with its trace. Runs nothing."""
        if place.session is not None:
            return await place.session.workbench.explain(tool, given)
        return await asyncio.to_thread(self._explain, place.root, tool, given)

    def roots_of(self, place: Place) -> tuple[Path, ...]:
        """Return the folders of a session or a project, real paths, its own first. Blocking."""
        return self._roots(place.root if place.session is None else place.session.data.cwd)

    async def hidden_files(self, place: Place, paths: Iterable[Path]) -> frozenset[Path]:
        """Return those of some absolute paths that a Read deny rule hides."""
        if place.session is not None:
            return await asyncio.to_thread(place.session.workbench.hidden_files, paths)
        return await asyncio.to_thread(self._hidden, place.root, paths)

    async def check(self, place: Place, update: PermissionUpdate) -> None:
        """Say what is wrong with a change before it is made.

        Raises:
            InvalidField: A rule, mode or folder cannot be used, or it needs a session.
        """
        if update.destination == "session":
            _session_of(place)
        await asyncio.to_thread(_check, update, place.root)

    async def update(self, place: Place, update: PermissionUpdate) -> bool:
        """Change rules, mode or folders; it holds at once, for the calls that wait, too.

        Returns:
            Whether anything changed.

        Raises:
            InvalidField: A rule, mode or folder cannot be used.
            SessionError: It is for a session, and there is none or it cannot take it.
            SettingsError: The file cannot be changed; it is then as it was.
        """
        await self.check(place, update)
        if update.destination == "session":
            session = _session_of(place)
            changed = await session.workbench.change_rules(update)
            self.news.tell(session.id)
            return changed
        changed = await asyncio.to_thread(self._write, update, update.destination, place.root)
        if not changed:
            await self._explain_missing(update, place)
        removed = update if isinstance(update, RulesUpdate) and _removes(update) else None
        await self._reload(update.destination, place.root, removed)
        self.news.tell()
        return changed

    async def replay(self, window: PastWindow, tried: TriedRules) -> ReplayReport:
        """Say what changed rules would have meant for past calls. Runs nothing."""
        return await PastGround(self._places(), tried).replay(window)

    async def propose(self, window: PastWindow) -> list[Proposal]:
        """Return the smallest rules that cover what the user has approved."""
        return await PastGround(self._places()).propose(window)

    async def editor_settings_changed(self) -> None:
        """Let changed settings of the editor count at once, for the calls that wait, too."""
        for session in self._sessions():
            await session.workbench.settings_changed()
        self.news.tell()

    async def _reload(
        self,
        destination: FileDestination,
        root: Path | None,
        removed: RulesUpdate | None = None,
        *,
        without: SessionId | None = None,
    ) -> None:
        for session in self._sessions():
            ours = destination == "user" or _same_folder(session.data.cwd, root)
            if ours and session.id != without:
                await session.workbench.settings_changed(removed)

    async def _saved_by_dialog(
        self, destination: FileDestination, root: Path, by: SessionId
    ) -> None:
        await self._reload(destination, root, without=by)

    def _write(
        self, update: PermissionUpdate, destination: FileDestination, root: Path | None
    ) -> bool:
        store = SettingsStore(home=self._services.state_folder, project_root=root)
        match update:
            case RulesUpdate(kind="addRules"):
                return store.add_rules(destination, update.behavior, update.rules)
            case RulesUpdate(kind="removeRules"):
                return store.remove_rules(destination, update.behavior, update.rules)
            case RulesUpdate():
                return store.replace_rules(destination, update.behavior, update.rules)
            case ModeUpdate(mode=mode):
                return store.set_mode(destination, mode)
            case DirectoriesUpdate(kind="addDirectories"):
                return store.add_directories(destination, update.directories)
            case DirectoriesUpdate():
                return store.remove_directories(destination, update.directories)
            case _:
                assert_never(update)

    async def _explain_missing(self, update: PermissionUpdate, place: Place) -> None:
        """Say where a rule really is that could not be removed."""
        if not isinstance(update, RulesUpdate) or update.kind != "removeRules":
            return
        listed = (await self.listing(place)).rules
        for text in update.rules:
            wanted = parse_rule(text, update.behavior, "session").rule
            for one in listed:
                same = wanted is not None and (one.rule.tool, one.rule.content) == (
                    wanted.tool,
                    wanted.content,
                )
                if same and one.behavior == update.behavior:
                    source = _UNWRITABLE.get(one.rule.source)
                    where = f"{source}, which cannot be changed here" if source else "another file"
                    raise SettingsError(f"The rule `{text}` is not there; it comes from {where}.")

    def _overview(self, root: Path | None) -> RuleOverview:
        loaded, layers = read_settings(self._services.settings_sources(root))
        mode = loaded.settings.permissions.default_mode
        grants = SessionGrants(roots=self._roots(root), mode=mode)
        return overview(loaded, layers, grants, root)

    def _explain(self, root: Path | None, tool: str, given: JsonObject) -> PermissionDecision:
        state = self._state(root)
        return decide(assume_call(tool, given, state.cwd), state)

    def _hidden(self, root: Path | None, paths: Iterable[Path]) -> frozenset[Path]:
        return hidden_among(paths, self._state(root))

    def _state(self, root: Path | None) -> PermissionState:
        """Return what a new session of a folder would be judged on."""
        services = self._services
        loaded, _ = read_settings(services.settings_sources(root))
        permissions = loaded.settings.permissions
        cwd = root or services.user_home
        refused = permissions.bypass_disabled or bool(services.bypass_refusal)
        return PermissionState(
            mode=permissions.default_mode,
            project_root=cwd,
            cwd=cwd,
            home=services.user_home,
            state_folder=services.state_folder,
            roots=self._roots(root),
            additional_dirs=tuple(one.resolve() for one in permissions.additional_directories),
            rules=loaded.rules,
            trusted=loaded.trusted,
            can_ask=True,
            bypass_available=not refused,
            ask_beats_allow=permissions.ask_beats_allow,
            secret_variables=secret_variables(shell_environment(services.environment)),
        )

    def _roots(self, root: Path | None) -> tuple[Path, ...]:
        named = (() if root is None else (root,)) + self._services.roots
        return tuple(dict.fromkeys(folder.resolve() for folder in named))

    def _places(self) -> PastPlaces:
        services = self._services
        return PastPlaces(
            store=self._store,
            sources=services.settings_sources,
            user_home=services.user_home,
            state_folder=services.state_folder,
            bypass_refusal=services.bypass_refusal,
        )


def _session_of(place: Place) -> Session:
    if place.session is None:
        raise InvalidField("sessionId", "a change for one session needs a session.")
    return place.session


def _same_folder(one: Path, other: Path | None) -> bool:
    return other is not None and os.path.realpath(one) == os.path.realpath(other)


def _removes(update: RulesUpdate) -> bool:
    return update.kind != "addRules"


def _check(update: PermissionUpdate, root: Path | None) -> None:
    """Refuse what could not act as its author means it."""
    if isinstance(update, ModeUpdate):
        _check_mode(update)
    elif isinstance(update, DirectoriesUpdate) and update.kind == "addDirectories":
        for index, text in enumerate(update.directories):
            _check_folder(f"directories.{index}", text, root)
    elif isinstance(update, RulesUpdate) and update.kind != "removeRules":
        for index, text in enumerate(update.rules):
            problem = written_rule(text, update.behavior).problem
            if problem:
                end = "" if problem.endswith("?") else "."
                raise InvalidField(f"rules.{index}", problem + end)


def _check_mode(update: ModeUpdate) -> None:
    if update.destination == "session":
        return
    if update.mode not in SETTABLE_MODES:
        raise InvalidField("mode", f"a settings file cannot name {update.mode}.")
    if update.destination != "user" and update.mode in UNASKED_MODES:
        raise InvalidField("mode", f"a project cannot choose {update.mode}; you can.")


def _check_folder(field: str, text: str, root: Path | None) -> None:
    folder = Path(text) if root is None else root / text
    if text.startswith("~") or not text.strip() or not folder.is_absolute():
        raise InvalidField(field, f"{text!r} is no absolute or project path.")
    try:
        found = folder.is_dir()
    except OSError:
        found = False
    if not found:
        raise InvalidField(field, f"{text!r} is not a folder.")
