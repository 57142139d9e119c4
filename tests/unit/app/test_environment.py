"""Keys are not for the eyes of the programs that run as the same user."""

import subprocess
import sys
from pathlib import Path

import pytest

KEY = "sk-never-to-be-seen"

SCRIPT = f"""
import os, pathlib, subprocess
from pilotfish.app.environment import take_environment
taken = take_environment()
assert taken["ANTHROPIC_API_KEY"] == "{KEY}", taken
assert taken["ANTHROPIC_BASE_URL"] == "http://ann:{KEY}@host", taken
assert taken["MINE"] == os.environ["MINE"] == "kept"
assert "ANTHROPIC_API_KEY" not in os.environ
seen = subprocess.run(
    ["sh", "-c", "cat /proc/$PPID/environ; env"], capture_output=True, check=False
).stdout.decode()
assert "{KEY}" not in seen, seen
dumpable = __import__("ctypes").CDLL(None).prctl(3, 0, 0, 0, 0)
print("dumpable", dumpable)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
def test_a_child_finds_the_key_neither_in_its_own_environment_nor_in_its_parents(
    tmp_path: Path,
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={
            "PATH": "/usr/bin:/bin",
            "ANTHROPIC_API_KEY": KEY,
            "ANTHROPIC_BASE_URL": f"http://ann:{KEY}@host",
            "MINE": "kept",
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # Memory and environment are closed to other processes of the user altogether.
    assert done.stdout == "dumpable 0\n"
