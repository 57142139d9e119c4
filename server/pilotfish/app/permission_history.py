"""What ``pilotfish permissions replay`` and ``suggest`` do.

Owns: which transcripts and rules are meant, printing.
Does not own: judging (``session.past_ground``), the commands' shape (``edges.headless``).
"""

import asyncio
import json
import sys
from collections.abc import Mapping
from pathlib import Path

from pilotfish.app.bypass import bypass_refusal
from pilotfish.app.tried_rules import tried_rules
from pilotfish.config.home import state_folder, user_home
from pilotfish.config.sources import SettingsSources
from pilotfish.config.store import SettingsStore
from pilotfish.core.errors import SettingsError
from pilotfish.core.ids import SessionId
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED, EXIT_USAGE
from pilotfish.edges.headless.permissions_cli import FileDestination, PastOptions
from pilotfish.permissions.propose import Proposal
from pilotfish.permissions.replay import Difference, ReplayReport
from pilotfish.session.past_ground import DAY_MS, PastGround, PastPlaces, PastWindow, TriedRules
from pilotfish.session.transcript_store import TranscriptStore
from pilotfish.util.clock import SystemClock
from pilotfish.util.count_of import count_of
from pilotfish.util.visible import visible

_HEADINGS: dict[Difference, str] = {
    "no_prompt": "would no longer be asked about",
    "now_refused": "would now be refused",
    "now_asked": "would now be asked about",
    "now_allowed": "were refused and would now run",
}


class PermissionHistory:
    """The commands, for one folder and one environment."""

    def __init__(self, cwd: Path, environment: Mapping[str, str]) -> None:
        self._cwd = cwd
        self._environment = environment
        self._home = state_folder(environment)
        self._store = TranscriptStore(self._home)

    def replay(
        self, past: PastOptions, settings: Path | None, rules_file: Path | None, *, as_json: bool
    ) -> int:
        """Print what changed rules would have meant for past calls."""
        try:
            window = self._window(past)
            tried = TriedRules() if rules_file is None else tried_rules(rules_file)
            if settings is not None:
                tried_rules(settings)
        except SettingsError as error:
            sys.stderr.write(f"{visible(str(error))}\n")
            return EXIT_USAGE
        report = asyncio.run(PastGround(self._places(settings), tried).replay(window))
        if as_json:
            _print(json.dumps(_as_data(report), indent=2))
        else:
            _print_report(report)
        return EXIT_DONE

    def suggest(
        self, past: PastOptions, destination: FileDestination | None, *, as_json: bool
    ) -> int:
        """Print the smallest rules that cover what was approved; write them if asked to."""
        try:
            window = self._window(past)
        except SettingsError as error:
            sys.stderr.write(f"{visible(str(error))}\n")
            return EXIT_USAGE
        proposals = asyncio.run(PastGround(self._places(None)).propose(window))
        if as_json:
            rows = [
                {"rule": one.rule.text(), "approvals": one.approvals, "examples": one.examples}
                for one in proposals
            ]
            _print(json.dumps(rows, indent=2))
        else:
            _print_proposals(proposals)
        return self._apply(proposals, destination) if destination and proposals else EXIT_DONE

    def _apply(self, proposals: list[Proposal], destination: FileDestination) -> int:
        store = SettingsStore(home=self._home, project_root=self._cwd)
        rules = [one.rule.text() for one in proposals]
        try:
            store.add_rules(destination, "allow", rules)
            file = store.file_of(destination)
        except SettingsError as error:
            sys.stderr.write(f"{visible(str(error))}\n")
            return EXIT_FAILED
        sys.stderr.write(f"Written to {visible(str(file))}.\n")
        return EXIT_DONE

    def _window(self, past: PastOptions) -> PastWindow:
        since_ms = 0
        if past.since_days is not None:
            since_ms = SystemClock().now_ms() - round(past.since_days * DAY_MS)
        if past.session is None:
            return PastWindow(folder=None if past.everywhere else self._cwd, since_ms=since_ms)
        session = SessionId(past.session)
        if asyncio.run(self._store.find(session)) is None:
            raise SettingsError(
                f"There is no session {past.session}.", hint="List them: pilotfish sessions list"
            )
        return PastWindow(session_id=session, since_ms=since_ms)

    def _places(self, settings: Path | None) -> PastPlaces:
        def sources(folder: Path) -> SettingsSources:
            return SettingsSources(home=self._home, project_root=folder, flag=settings)

        return PastPlaces(
            store=self._store,
            sources=sources,
            user_home=user_home(self._environment),
            state_folder=self._home,
            bypass_refusal=bypass_refusal(self._environment),
        )


def _as_data(report: ReplayReport) -> dict[str, object]:
    return {
        "sessions": report.sessions,
        "calls": report.calls,
        "prompts": report.prompts,
        "prompts_now": report.prompts_now,
        "truncated": report.truncated,
        "counts": {difference: report.count(difference) for difference in _HEADINGS},
        "groups": [
            {
                "difference": group.difference,
                "tool": group.tool,
                "kind": group.kind,
                "because": group.because,
                "count": group.count,
                "examples": group.examples,
            }
            for group in report.groups
        ],
    }


def _print_report(report: ReplayReport) -> None:
    _print(
        f"{count_of(report.calls, 'call')} in {count_of(report.sessions, 'session')}: "
        f"{count_of(report.prompts, 'question')} at the time, {report.prompts_now} with these rules."
    )
    if report.truncated:
        _print("There were more; only the latest were looked at.")
    for difference, heading in _HEADINGS.items():
        groups = [one for one in report.groups if one.difference == difference]
        if not groups:
            continue
        _print(f"\n{count_of(report.count(difference), 'call')} {heading}:")
        for group in groups:
            name = group.tool if group.kind == group.tool else f"{group.tool} {group.kind}"
            _print(f"  {group.count:>5}  {name}  ({group.because})")
            for example in group.examples:
                _print(f"         {example}")


def _print_proposals(proposals: list[Proposal]) -> None:
    if not proposals:
        _print("Nothing to propose: no approved call would be spared a question by a safe rule.")
    for one in proposals:
        _print(f"{one.rule.text()}  ({count_of(one.approvals, 'approval')})")
        for example in one.examples:
            _print(f"    {example}")


def _print(text: str) -> None:
    sys.stdout.write(visible(text) + "\n")
