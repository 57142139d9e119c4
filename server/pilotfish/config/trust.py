"""Which projects the user vouches for.

Owns: ``trusted-projects.json`` in the state folder: canonical path → when (milliseconds).
Does not own: the editor's own workspace trust, which the edge passes in and which wins.
All methods touch the disk and block.
"""

from pathlib import Path

from pilotfish.config.files import locked, read_object, write_object
from pilotfish.core.errors import SettingsError

FILE_NAME = "trusted-projects.json"


def trust_file(home: Path) -> Path:
    """Return the file of the list in the state folder."""
    return home / FILE_NAME


class TrustStore:
    """The user's list of trusted projects."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._file = trust_file(home)

    def is_trusted(self, root: Path) -> bool:
        """Tell whether the folder itself is on the list. A broken list trusts nothing."""
        try:
            return str(root.resolve()) in read_object(self._file)
        except SettingsError:
            return False

    def trust(self, root: Path, *, now_ms: int) -> None:
        """Put a folder on the list.

        Raises:
            SettingsError: The list is broken or cannot be written.
        """
        with locked(self._file, self._home):
            known = read_object(self._file)
            known.setdefault(str(root.resolve()), now_ms)
            write_object(self._file, known)

    def forget(self, root: Path) -> None:
        """Take a folder off the list.

        Raises:
            SettingsError: The list is broken or cannot be written.
        """
        with locked(self._file, self._home):
            known = read_object(self._file)
            if known.pop(str(root.resolve()), None) is not None:
                write_object(self._file, known)
