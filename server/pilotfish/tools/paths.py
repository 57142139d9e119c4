"""Paths as the model gives them.

Owns: turning them into absolute paths, and absolute paths into short ones for people and the model.
"""

import os
from pathlib import Path

from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.spec import ToolInputError


def absolute_path(given: str, ctx: ToolContext) -> Path:
    """Return the absolute path of what the model gave; relative ones start at the agent's folder.

    Symlinks are not resolved, and nothing is looked up on disk.

    Raises:
        ToolInputError: It is no path that may be touched at all.
    """
    if not given.strip():
        raise ToolInputError("The path is empty. Give the path of a file.")
    if "\0" in given:
        raise ToolInputError("The path holds a NUL character. Give a plain path.")
    if given.startswith(("\\\\", "//")):
        # Opening one makes Windows send the user's credentials to the named host.
        raise ToolInputError(f"{given} is a network (UNC) path. Use a local path.")
    path = Path(given)
    if given.startswith("~"):
        try:
            path = path.expanduser()
        except RuntimeError as error:
            raise ToolInputError(f"{given}: {error} Give an absolute path.") from error
    return Path(os.path.normpath(ctx.cwd / path))


def project_path(path: Path, ctx: ToolContext) -> str:
    """Return a path relative to the project's root for titles; absolute when outside."""
    return _relative(path, ctx.roots[0])


def short_path(path: Path, ctx: ToolContext) -> str:
    """Return a path relative to the agent's folder for results; absolute when outside."""
    return _relative(path, ctx.cwd)


def _relative(path: Path, base: Path) -> str:
    return str(path.relative_to(base)) if path.is_relative_to(base) else str(path)
