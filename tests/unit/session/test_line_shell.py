"""Which shell runs the status line's command."""

import pytest
from pilotfish.core.errors import ProcessError
from pilotfish.session.line_shell import line_shell, windows_argv

POWERSHELL = r"C:\Windows\System32\WindowsPowerShell\v1.0\powershell.exe"


async def test_elsewhere_than_on_windows_it_is_the_systems_own() -> None:
    for platform in ("linux", "darwin"):
        assert await line_shell({}, platform, POWERSHELL)("date") == ["/bin/sh", "-c", "date"]


def test_on_windows_it_is_that_of_git() -> None:
    bash = r"C:\Program Files\Git\bin\bash.exe"
    assert windows_argv("date", bash, POWERSHELL) == [bash, "-c", "date"]


async def test_on_windows_without_git_it_is_powershell() -> None:
    program, *options, command = await line_shell({}, "win32", POWERSHELL)("date")
    assert (program, options[-1], command) == (POWERSHELL, "-Command", "date")
    assert "-NoProfile" in options


async def test_where_there_is_no_shell_it_says_so() -> None:
    with pytest.raises(ProcessError, match="Install Git for Windows"):
        await line_shell({}, "win32", None)("date")
