"""Bash, as commands run in it.

Owns: which bash, and the words that run a command and tell in which folder it ended.
Does not own: the environment (``tools.shell_environment``), the profile (``tools.shell_profile``).
"""

import os
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

from pilotfish.core.errors import ProcessError

_SCRIPT = (
    "__pilotfish_command=$1; __pilotfish_folder_file=$2; __pilotfish_profile=$3; set --; "
    'if [ -n "$__pilotfish_profile" ]; then . "$__pilotfish_profile" >/dev/null 2>&1; fi; '
    "builtin trap 'builtin pwd PWD_OPTION >\"$__pilotfish_folder_file\" 2>/dev/null' EXIT; "
    'builtin eval "builtin unset __pilotfish_command __pilotfish_profile; $__pilotfish_command"'
)
"""Runs its first argument and writes the folder at the end to the file that its second one names;
the third one, when not empty, is a file to read before. The command is passed as data, so that no
quoting can break out of it."""


def find_bash(environment: Mapping[str, str], platform: str = sys.platform) -> str:
    """Return bash. Commands are judged by bash's grammar, so no other shell may run them. Blocking.

    Raises:
        ProcessError: There is none.
    """
    for candidate in bash_candidates(environment, platform):
        if Path(candidate).is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    hint = "Install Git for Windows." if platform == "win32" else "Install bash."
    raise ProcessError("bash was not found, so commands cannot be run.", hint=hint)


def bash_candidates(environment: Mapping[str, str], platform: str) -> Iterator[PurePath]:
    """Yield where bash may be on a platform (``sys.platform``), best first.

    Relative folders of the search path do not count: a project could bring its own. On Windows it is the
    one of Git; that of the system's own folder is the door to another system with other paths.
    """
    if platform != "win32":
        yield PurePosixPath("/bin/bash")
        yield PurePosixPath("/usr/bin/bash")
        for folder in map(PurePosixPath, environment.get("PATH", "").split(":")):
            if folder.is_absolute():
                yield folder / "bash"
        return
    for name in ("PROGRAMFILES", "PROGRAMW6432", "LOCALAPPDATA"):
        root = PureWindowsPath(environment.get(name, ""))
        if root.is_absolute():
            below = root / "Programs" if name == "LOCALAPPDATA" else root
            yield below / "Git" / "bin" / "bash.exe"
    system = PureWindowsPath(environment.get("SYSTEMROOT", "C:\\Windows"))
    for folder in map(PureWindowsPath, filter(None, environment.get("PATH", "").split(";"))):
        if folder.is_absolute() and not folder.is_relative_to(system):
            yield folder / "bash.exe"


def bash_argv(
    bash: str,
    command: str,
    folder_file: Path,
    profile: Path | None,
    platform: str = sys.platform,
) -> list[str]:
    """Return the call of bash for a command, after reading a profile if there is one.

    Git's bash on Windows tells a folder as Windows names it when asked to.
    """
    before = "" if profile is None else str(profile)
    script = _SCRIPT.replace("PWD_OPTION", "-W" if platform == "win32" else "-P")
    return [bash, "-c", script, "bash", command, str(folder_file), before]
