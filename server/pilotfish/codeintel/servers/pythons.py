"""Where the Python of a project is.

Owns: looking for its environment: what the user names, what lies in the project, what is active, what pipenv
keeps for it; how programs are told of it. Everything here blocks: call it in a thread.
Does not own: what is looked for there (``detect``).

Nothing is run. Who keeps environments elsewhere and says so only when asked (poetry, conda by name) is
found where one is active, or where the user names it.
"""

import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import field
from itertools import islice
from pathlib import Path

from pilotfish.util.records import dataclass
from pilotfish.util.regular_file import open_regular

_VENVS = (".venv", "venv", ".conda")
"""Folders of a project that hold its environment; the last is the one that VS Code makes with conda."""

_SCRIPTS = "Scripts" if os.name == "nt" else "bin"

_PYTHON = "python.exe" if os.name == "nt" else "python"

_ACTIVE = frozenset({"VIRTUAL_ENV", "CONDA_PREFIX", "CONDA_DEFAULT_ENV"})
"""Variables that say which environment is active."""

MAX_PIPENVS = 500
"""Environments of pipenv that are looked at; nobody works on more projects."""

MAX_PROJECT_BYTES = 10_000
"""How much is read of a file that names a project: it holds a path."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ProgramPlaces:
    """What tells where programs are, besides the project."""

    environment: Mapping[str, str]
    """The variables of the process."""
    python: str = ""
    """What the user has named: an interpreter, or the folder of its environment; empty for nothing."""
    python_by_folder: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same for single folders of the workspace, by their paths; goes before ``python``."""

    def python_of(self, root: Path, workspace: Path) -> str:
        """Return what is named for a project's folder, or for the innermost one around it."""
        named = {
            real: python
            for folder, python in self.python_by_folder.items()
            if (real := _real(workspace, folder)) is not None
        }
        around = next((one for one in (root, *root.parents) if one in named), None)
        return self.python if around is None else named[around]


def find_python(root: Path, workspace: Path, around: ProgramPlaces) -> Path | None:
    """Return the interpreter of the project's environment, if it has one."""
    named = _named(root, workspace, around)
    if named is not None and named.is_file():
        return runnable(named)
    for folder in program_folders(root, workspace, around):
        found = runnable(folder / _PYTHON)
        if found is not None:
            return found
    return None


def program_folders(root: Path, workspace: Path, around: ProgramPlaces) -> Iterator[Path]:
    """Yield the folders where programs of the project's environment may be, likely ones first."""
    named = _named(root, workspace, around)
    if named is not None:
        yield from [named.parent] if named.is_file() else _programs_of(named)
    for folder in upwards(root, workspace):
        for name in _VENVS:
            yield from _programs_of(folder / name)
    environment = around.environment
    for active in (environment.get("VIRTUAL_ENV", ""), _conda(environment)):
        if Path(active).is_absolute():
            yield from _programs_of(Path(active))
    for folder in upwards(root, workspace):
        if (folder / "Pipfile").is_file():
            for venv in _pipenvs(folder, environment):
                yield from _programs_of(venv)


def variables_with(python: Path | None, environment: Mapping[str, str]) -> dict[str, str]:
    """Return variables in which the environment of an interpreter is the active one: servers look there."""
    if python is None:
        return dict(environment)
    prefix = python.parent.parent if python.parent.name == _SCRIPTS else python.parent
    if (prefix / "pyvenv.cfg").is_file():
        active = {"VIRTUAL_ENV": str(prefix)}
    elif (prefix / "conda-meta").is_dir():
        active = {"CONDA_PREFIX": str(prefix), "CONDA_DEFAULT_ENV": prefix.name}
    else:
        active = dict[str, str]()
    return {name: text for name, text in environment.items() if name not in _ACTIVE} | active


def upwards(folder: Path, last: Path) -> Iterator[Path]:
    """Yield a folder and those above it, up to ``last``."""
    for one in (folder, *folder.parents):
        if one.is_relative_to(last):
            yield one


def runnable(path: Path) -> Path | None:
    """Return a program as the system finds it; None where there is none."""
    found = shutil.which(str(path))
    return None if found is None else Path(found)


def _named(root: Path, workspace: Path, around: ProgramPlaces) -> Path | None:
    python = around.python_of(root, workspace)
    return workspace / _from_home(python) if python else None


def _real(workspace: Path, folder: str) -> Path | None:
    """Return where a folder lies that somebody has named; None for what can be no folder's name."""
    try:
        return (workspace / _from_home(folder)).resolve()
    except (OSError, RuntimeError, ValueError):  # a circle of links, a NUL
        return None


def _from_home(path: str) -> str:
    """Return a path with ``~`` replaced; that of a user who does not exist stays as it is, and names nothing."""
    return os.path.expanduser(path)  # noqa: PTH111 - Path's own raises for such a user


def _programs_of(venv: Path) -> Iterator[Path]:
    yield venv / _SCRIPTS
    if os.name == "nt":
        yield venv  # where conda puts the interpreter


def _conda(environment: Mapping[str, str]) -> str:
    """Return the active environment of conda; the one that is always active belongs to no project."""
    is_base = environment.get("CONDA_DEFAULT_ENV") in {"base", "root"}
    return "" if is_base else environment.get("CONDA_PREFIX", "")


def _pipenvs(project: Path, environment: Mapping[str, str]) -> Iterator[Path]:
    """Yield the environments that pipenv keeps for a project: each holds a file that names its own."""
    for mark in islice(_pipenv_home(environment).glob("*/.project"), MAX_PIPENVS):
        try:
            with open_regular(mark) as stream:
                named = Path(os.fsdecode(stream.read(MAX_PROJECT_BYTES)).strip())
            if named.is_absolute() and named.resolve() == project:
                yield mark.parent
        except (OSError, ValueError):
            continue


def _pipenv_home(environment: Mapping[str, str]) -> Path:
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or "/")
    chosen = environment.get("WORKON_HOME", "")
    if chosen:
        # As pipenv has it: a relative one begins in the user's home.
        return home / Path(chosen.replace("~", str(home), 1) if chosen.startswith("~") else chosen)
    if os.name == "nt":
        return home / ".virtualenvs"
    data = environment.get("XDG_DATA_HOME") or str(home / ".local" / "share")
    return Path(data) / "virtualenvs"
