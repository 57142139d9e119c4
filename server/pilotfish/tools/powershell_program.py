"""PowerShell, as commands run in it.

Owns: which PowerShell, and the words that run a command and tell in which folder it ended.
Does not own: the environment (``tools.shell_environment``), when it is offered (``session``).

The call is the same for every command: a constant script, encoded in the way that PowerShell's own
option takes it, so that nothing of a command passes through anybody's quoting. The command and the
name of the folder's file come in environment variables, which the script removes first. No profile
is read, and the execution policy, which is about files, stays as it is.
"""

import base64
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath

COMMAND_VARIABLE = "PILOTFISH_RUN_COMMAND"
FOLDER_VARIABLE = "PILOTFISH_RUN_FOLDER"

MAX_COMMAND_CHARS = 32_000
"""Longest command: a variable of Windows' environment holds 32,767 characters."""

SCRIPT = f"""
$ProgressPreference = 'SilentlyContinue'
try {{ [Console]::OutputEncoding = $OutputEncoding = New-Object System.Text.UTF8Encoding $false }} catch {{ }}
$__pilotfish = @{{ command = $env:{COMMAND_VARIABLE}; folder = $env:{FOLDER_VARIABLE}; code = 1; ok = $false }}
Remove-Item Env:{COMMAND_VARIABLE}, Env:{FOLDER_VARIABLE}
try {{
    . ([scriptblock]::Create($__pilotfish.command + "`n`n`$__pilotfish.ok = `$?")) | Out-Default
    if ($__pilotfish.ok) {{ $__pilotfish.code = 0 }}
    elseif ($LASTEXITCODE) {{ $__pilotfish.code = $LASTEXITCODE }}
}} catch {{
    [Console]::Error.WriteLine(($_ | Out-String).TrimEnd())
}} finally {{
    try {{ [IO.File]::WriteAllText($__pilotfish.folder, (Get-Location -PSProvider FileSystem).ProviderPath) }} catch {{ }}
}}
exit $__pilotfish.code
"""
"""Runs the command in its own scope, so that it may say anything, ``exit`` included. The exit code is
the last command's, as in other shells; PowerShell's own would be 1 for all failures."""


def powershell_argv(program: str) -> list[str]:
    """Return the call of PowerShell; ``command_variables`` tells it what to run."""
    encoded = base64.b64encode(SCRIPT.encode("utf-16-le")).decode("ascii")
    return [
        program,
        "-NoLogo",
        "-NoProfile",
        "-NonInteractive",
        # An encoded call would print errors and progress as XML otherwise.
        "-OutputFormat",
        "Text",
        "-EncodedCommand",
        encoded,
    ]


def command_variables(command: str, folder_file: PurePath) -> dict[str, str]:
    """Return the environment variables that tell the script what to run."""
    return {COMMAND_VARIABLE: command, FOLDER_VARIABLE: str(folder_file)}


def find_powershell(environment: Mapping[str, str], platform: str) -> str | None:
    """Return PowerShell, the newer one if there are two; None when there is none. Blocking."""
    for candidate in powershell_candidates(environment, platform):
        if Path(candidate).is_file() and os.access(candidate, os.X_OK):
            return str(candidate)
    return None


def powershell_candidates(environment: Mapping[str, str], platform: str) -> Iterator[PurePath]:
    """Yield where PowerShell may be on a platform (``sys.platform``), best first.

    Relative folders of the search path do not count, and neither does the current folder: both would
    let a project bring its own.
    """
    is_windows = platform == "win32"
    flavour = PureWindowsPath if is_windows else PurePosixPath
    folders = environment.get("PATH", "").split(";" if is_windows else ":")
    for folder in map(flavour, filter(None, folders)):
        if folder.is_absolute():
            yield folder / ("pwsh.exe" if is_windows else "pwsh")
    root = flavour(environment.get("SYSTEMROOT", "C:\\Windows"))
    if is_windows and root.is_absolute():
        yield root / "System32" / "WindowsPowerShell" / "v1.0" / "powershell.exe"
