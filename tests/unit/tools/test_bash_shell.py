"""Which bash runs commands, and how it is called; Windows as data only (it is not run here)."""

from pathlib import Path

import pytest
from pilotfish.core.errors import ProcessError
from pilotfish.tools.bash_shell import bash_argv, bash_candidates, find_bash


def test_on_windows_it_is_the_one_of_git_and_never_that_of_the_system() -> None:
    environment = {
        "PROGRAMFILES": r"C:\Program Files",
        "LOCALAPPDATA": r"C:\Users\me\AppData\Local",
        "SYSTEMROOT": r"C:\Windows",
        "PATH": r"C:\Windows\System32;.;tools;D:\msys\bin",
    }
    assert [str(one) for one in bash_candidates(environment, "win32")] == [
        r"C:\Program Files\Git\bin\bash.exe",
        r"C:\Users\me\AppData\Local\Programs\Git\bin\bash.exe",
        r"D:\msys\bin\bash.exe",
    ]


def test_elsewhere_it_is_the_systems_then_that_of_the_path_but_no_relative_one() -> None:
    found = [str(one) for one in bash_candidates({"PATH": ".:bin:/opt/bin"}, "darwin")]
    assert found == ["/bin/bash", "/usr/bin/bash", "/opt/bin/bash"]
    assert find_bash({}, "linux") == "/bin/bash"


def test_without_one_the_way_out_is_named() -> None:
    with pytest.raises(ProcessError, match="Install Git for Windows"):
        find_bash({"PATH": ""}, "win32")


def test_on_windows_the_folder_is_told_as_windows_names_it() -> None:
    folder_file = Path("f.cwd")
    script = bash_argv("bash", "ls", folder_file, None, "win32")[2]
    assert "builtin pwd -W >" in script
    assert script.replace("pwd -W", "pwd -P") == bash_argv("bash", "ls", folder_file, None)[2]
