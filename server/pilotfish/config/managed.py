"""The settings that an administrator puts on a machine.

Owns: where they lie, and the check that nobody but the administrator can have written them.
Does not own: what they mean (``merge``).
"""

import os
import stat
import sys
from pathlib import Path

ROOT_UID = 0

_PLACES = {
    "darwin": "/Library/Application Support/Pilotfish/managed-settings.json",
    # Unlike ProgramData, users cannot make files there.
    "win32": r"C:\Program Files\Pilotfish\managed-settings.json",
}
_PLACE = "/etc/pilotfish/managed-settings.json"


def managed_settings_file(platform: str) -> Path:
    """Return where the managed settings lie on a platform (``sys.platform``)."""
    return Path(_PLACES.get(platform, _PLACE))


def why_not_managed(file: Path, owner_uid: int = ROOT_UID) -> str:
    """Say why a file cannot count as the administrator's; empty when it can, or does not exist.

    Touches the disk and blocks. On Windows the folder's own access list is the protection.
    """
    if sys.platform == "win32":
        return ""
    real = Path(os.path.realpath(file))
    for place in (real, real.parent):
        try:
            found = place.stat()
        except FileNotFoundError:
            return ""
        except OSError as error:
            return f"{place} cannot be looked at: {error.strerror or error}"
        if found.st_uid != owner_uid:
            return f"{place} does not belong to the administrator"
        if stat.S_IMODE(found.st_mode) & (stat.S_IWGRP | stat.S_IWOTH):
            return f"others than the administrator may write {place}"
    return ""
