"""What past calls are judged on again.

Owns: the settings of each folder as they are now, with the rules to try, and which transcripts count.
Does not own: judging (``permissions.replay``, ``permissions.propose``).
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from pilotfish.config.schema import LoadedSettings
from pilotfish.config.sources import SettingsSources, load_settings
from pilotfish.core.ids import SessionId
from pilotfish.core.permission import PermissionRule
from pilotfish.permissions.past import PastCall
from pilotfish.permissions.probe import DiskProbe
from pilotfish.permissions.propose import Proposal, propose
from pilotfish.permissions.replay import Replay, ReplayReport
from pilotfish.permissions.state import PermissionState
from pilotfish.session.past_calls import read_past_calls
from pilotfish.session.transcript_store import TranscriptStore
from pilotfish.util.records import dataclass

MAX_SESSIONS = 500
"""Sessions that are looked at, the latest first."""

MAX_CALLS = 10_000
"""Calls that are looked at, those of the latest sessions first."""

STEP_CALLS = 50
"""Calls between two moments at which the work can be stopped."""

DAY_MS = 86_400_000


@dataclass(frozen=True, kw_only=True, slots=True)
class PastWindow:
    """Which past calls are meant."""

    folder: Path | None = None
    """Sessions of this folder; None for those of all."""
    session_id: SessionId | None = None
    """This session alone."""
    since_ms: int = 0
    """Wall clock, milliseconds since the epoch; 0 means from the beginning."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TriedRules:
    """The change that is tried."""

    added: tuple[PermissionRule, ...] = ()
    alone: bool = False
    """Whether these rules stand in the place of all others, grants of the time included."""


@dataclass(frozen=True, kw_only=True)
class PastPlaces:
    """Where settings and transcripts are, and what this process may do."""

    store: TranscriptStore
    sources: Callable[[Path], SettingsSources]
    """Returns where the settings of a folder come from."""
    user_home: Path
    state_folder: Path
    bypass_refusal: str = ""


class PastGround:
    """Judges past calls again. Runs nothing; the work is done off the event loop, step by step."""

    def __init__(self, places: PastPlaces, tried: TriedRules | None = None) -> None:
        self._places = places
        self._tried = tried or TriedRules()
        self._loaded: dict[Path, LoadedSettings] = {}
        self._probe = DiskProbe()
        self._truncated = False

    async def replay(self, window: PastWindow) -> ReplayReport:
        """Judge the calls by the tried rules, each in the mode that held then."""
        replay = Replay(self.state_then)
        sessions: set[SessionId] = set()

        def take(call: PastCall) -> None:
            sessions.add(call.session_id)
            replay.judge(call)

        await self._each(window, take)
        report = replay.finish()
        report.sessions, report.truncated = len(sessions), self._truncated
        return report

    async def propose(self, window: PastWindow) -> list[Proposal]:
        """Return the smallest rules that cover what the user has approved."""
        calls: list[PastCall] = []
        await self._each(window, calls.append)
        return await asyncio.to_thread(propose, calls, self.state_now)

    def state_then(self, call: PastCall) -> PermissionState:
        """Return the mode and grants that held then, over the tried rules."""
        state = self.state_now(call)
        granted = () if self._tried.alone else call.granted
        return replace(
            state,
            mode=call.mode,
            pre_plan_mode=call.pre_plan_mode,
            rules=(*state.rules, *granted),
        )

    def state_now(self, call: PastCall) -> PermissionState:
        """Return what a new session in the call's folder would be judged on, with the tried rules."""
        loaded = self._settings(call.cwd)
        permissions = loaded.settings.permissions
        own = () if self._tried.alone else loaded.rules
        return PermissionState(
            mode="default",
            project_root=call.cwd,
            cwd=call.cwd,
            home=self._places.user_home,
            state_folder=self._places.state_folder,
            roots=(call.cwd.resolve(),),
            additional_dirs=tuple(one.resolve() for one in permissions.additional_directories),
            rules=(*own, *self._tried.added),
            trusted=loaded.trusted,
            can_ask=True,
            bypass_available=not (permissions.bypass_disabled or self._places.bypass_refusal),
            ask_beats_allow=permissions.ask_beats_allow,
            probe=self._probe,
        )

    def _settings(self, folder: Path) -> LoadedSettings:
        if folder not in self._loaded:
            # At most one for each session that is looked at.
            self._loaded[folder] = load_settings(self._places.sources(folder))
        return self._loaded[folder]

    async def _each(self, window: PastWindow, take: Callable[[PastCall], None]) -> None:
        calls = read_past_calls(await self._transcripts(window), window.since_ms)
        left = MAX_CALLS
        while left > 0:
            done = await asyncio.to_thread(_take_some, calls, take, min(left, STEP_CALLS))
            left -= done
            if done < STEP_CALLS:
                return
        self._truncated = True

    async def _transcripts(self, window: PastWindow) -> list[Path]:
        store = self._places.store
        if window.session_id is not None:
            path = await store.find(window.session_id)
            return [] if path is None else [path]
        found = await store.list_sessions(window.folder)
        recent = [one for one in found if one.updated_ms >= window.since_ms]
        self._truncated = len(recent) > MAX_SESSIONS
        return [store.path_for(one.session_id, Path(one.cwd)) for one in recent[:MAX_SESSIONS]]


def _take_some(calls: Iterator[PastCall], take: Callable[[PastCall], None], count: int) -> int:
    """Take up to so many calls; returns how many there were."""
    for done in range(count):
        call = next(calls, None)
        if call is None:
            return done
        take(call)
    return count
