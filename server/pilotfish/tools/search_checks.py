"""What Glob and Grep make sure of before they search, and what of the result they may show. Blocking."""

from dataclasses import replace
from pathlib import Path

from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.spec import ToolInputError
from pilotfish.workspace.lookalikes import missing_file
from pilotfish.workspace.search import FileList, GrepResult


def check_exists(path: Path, cwd: Path) -> None:
    """Make sure that a file or folder exists.

    Raises:
        ToolInputError: It does not.
    """
    try:
        exists = path.exists()
    except OSError as error:
        raise ToolInputError(f"{path} cannot be looked up: {error.strerror}.") from error
    if not exists:
        raise ToolInputError(" ".join(missing_file(path, cwd)))


def check_folder(path: Path, cwd: Path) -> None:
    """Make sure that a folder exists.

    Raises:
        ToolInputError: It does not, or it is a file.
    """
    check_exists(path, cwd)
    if not path.is_dir():
        raise ToolInputError(f"{path} is a file. Give the folder to search in.")


def shown_files(found: FileList, ctx: ToolContext) -> tuple[FileList, int]:
    """Return the list without the files that may not be shown, and how many those are."""
    hidden = ctx.hidden_files(found.files)
    files = tuple(path for path in found.files if path not in hidden)
    return replace(found, files=files), len(hidden)


def shown_matches(found: GrepResult, ctx: ToolContext) -> tuple[GrepResult, int]:
    """Return the matches without those in files that may not be shown, and how many those are."""
    hidden = ctx.hidden_files(
        [*found.files, *(path for path, _ in found.counts), *found.hits.paths]
    )
    if not hidden:
        return found, 0
    shown = replace(
        found,
        files=tuple(path for path in found.files if path not in hidden),
        counts=tuple(entry for entry in found.counts if entry[0] not in hidden),
        hits=found.hits.without(hidden),
    )
    return shown, len(hidden)


def hidden_note(count: int) -> str:
    """Return the sentence that tells of files left out; empty when there are none."""
    if not count:
        return ""
    if count == 1:
        return "1 file is left out: a deny rule for Read hides it."
    return f"{count} files are left out: deny rules for Read hide them."
