"""Bash, as commands run in it.

Owns: which bash, and the words that run a command and tell in which folder it ended.
Does not own: the environment (``tools.shell_environment``), the profile (``tools.shell_profile``).
"""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from pilotfish.core.errors import ProcessError

_SCRIPT = (
    "__pilotfish_command=$1; __pilotfish_folder_file=$2; __pilotfish_profile=$3; set --; "
    'if [ -n "$__pilotfish_profile" ]; then . "$__pilotfish_profile" >/dev/null 2>&1; fi; '
    "builtin trap 'builtin pwd -P >\"$__pilotfish_folder_file\" 2>/dev/null' EXIT; "
    'builtin eval "builtin unset __pilotfish_command __pilotfish_profile; $__pilotfish_command"'
)
"""Runs its first argument and writes the folder at the end to the file that its second one names;
the third one, when not empty, is a file to read before. The command is passed as data, so that no
quoting can break out of it."""


def find_bash(environment: Mapping[str, str]) -> str:
    """Return bash. Commands are judged by bash's grammar, so no other shell may run them. Blocking.

    Raises:
        ProcessError: There is none.
    """
    for candidate in ("/bin/bash", "/usr/bin/bash"):
        if os.access(candidate, os.X_OK):
            return candidate
    folders = environment.get("PATH", "").split(os.pathsep)
    absolute = os.pathsep.join(each for each in folders if Path(each).is_absolute())
    found = shutil.which("bash", path=absolute)
    if found is None:
        raise ProcessError("bash was not found, so commands cannot be run.", hint="Install bash.")
    return found


def bash_argv(bash: str, command: str, folder_file: Path, profile: Path | None) -> list[str]:
    """Return the call of bash for a command, after reading a profile if there is one."""
    before = "" if profile is None else str(profile)
    return [bash, "-c", _SCRIPT, "bash", command, str(folder_file), before]
