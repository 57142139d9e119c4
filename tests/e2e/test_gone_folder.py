"""The command line in a folder that was removed while a shell stood in it."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.stage import environment


@pytest.mark.parametrize(
    "arguments", [["run", "hello"], ["doctor"], ["sessions", "list"], ["permissions", "lint"]]
)
def test_says_that_the_folder_is_gone(tmp_path: Path, arguments: list[str]) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    script = 'rmdir "$PWD"; exec "$@"'
    finished = subprocess.run(
        ["sh", "-c", script, "sh", sys.executable, "-m", "pilotfish", *arguments],
        cwd=gone,
        env=environment(tmp_path / "home"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert finished.returncode == 1
    assert "The folder that you are in is gone." in finished.stderr
    assert "Traceback" not in finished.stderr
