"""``pilotfish replay``: recordings played again."""

import asyncio
import sys
from collections.abc import Mapping
from pathlib import Path

from pilotfish.app.tried_rules import tried_rules
from pilotfish.config.home import state_folder
from pilotfish.config.sources import SettingsSources, load_settings
from pilotfish.core.errors import SessionError, SettingsError
from pilotfish.core.permission import PermissionRule
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED, EXIT_USAGE, ReplayOptions
from pilotfish.session.recording_reader import read_recording
from pilotfish.session.replay import ReplayResult, replay
from pilotfish.session.replayed_decisions import DecisionReplay, OtherRules, rules_of_then
from pilotfish.util.count_of import count_of
from pilotfish.util.visible import visible

_OF_THE_SESSION = frozenset({"cliArg", "command", "session"})
"""Sources of rules that no file holds: they stay, whatever the files say now."""


def replay_folder(options: ReplayOptions, environment: Mapping[str, str]) -> int:
    """Play every recording of a folder, or one file; returns the exit code."""
    folder = options.folder
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else [folder]
    if not files:
        sys.stderr.write(f"{folder} holds no recordings (*.jsonl).\n")
        return EXIT_USAGE
    try:
        rules = _rules(options, environment)
    except SettingsError as error:
        sys.stderr.write(f"{visible(str(error))}\n")
        return EXIT_USAGE
    return max(_play(file, rules) for file in files)


def _rules(options: ReplayOptions, environment: Mapping[str, str]) -> OtherRules:
    if options.rules_file is not None:
        alone = tried_rules(options.rules_file).added
        return lambda _: alone
    if not options.current_rules:
        return rules_of_then
    sources = SettingsSources(home=state_folder(environment), project_root=options.cwd)
    current = load_settings(sources).rules

    def now(rules: tuple[PermissionRule, ...]) -> tuple[PermissionRule, ...]:
        return (*current, *(rule for rule in rules if rule.source in _OF_THE_SESSION))

    return now


def _play(file: Path, rules: OtherRules) -> int:
    try:
        result = asyncio.run(replay(read_recording(file), DecisionReplay(rules)))
    except SessionError as error:
        sys.stderr.write(f"{visible(str(error))}\n")
        return EXIT_FAILED
    for difference in result.decisions.differences:
        _tell(file, f"decided differently: {difference}")
    if result.difference:
        _tell(file, result.difference)
    if result.difference or result.decisions.differences:
        return EXIT_FAILED
    _tell(
        file,
        f"as recorded, {count_of(result.turns, 'turn')}, "
        f"{count_of(result.model_calls, 'model call')}{_judged(result)}",
    )
    return EXIT_DONE


def _judged(result: ReplayResult) -> str:
    judged, hidden = result.decisions.judged, result.decisions.hidden
    text = f", {count_of(judged, 'permission decision')}" if judged else ""
    if hidden:
        text += f" ({hidden} more depend on secrets, which a recording does not hold)"
    return text


def _tell(file: Path, text: str) -> None:
    sys.stdout.write(f"{file.name}: {visible(text)}\n")
