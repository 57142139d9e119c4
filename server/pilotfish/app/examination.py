"""What Pilotfish needs, looked at.

Owns: the checks of ``pilotfish doctor`` and of the report in the editor. Nothing is started but
ripgrep's version, nothing is changed.
Does not own: showing them.
"""

import asyncio
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import psutil

from pilotfish import __version__
from pilotfish.app.agents import look_at_agents
from pilotfish.app.index_check import look_at_index
from pilotfish.app.skills import look_at_skills
from pilotfish.codeintel.servers.detect import find_program
from pilotfish.codeintel.servers.pool import ServerRow
from pilotfish.config.schema import LoadedSettings
from pilotfish.core.errors import PilotfishError
from pilotfish.session.code_servers import access_from
from pilotfish.session.health import Check
from pilotfish.session.providers import ProviderHub
from pilotfish.util.clock import SystemClock
from pilotfish.util.records import dataclass
from pilotfish.workspace.process import Governor
from pilotfish.workspace.process_ledger import process_records, read_ledgers, still_runs
from pilotfish.workspace.search_program import SearchProgram


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What is looked at."""

    home: Path
    """Pilotfish's own folder."""
    folder: Path
    """The project."""
    environment: Mapping[str, str]
    loaded: LoadedSettings
    """The settings as they count for the folder."""
    providers: ProviderHub
    servers: Sequence[ServerRow] = ()
    """The language servers of this process."""
    search: SearchProgram | None = None
    """What this process searches with; None where it does not search."""


async def examine(around: Surroundings) -> tuple[Check, ...]:
    """Return what was found; of ``server`` and ``process`` there may be several."""
    home, folder, loaded = around.home, around.folder, around.loaded
    return (
        Check(name="version", value=__version__),
        Check(name="python", value=sys.version.split()[0]),
        _state(home),
        _model(around),
        await _ripgrep(around),
        _git(),
        _settings(loaded),
        await asyncio.to_thread(_agents, around),
        await asyncio.to_thread(_skills, around),
        await asyncio.to_thread(_index, home, folder, loaded),
        *await asyncio.to_thread(_servers, around),
        *await asyncio.to_thread(_own_servers, around),
        *await asyncio.to_thread(_processes, home),
    )


def _servers(around: Surroundings) -> list[Check]:
    """Return the language servers that a session here would use; nothing is started."""
    loaded, folder = around.loaded, around.folder
    settings = loaded.settings.code_intelligence
    access = access_from(settings, (folder,), trusted=loaded.trusted)
    places = access.places(around.environment)
    rows: list[Check] = []
    missing: list[str] = []
    for one in access.table:
        program = find_program(one, folder, folder, places)
        if program is None:
            missing.append(one.name)
            continue
        suffixes = " ".join(sorted(one.languages))
        rows.append(Check(name="server", value=f"{one.name} for {suffixes}: {program}"))
    if rows and not (access.trusted and access.enabled):
        why = "the folder is not trusted" if access.enabled else "a setting says so"
        rows.append(Check(name="server", value=f"none of them is started: {why}"))
    return [*rows, Check(name="server", value=f"not found: {', '.join(missing) or 'none'}")]


def _own_servers(around: Surroundings) -> list[Check]:
    """Return the language servers that this process has started for the folder."""
    folder = around.folder.resolve()
    rows = sorted(around.servers, key=lambda row: (row.name, row.root))
    near = (row for row in rows if row.root.is_relative_to(folder))
    return [found for row in near if (found := _own_server(row)) is not None]


def _own_server(row: ServerRow) -> Check | None:
    match row.state:
        case "starting":
            return Check(name="server", value=f"{row.name} is starting for {row.root}")
        case "running":
            documents = f"documents open: {row.documents}"
            if row.working_on:
                documents = f"documents open: {row.documents}; busy with: {row.working_on}"
            value = f"{row.name} {row.version} runs for {row.root}; {documents}"
            return Check(name="server", value=value)
        case "stopped" if row.problem:
            value = f"{row.name} does not run for {row.root}"
            return Check(name="server", value=value, problem=row.problem)
        case "stopped":
            return None


def _state(home: Path) -> Check:
    nearest = next(place for place in (home, *home.parents) if place.exists())
    writable = os.access(nearest, os.W_OK)
    problem = "" if writable else f"{nearest} cannot be written. Set PILOTFISH_HOME to a folder."
    return Check(name="state", value=str(home), problem=problem)


def _model(around: Surroundings) -> Check:
    choice = around.providers.choose(around.loaded.settings.model, "")
    problem = "" if choice.problem is None else str(choice.problem)
    return Check(name="model", value=choice.description, problem=problem)


async def _ripgrep(around: Surroundings) -> Check:
    governor = Governor(SystemClock())
    program = around.search or SearchProgram(governor, around.environment)
    try:
        found = await program.find()
        value = str(found)
        if program.is_editors:
            value = f"{found}, the editor's own"
        elif program.refusal:
            value = f"{found}; the editor's own is not taken: {program.refusal}"
        return Check(name="ripgrep", value=value)
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


def _agents(around: Surroundings) -> Check:
    found = look_at_agents(around.folder, around.environment)
    return Check(name="agents", value=found.value, problem=found.problem)


def _skills(around: Surroundings) -> Check:
    found = look_at_skills(around.folder, around.environment)
    return Check(name="skills", value=found.value, problem=found.problem)


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
    count = len(loaded.rules)
    rules = f"{count} rule" if count == 1 else f"{count} rules"
    trusted = f"{rules}, folder trusted" if loaded.trusted else f"{rules}, folder not trusted"
    return Check(name="settings", value=trusted, problem="\n".join(lines))
