"""What Glob and Grep make sure of before they search. Blocking."""

from pathlib import Path

from pilotfish.tooling.spec import ToolInputError
from pilotfish.workspace.lookalikes import missing_file


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
