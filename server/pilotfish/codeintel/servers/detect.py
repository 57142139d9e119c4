"""Where a language server's root and program are.

Owns: looking on the disk. Everything here blocks: call it in a thread.
Does not own: where environments of Python are (``pythons``), whether anything may be started (``pool``): in an untrusted workspace nothing is asked.
"""

import os
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from pilotfish.codeintel.servers.pythons import (
    ProgramPlaces,
    program_folders,
    runnable,
    upwards,
)
from pilotfish.codeintel.servers.registry import ServerDefinition, definitions_for
from pilotfish.util.records import dataclass
from pilotfish.util.regular_file import open_regular

MAX_CONFIG_BYTES = 1 << 20
"""How much of a project file is searched for a section."""

Key = tuple[str, Path, Path, str]
"""Name, program, root and variant of a server."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Found:
    """A server that can be started for a file."""

    definition: ServerDefinition
    root: Path
    program: Path

    @property
    def key(self) -> Key:
        """What makes two the same running server."""
        return self.definition.name, self.program, self.root, self.definition.variant


def find_servers(
    path: Path,
    roots: Sequence[Path],
    table: Iterable[ServerDefinition],
    around: ProgramPlaces,
) -> tuple[Found, ...]:
    """Return the servers for a file: of each group the first whose program is there.

    Files outside the workspace have none.
    """
    workspace = workspace_of(path, roots)
    if workspace is None:
        return ()
    found: list[Found] = []
    for group in definitions_for(path, table).values():
        for definition in group:
            root = find_root(path, workspace, definition)
            program = find_program(definition, root, workspace, around)
            if program is not None and _is_wanted(definition, root):
                fitted = _with_python(definition, around.python_of(root, workspace))
                found.append(Found(definition=fitted, root=root, program=program))
                break
    return tuple(found)


def _with_python(definition: ServerDefinition, python: str) -> ServerDefinition:
    """Have a server of Python started anew where another Python is named."""
    if definition.home != "python" or not python:
        return definition
    return replace(definition, variant=f"{definition.variant} with {python}".strip())


def workspace_of(path: Path, roots: Sequence[Path]) -> Path | None:
    """Return the innermost workspace folder that holds a file."""
    holding = [root for root in roots if path.is_relative_to(root)]
    return max(holding, key=lambda root: len(root.parts), default=None)


def find_root(path: Path, workspace: Path, definition: ServerDefinition) -> Path:
    """Return the nearest marked folder above a file, within the workspace's folder."""
    for names in definition.root_markers:
        for folder in upwards(path.parent, workspace):
            if any((folder / name).is_file() for name in names):
                return folder
    return workspace


def find_program(
    definition: ServerDefinition, root: Path, workspace: Path, around: ProgramPlaces
) -> Path | None:
    """Return the program: from the project first, then from the PATH; None when there is none."""
    name = definition.argv[0]
    if os.sep in name or Path(name).is_absolute():
        return runnable(workspace / Path(name).expanduser())
    for folder in _homes(definition, root, workspace, around):
        found = runnable(folder / name)
        if found is not None:
            return found
    # An entry that is not absolute would mean another program in each folder.
    entries = around.environment.get("PATH", "").split(os.pathsep)
    path = os.pathsep.join(entry for entry in entries if Path(entry).is_absolute())
    on_path = shutil.which(name, path=path) if path else None
    return None if on_path is None else Path(on_path)


def _homes(
    definition: ServerDefinition, root: Path, workspace: Path, around: ProgramPlaces
) -> Iterator[Path]:
    match definition.home:
        case "python":
            yield from program_folders(root, workspace, around)
        case "node":
            yield from (one / "node_modules" / ".bin" for one in upwards(root, workspace))
        case "path":
            return


def _is_wanted(definition: ServerDefinition, root: Path) -> bool:
    if not definition.needs:
        return True
    return any(_holds(root / name, text) for name, text in definition.needs)


def _holds(file: Path, text: str) -> bool:
    try:
        if not text:
            return file.is_file()
        with open_regular(file) as stream:
            return text.encode() in stream.read(MAX_CONFIG_BYTES)
    except OSError:
        return False
