"""``pilotfish doctor``: what Pilotfish needs, and what is wrong here."""

import asyncio
import json
import os
import sys
from pathlib import Path

from pilotfish.app.examination import Surroundings, examine
from pilotfish.config.home import state_folder
from pilotfish.config.sources import SettingsSources, load_settings
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED
from pilotfish.llm.access import access_from
from pilotfish.session.providers import ProviderHub
from pilotfish.util.clock import SystemClock
from pilotfish.util.visible import visible

_ROWS = frozenset({"process", "server"})
"""Checks of which there may be several."""


def doctor(as_json: bool) -> int:  # noqa: FBT001 - a flag's shape in click
    """Print what was found; returns the exit code."""
    checks = asyncio.run(examine(_here(Path.cwd())))
    problems = [check for check in checks if check.problem]
    if as_json:
        report = {
            "checks": {check.name: check.value for check in checks if check.name not in _ROWS},
            "servers": [check.value for check in checks if check.name == "server"],
            "processes": [check.value for check in checks if check.name == "process"],
            "problems": [{"check": check.name, "text": check.problem} for check in problems],
        }
        sys.stdout.write(json.dumps(report, indent=2) + "\n")
    else:
        for check in checks:
            mark = "✗" if check.problem else "✓"
            sys.stdout.write(f"{mark} {check.name:<10} {visible(check.value)}\n")
        for check in problems:
            sys.stdout.write(f"\n{check.name}: {visible(check.problem)}\n")
    return EXIT_FAILED if problems else EXIT_DONE


def _here(folder: Path) -> Surroundings:
    home = state_folder(os.environ)
    return Surroundings(
        home=home,
        folder=folder,
        environment=os.environ,
        loaded=load_settings(SettingsSources(home=home, project_root=folder)),
        providers=ProviderHub(access_from(os.environ), SystemClock()),
    )
