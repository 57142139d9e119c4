"""Programs that only write down that they were started, and a bash that can start nothing else.

Owns: the shims, and running one line with them in a scratch folder.
"""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

TIME_LIMIT_S = 60.0
"""One line of shell ends well before this; a longer one is a failure of the test."""

_SHIM = """#!/bin/sh
printf '%s\\n' "${0##*/}" >> "$SHIM_LOG"
exec '@REAL@' "$@"
"""
_STUB = """#!/bin/sh
printf '%s\\n' "${0##*/}" >> "$SHIM_LOG"
"""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """What one line did."""

    started: tuple[str, ...]
    """Programs, each as often as it was started."""
    changed: tuple[str, ...]
    """Files and folders anywhere below the scratch folder that came, went or changed."""


class ShimmedShell:
    """Runs lines of bash whose ``PATH`` holds nothing but shims."""

    def __init__(self, scratch: Path, listed: dict[str, str], others: list[str]) -> None:
        """Write the shims.

        Args:
            scratch: A folder of its own; lines run in ``scratch/project``.
            listed: Programs that really run: name → where the real one is.
            others: Programs that would do harm; they only write down that they were started.
        """
        self._scratch = scratch
        self.project = scratch / "project"
        self._bin = scratch / "bin"
        self._log = scratch / "log"
        for folder in (self.project, self._bin, scratch / "home"):
            folder.mkdir()
        for name, real in listed.items():
            self._write(name, _SHIM.replace("@REAL@", real))
        for name in others:
            self._write(name, _STUB)

    def run(self, line: str) -> Ran:
        """Run one line to its end, with nothing on its standard input."""
        self._log.write_text("")
        before = self._snapshot()
        subprocess.run(
            ["/bin/bash", "--norc", "--noprofile", "-c", line],
            cwd=self.project,
            env={
                "PATH": str(self._bin),
                "HOME": str(self._scratch / "home"),
                "SHIM_LOG": str(self._log),
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_OPTIONAL_LOCKS": "0",
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TIME_LIMIT_S,
            check=False,
        )
        after = self._snapshot()
        changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
        return Ran(started=tuple(self._log.read_text().split()), changed=tuple(sorted(changed)))

    def _write(self, name: str, text: str) -> None:
        file = self._bin / name
        file.write_text(text)
        file.chmod(0o755)

    def _snapshot(self) -> dict[str, tuple[int, int, int]]:
        found: dict[str, tuple[int, int, int]] = {}
        for folder, folders, files in os.walk(self._scratch):
            for name in (*folders, *files):
                path = f"{folder}/{name}"
                if path != str(self._log):
                    status = os.lstat(path)
                    found[path] = (status.st_mode, status.st_mtime_ns, status.st_size)
        return found
