"""Where Pilotfish keeps its state.

Owns: reading ``PILOTFISH_HOME``. Does not own: the layout below it (design 00 §11).
"""

from collections.abc import Mapping
from pathlib import Path

from pilotfish.core.errors import SettingsError

HOME_VARIABLE = "PILOTFISH_HOME"
"""Environment variable that moves the state folder; must be an absolute path."""

FOLDER_NAME = ".pilotfish"
"""Name of the state folder in the user's home and of the settings folder in a project."""


def user_home(environment: Mapping[str, str]) -> Path:
    """Return the user's home folder.

    Raises:
        SettingsError: The environment does not say where it is.
    """
    value = environment.get("HOME") or environment.get("USERPROFILE")
    if not value or not Path(value).is_absolute():
        raise SettingsError(
            "The home folder is not known.", hint="Set HOME (or USERPROFILE) to an absolute path."
        )
    return Path(value)


def state_folder(environment: Mapping[str, str]) -> Path:
    """Return the state folder: ``PILOTFISH_HOME``, else ``.pilotfish`` in the user's home.

    Raises:
        SettingsError: ``PILOTFISH_HOME`` is relative, or there is no home folder.
    """
    chosen = environment.get(HOME_VARIABLE)
    if not chosen:
        return user_home(environment) / FOLDER_NAME
    if not Path(chosen).is_absolute():
        raise SettingsError(
            f"{HOME_VARIABLE} is {chosen!r}, which is not an absolute path.",
            hint="Give the whole path, or unset it.",
        )
    return Path(chosen)
