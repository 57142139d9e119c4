"""``pilotfish doctor``: what Pilotfish needs, and what is wrong here."""

import asyncio
import json
import os
import sys
from pathlib import Path

from pilotfish.app.examination import Surroundings, examine
from pilotfish.app.model_trial import Trial, try_model
from pilotfish.config.home import state_folder
from pilotfish.config.sources import SettingsSources, load_settings
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED
from pilotfish.edges.localise import language_of, translator
from pilotfish.llm.access import access_from
from pilotfish.session.health import Check
from pilotfish.session.providers import ProviderHub
from pilotfish.util.clock import SystemClock
from pilotfish.util.visible import visible

_ROWS = frozenset({"process", "server"})
"""Checks of which there may be several."""


def doctor(as_json: bool, connect: bool) -> int:  # noqa: FBT001 - a flag's shape in click
    """Print what was found; returns the exit code.

    Args:
        as_json: For programs.
        connect: Ask the model for a word, too; that contacts it and costs a few tokens.
    """
    here = _here(Path.cwd())
    trial = (
        asyncio.run(try_model(here.environment, here.loaded.settings.model)) if connect else None
    )
    checks = [*asyncio.run(examine(here)), *([] if trial is None else [_connection(trial)])]
    problems = [check for check in checks if check.problem]
    if as_json:
        report = {
            "checks": {check.name: check.value for check in checks if check.name not in _ROWS},
            "servers": [check.value for check in checks if check.name == "server"],
            "processes": [check.value for check in checks if check.name == "process"],
            "problems": [{"check": check.name, "text": check.problem} for check in problems],
            **({} if trial is None else {"connection": _for_form(trial)}),
        }
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
    else:
        for check in checks:
            mark = "✗" if check.problem else "✓"
            sys.stdout.write(f"{mark} {check.name:<10} {visible(check.value)}\n")
        for check in problems:
            sys.stdout.write(f"\n{check.name}: {visible(check.problem)}\n")
    return EXIT_FAILED if problems else EXIT_DONE


def _connection(trial: Trial) -> Check:
    if trial.ok:
        return Check(name="connection", value=f"{trial.model} answers")
    return Check(name="connection", value="no answer", problem=f"{trial.text} {trial.hint}".strip())


def _for_form(trial: Trial) -> dict[str, bool | str]:
    """Return a trial for the editor's form, whose reader may have another language."""
    say = translator(language_of(os.environ))
    texts = {"text": say(trial.text, "doctor"), "hint": say(trial.hint, "doctor")}
    return {**trial.as_json(), **texts}


def _here(folder: Path) -> Surroundings:
    home = state_folder(os.environ)
    return Surroundings(
        home=home,
        folder=folder,
        environment=os.environ,
        loaded=load_settings(SettingsSources(home=home, project_root=folder)),
        providers=ProviderHub(access_from(os.environ), SystemClock()),
    )
