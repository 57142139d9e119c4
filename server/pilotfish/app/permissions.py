"""What ``pilotfish permissions`` does.

Owns: reading the settings of the present folder, deciding without running, printing.
Does not own: the decision (``permissions``), the commands' shape (``edges.headless``).
"""

import json
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from pilotfish.app.bypass import bypass_refusal
from pilotfish.app.permission_history import PermissionHistory
from pilotfish.config.home import state_folder, user_home
from pilotfish.config.managed import managed_settings_file
from pilotfish.config.schema import LoadedSettings
from pilotfish.config.sources import (
    CommandLine,
    SettingsSources,
    load_layers,
    load_settings,
    read_settings,
)
from pilotfish.core.errors import SettingsError
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionDecision
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED, EXIT_USAGE
from pilotfish.edges.headless.permissions_cli import FileDestination, PastOptions
from pilotfish.permissions.assumed import assume_call
from pilotfish.permissions.decide import decide
from pilotfish.permissions.overview import problems_of
from pilotfish.permissions.recorded import judge_case, parse_case
from pilotfish.permissions.state import PermissionState
from pilotfish.tools.shell_environment import shell_environment
from pilotfish.util.secret_variables import secret_variables


class PermissionTools:
    """The commands, for one folder and one environment."""

    def __init__(self, cwd: Path, environment: Mapping[str, str]) -> None:
        self._cwd = cwd.resolve()
        self._environment = environment

    def list_rules(self, *, as_json: bool) -> int:
        """Print the rules in force."""
        rows = [
            {"behavior": rule.behavior, "rule": rule.text(), "source": rule.source,
             "file": None if layer.file is None else str(layer.file), "line": line}
            for layer in load_layers(self._sources(None))
            for rule, line in zip(layer.rules, layer.lines, strict=True)
        ]  # fmt: skip
        if as_json:
            _print(json.dumps(rows, indent=2))
        elif not rows:
            _print("There are no rules.")
        else:
            for row in rows:
                place = row["file"] if row["line"] is None else f"{row['file']}:{row['line']}"
                _print(f"{row['behavior']:<6} {row['rule']}  ({place or row['source']})")
        return EXIT_DONE

    def explain(
        self, tool: str, given: dict[str, object], mode: str | None, *, as_json: bool
    ) -> int:
        """Print what would be decided about a call."""
        loaded = load_settings(self._sources(mode))
        state = self._state(loaded)
        decision = decide(assume_call(tool, cast("JsonObject", given), self._cwd), state)
        if as_json:
            _print(json.dumps(_explained(decision), indent=2))
            return EXIT_DONE
        _print(f"{decision.behavior}: {decision.reason}")
        for step in decision.trace:
            _print(f"  {step.phase:<16} {step.outcome:<5} {step.detail}".rstrip())
        for suggestion in decision.suggestions:
            rule = f"  `{suggestion.rule.text()}`" if suggestion.rule else ""
            _print(f"  offered: {suggestion.label}{rule}")
        if not loaded.trusted:
            _print("The folder is not trusted, so allow rules of the project count for less.")
        return EXIT_DONE

    def check(self, file: Path, *, expect: bool) -> int:
        """Decide recorded calls and print a line for each."""
        try:
            lines = [line for line in file.read_text(encoding="utf-8").splitlines() if line.strip()]
        except (OSError, UnicodeDecodeError) as error:
            sys.stderr.write(f"{file} cannot be read: {error}.\n")
            return EXIT_USAGE
        for number, line in enumerate(lines, start=1):
            try:
                parse_case(line)
            except SettingsError as error:
                sys.stderr.write(f"{file}, case {number}: {error}\n")
                return EXIT_USAGE
        return self._decide_all(lines, expect=expect)

    def lint(self) -> int:
        """Print what is wrong with the rules."""
        problems = problems_of(*read_settings(self._sources(None)))
        for problem in problems:
            line = "" if problem.line is None else f":{problem.line}"
            place = "" if problem.file is None else f"{problem.file}{line}: "
            _print(f"{place}{problem.kind}: {problem.text}")
        return EXIT_FAILED if problems else EXIT_DONE

    def replay(
        self, past: PastOptions, settings: Path | None, rules_file: Path | None, *, as_json: bool
    ) -> int:
        """Print what changed rules would have meant for past calls."""
        history = PermissionHistory(self._cwd, self._environment)
        return history.replay(past, settings, rules_file, as_json=as_json)

    def suggest(
        self, past: PastOptions, destination: FileDestination | None, *, as_json: bool
    ) -> int:
        """Print the smallest rules that cover what was approved; write them if asked to."""
        history = PermissionHistory(self._cwd, self._environment)
        return history.suggest(past, destination, as_json=as_json)

    def _decide_all(self, lines: list[str], *, expect: bool) -> int:
        wrong = 0
        for line in lines:
            case = parse_case(line)
            try:
                with tempfile.TemporaryDirectory(prefix="pilotfish-check-") as scratch:
                    decision = judge_case(line, Path(scratch))
            except (SettingsError, OSError) as error:
                sys.stderr.write(f"{case.id}: {error}\n")
                return EXIT_USAGE
            fields = ("behavior", "hide_always", "phase", "reason")
            answer = {"id": case.id} | {name: getattr(decision, name) for name in fields}
            _print(json.dumps(answer, ensure_ascii=False))
            if expect and case.accepted and decision.behavior not in case.accepted:
                wrong += 1
                wanted = " or ".join(case.accepted)
                sys.stderr.write(f"{case.id}: {decision.behavior}, but {wanted} is expected.\n")
        if expect:
            sys.stderr.write(f"{len(lines)} cases, {wrong} different.\n")
        return EXIT_FAILED if wrong else EXIT_DONE

    def _sources(self, mode: str | None) -> SettingsSources:
        return SettingsSources(
            home=state_folder(self._environment),
            project_root=self._cwd,
            policy=managed_settings_file(sys.platform),
            command_line=CommandLine(permission_mode=mode),
        )

    def _state(self, loaded: LoadedSettings) -> PermissionState:
        permissions = loaded.settings.permissions
        refused = permissions.bypass_disabled or bool(bypass_refusal(self._environment))
        return PermissionState(
            mode=permissions.default_mode,
            project_root=self._cwd,
            cwd=self._cwd,
            home=user_home(self._environment),
            state_folder=state_folder(self._environment),
            roots=(self._cwd,),
            additional_dirs=tuple(
                folder.resolve() for folder in permissions.additional_directories
            ),
            rules=loaded.rules,
            trusted=loaded.trusted,
            can_ask=True,
            bypass_available=not refused,
            ask_beats_allow=permissions.ask_beats_allow,
            skipped=permissions.skipped,
            protect_secrets=permissions.protect_secrets,
            secret_variables=secret_variables(shell_environment(self._environment)),
            managed_rules_only=permissions.managed_rules_only,
            unread=loaded.unread,
        )


def _explained(decision: PermissionDecision) -> dict[str, object]:
    return {
        "behavior": decision.behavior,
        "phase": decision.phase,
        "reason": decision.reason,
        "risk": decision.risk,
        "hide_always": decision.hide_always,
        "rule": None if decision.rule is None else decision.rule.text(),
        "suggestions": [one.rule.text() for one in decision.suggestions if one.rule is not None],
        "trace": [
            {"phase": step.phase, "outcome": step.outcome, "detail": step.detail}
            for step in decision.trace
        ],
    }


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
