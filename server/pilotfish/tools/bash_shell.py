"""The shell that commands run in.

Owns: which shell, its environment, and how the folder at the end of a command is learnt.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Mapping
from pathlib import Path

from pilotfish.core.errors import ProcessError

SECRET_VARIABLES = frozenset(
    {
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "ANTHROPIC_CUSTOM_HEADERS",
        "ANTHROPIC_FOUNDRY_API_KEY",
        "AWS_BEARER_TOKEN_BEDROCK",
        "OPENAI_API_KEY",
    }
)
"""The server's own keys to models. The user's other variables (for AWS, GitHub ...) stay: commands
that the user runs every day need them."""

_HOST_PREFIXES = ("PILOTFISH_", "ELECTRON_", "VSCODE_")
"""Variables of the editor's and our own processes, which confuse programs started by commands."""

_ALWAYS = {
    "GIT_EDITOR": "true",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "PAGER": "cat",
    "PILOTFISH": "1",
    "TERM": "dumb",
}
"""Nothing may open an editor or a pager or ask for a password: nobody could answer."""

MAX_FOLDER_BYTES = 65_536
"""Longest path that is taken for the folder at the end of a command."""

_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

_SCRIPT = (
    "__pilotfish_command=$1; __pilotfish_folder_file=$2; __pilotfish_profile=$3; set --; "
    'if [ -n "$__pilotfish_profile" ]; then . "$__pilotfish_profile" >/dev/null 2>&1; fi; '
    "builtin trap 'builtin pwd -P >\"$__pilotfish_folder_file\" 2>/dev/null' EXIT; "
    'builtin eval "builtin unset __pilotfish_command __pilotfish_profile; $__pilotfish_command"'
)
"""Runs its first argument and writes the folder at the end to the file that its second one names;
the third one, when not empty, is a file to read before. The command is passed as data, so that no
quoting can break out of it."""


def shell_environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of commands: what is inherited, without secrets and surprises."""
    kept = {
        name: value
        for name, value in inherited.items()
        if not is_secret(name, value) and not name.startswith(_HOST_PREFIXES)
    }
    return {"PATH": _DEFAULT_PATH, **kept, **_ALWAYS}


def is_secret(name: str, value: str) -> bool:
    """Tell whether a variable holds a key of the server's own, or an address with a password."""
    return name in SECRET_VARIABLES or (name.startswith("ANTHROPIC_") and "@" in value)


def find_shell(environment: Mapping[str, str]) -> str:
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


class FolderFile:
    """A side file by which a command tells in which folder it ended."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def argv(self, shell: str, command: str, profile: Path | None) -> list[str]:
        """Return the call of the shell for a command, after reading a profile if there is one."""
        before = "" if profile is None else str(profile)
        return [shell, "-c", _SCRIPT, "bash", command, str(self._path), before]

    def take(self) -> Path | None:
        """Return the folder and remove the file; None when the command told none. Blocking."""
        try:
            # The command knows the file and may have left anything there: a pipe, a link, a flood.
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            with os.fdopen(os.open(self._path, flags), "rb") as file:
                is_file = stat.S_ISREG(os.fstat(file.fileno()).st_mode)
                written = file.read(MAX_FOLDER_BYTES) if is_file else b""
        except FileNotFoundError:
            return None
        except OSError:
            written = b""
        with contextlib.suppress(OSError):  # a folder in its place may stay
            self._path.unlink(missing_ok=True)
        folder = Path(os.fsdecode(written.removesuffix(b"\n")))
        return folder if folder.is_absolute() and folder.is_dir() else None
