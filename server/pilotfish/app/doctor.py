"""``pilotfish doctor``: what Pilotfish needs, and what is wrong here."""

import asyncio
import json
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import psutil

from pilotfish import __version__
from pilotfish.app.agents import look_at_agents
from pilotfish.app.engine import process_records
from pilotfish.app.index_check import look_at_index
from pilotfish.codeintel.servers.detect import find_program
from pilotfish.config.home import state_folder
from pilotfish.config.schema import LoadedSettings
from pilotfish.config.sources import SettingsSources, load_settings
from pilotfish.core.errors import PilotfishError
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED
from pilotfish.llm.access import access_from
from pilotfish.session.code_servers import access_from as access_from_settings
from pilotfish.session.providers import ProviderHub
from pilotfish.util.clock import SystemClock
from pilotfish.util.visible import visible
from pilotfish.workspace.process import Governor
from pilotfish.workspace.process_ledger import read_ledgers, still_runs
from pilotfish.workspace.search import Ripgrep


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    value: str
    problem: str = ""
    """What is wrong and what to do; empty when nothing is."""


_ROWS = frozenset({"process", "server"})
"""Checks of which there may be several."""


def doctor(as_json: bool) -> int:  # noqa: FBT001 - a flag's shape in click
    """Print what was found; returns the exit code."""
    checks = asyncio.run(_examine(Path.cwd()))
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


async def _examine(folder: Path) -> list[Check]:
    home = state_folder(os.environ)
    loaded = load_settings(SettingsSources(home=home, project_root=folder))
    return [
        Check(name="version", value=__version__),
        Check(name="python", value=sys.version.split()[0]),
        _state(home),
        _model(loaded),
        await _ripgrep(),
        _git(),
        _settings(loaded),
        await asyncio.to_thread(_agents, folder),
        await asyncio.to_thread(_index, home, folder, loaded),
        *await asyncio.to_thread(_servers, loaded, folder),
        *await asyncio.to_thread(_processes, home),
    ]


def _servers(loaded: LoadedSettings, folder: Path) -> list[Check]:
    """Return the language servers that a session here would use; nothing is started."""
    settings = loaded.settings.code_intelligence
    access = access_from_settings(settings, (folder,), trusted=loaded.trusted)
    rows: list[Check] = []
    missing: list[str] = []
    for one in access.table:
        program = find_program(one, folder, folder, os.environ)
        if program is None:
            missing.append(one.name)
            continue
        suffixes = " ".join(sorted(one.languages))
        rows.append(Check(name="server", value=f"{one.name} for {suffixes}: {program}"))
    if rows and not (access.trusted and access.enabled):
        why = "the folder is not trusted" if access.enabled else "a setting says so"
        rows.append(Check(name="server", value=f"none of them is started: {why}"))
    return [*rows, Check(name="server", value=f"not found: {', '.join(missing) or 'none'}")]


def _state(home: Path) -> Check:
    nearest = next(place for place in (home, *home.parents) if place.exists())
    writable = os.access(nearest, os.W_OK)
    problem = "" if writable else f"{nearest} cannot be written. Set PILOTFISH_HOME to a folder."
    return Check(name="state", value=str(home), problem=problem)


def _model(loaded: LoadedSettings) -> Check:
    hub = ProviderHub(access_from(os.environ), SystemClock())
    choice = hub.choose(loaded.settings.model, "")
    problem = "" if choice.problem is None else str(choice.problem)
    return Check(name="model", value=choice.description, problem=problem)


async def _ripgrep() -> Check:
    governor = Governor(SystemClock())
    try:
        found = await asyncio.to_thread(Ripgrep(governor, environment=os.environ).locate)
        return Check(name="ripgrep", value=str(found))
    except PilotfishError as error:
        return Check(name="ripgrep", value="missing", problem=str(error))
    finally:
        await governor.close()


def _git() -> Check:
    found = shutil.which("git")
    problem = "" if found else "git is not on the PATH; the agent works, but knows no history."
    return Check(name="git", value=found or "missing", problem=problem)


def _index(home: Path, folder: Path, loaded: LoadedSettings) -> Check:
    found = look_at_index(home, folder, loaded.settings.index)
    return Check(name="index", value=found.value, problem=found.problem)


def _agents(folder: Path) -> Check:
    found = look_at_agents(folder, os.environ)
    return Check(name="agents", value=found.value, problem=found.problem)


def _processes(home: Path) -> list[Check]:
    """Return the children of all servers of this user, a line each."""
    found: list[Check] = []
    for record in read_ledgers(process_records(home)):
        server = record.server
        for child in record.children:
            if not still_runs(child):
                continue
            age_s = max(SystemClock().now_ms() / 1000 - psutil.boot_time() - child.since_boot_s, 0)
            value = f"{child.pid}, {child.purpose}, {age_s:,.0f} s: {child.label}"
            problem = (
                ""
                if record.server_lives
                else (
                    f"process {child.pid} outlived its server {server.pid}, which was killed. The next "
                    "session ends it."
                )
            )
            found.append(Check(name="process", value=value, problem=problem))
    return found


def _settings(loaded: LoadedSettings) -> Check:
    lines = [
        f"{problem.file or 'settings'}:{problem.line or 1}: {problem.text}"
        for problem in loaded.problems
    ]
    trusted = "trusted" if loaded.trusted else "not trusted"
    count = len(loaded.rules)
    return Check(
        name="settings",
        value=f"{count} {'rule' if count == 1 else 'rules'}, folder {trusted}",
        problem="\n".join(lines),
    )
