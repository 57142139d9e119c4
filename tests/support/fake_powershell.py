"""A stand-in for ``pwsh``, for what lies around it: arguments, environment, folders, ends.

It checks its call, then has bash run the command in its place: what PowerShell itself makes of a
command is not tested by it. That needs a machine with PowerShell.
"""

import base64
import os
import subprocess
import sys
from pathlib import Path

from pilotfish.tools.powershell_program import COMMAND_VARIABLE, FOLDER_VARIABLE, SCRIPT

EXPECTED_OPTIONS = ["-NoLogo", "-NoProfile", "-NonInteractive", "-OutputFormat", "Text"]

BAD_CALL = 90
"""Exit code for a call that PowerShell would not understand."""


def install_fake_powershell(folder: Path) -> str:
    """Put an executable ``pwsh`` into a folder; returns its path."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "pwsh"
    paths = os.pathsep.join(path for path in sys.path if path)
    file.write_text(
        f'#!/bin/sh\nPYTHONPATH="{paths}" exec "{sys.executable}" -m {__name__} "$@"\n',
        encoding="utf-8",
    )
    file.chmod(0o755)
    return str(file)


def main(arguments: list[str]) -> int:
    """Run one command as the script would."""
    *options, name, encoded = arguments
    if options != EXPECTED_OPTIONS or name != "-EncodedCommand":
        sys.stderr.write(f"unexpected arguments: {arguments}\n")
        return BAD_CALL
    if base64.b64decode(encoded).decode("utf-16-le") != SCRIPT:
        sys.stderr.write("unexpected script\n")
        return BAD_CALL
    command, folder_file = os.environ.pop(COMMAND_VARIABLE), os.environ.pop(FOLDER_VARIABLE)
    os.environ.pop("PYTHONPATH")
    trap = 'trap \'pwd -P >"$0"\' EXIT; eval "$1"'
    return subprocess.run(["/bin/bash", "-c", trap, folder_file, command], check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
