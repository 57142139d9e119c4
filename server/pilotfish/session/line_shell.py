"""The shell of the status line's command.

Owns: which shell a user's own command runs in, on each platform.
See also: ``session.status_line``.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from pilotfish.core.errors import ProcessError
from pilotfish.tools.bash_shell import find_bash

LineShell = Callable[[str], Awaitable[list[str]]]
"""Returns what runs a command.

Raises:
    ProcessError: There is no shell for it.
"""


def line_shell(environment: Mapping[str, str], platform: str, powershell: str | None) -> LineShell:
    """Return the shell of a platform (``sys.platform``): on Windows that of Git, else PowerShell."""

    async def shell(command: str) -> list[str]:
        if platform != "win32":
            return ["/bin/sh", "-c", command]
        try:
            bash = await asyncio.to_thread(find_bash, environment, platform)
        except ProcessError:
            if powershell is None:
                raise
            bash = None
        return windows_argv(command, bash, powershell or "")

    return shell


def windows_argv(command: str, bash: str | None, powershell: str) -> list[str]:
    """Return what runs a command on Windows."""
    if bash is not None:
        return [bash, "-c", command]
    return [powershell, "-NoLogo", "-NoProfile", "-NonInteractive", "-Command", command]
