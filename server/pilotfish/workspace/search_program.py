"""Which ripgrep searches: the editor's own, the one on PATH, or the one that came with the package.

Owns: finding it, and looking whether what the editor names is one.
Does not own: running searches (``workspace.search``), where editors keep theirs (they say).
See also: design 06 §9.1, design §15.
"""

import asyncio
import logging
import os
import shutil
import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path

from pilotfish.core.errors import ProcessError, WorkspaceError
from pilotfish.ports.processes import ProcessPort, ProcessSpec

logger = logging.getLogger(__name__)

ANSWER_LIMIT_S = 10.0
"""How long the editor's own may take to say what it is."""

_MAX_ANSWER_BYTES = 64 * 1024

_NAME = "rg.exe" if sys.platform == "win32" else "rg"


class SearchProgram:
    """Finds the program once; what has vanished since is found anew."""

    def __init__(
        self,
        processes: ProcessPort,
        environment: Mapping[str, str],
        *,
        given: Path | None = None,
        editors: str | None = None,
    ) -> None:
        """Set it up.

        Args:
            processes: Runs it, to look what it is.
            environment: Has the PATH.
            given: The one to take, whatever it is.
            editors: What the editor calls its own; it is looked at before it is taken.
        """
        self._processes = processes
        self._environment = dict(environment)
        self._found = given
        self._editors = editors
        self._looking = asyncio.Lock()
        self._looked_at = editors is None
        self.refusal = ""
        """Why the editor's own is not taken; empty when it is, or there is none."""

    async def find(self) -> Path:
        """Return the program.

        Raises:
            ProcessError: There is none; searching is slow then.
        """
        async with self._looking:
            if self._editors is not None and not self._looked_at:
                await self._look_at(self._editors)
                self._looked_at = True
        return await asyncio.to_thread(self.locate)

    @property
    def is_editors(self) -> bool:
        """Whether the one that was found is the editor's own."""
        return self._editors is not None and self._found == Path(self._editors)

    def locate(self) -> Path:
        """Return the program without looking at what the editor names. Blocking.

        Raises:
            ProcessError: There is none; searching is slow then.
        """
        if self._found is not None and os.access(self._found, os.X_OK):
            return self._found
        # Relative entries would name a file of the workspace.
        folders = self._environment.get("PATH", "").split(os.pathsep)
        absolute = os.pathsep.join(each for each in folders if Path(each).is_absolute())
        found = shutil.which("rg", path=absolute)
        bundled = Path(sysconfig.get_path("scripts")) / _NAME
        if found is None and os.access(bundled, os.X_OK):
            found = str(bundled)
        if found is None:
            raise ProcessError(
                "ripgrep (rg) was not found, so searching files is slow.",
                hint="Install ripgrep, or reinstall Pilotfish, which brings it along.",
            )
        self._found = Path(found)
        return self._found

    async def _look_at(self, named: str) -> None:
        problem = await asyncio.to_thread(_problem_of, named) or await self._problem_of(named)
        if problem:
            self.refusal = problem
            logger.warning("the editor's own ripgrep (%s) is not taken: %s", named[:500], problem)
        else:
            self._found = Path(named)

    async def _problem_of(self, named: str) -> str:
        """Run it, which is a file that can be run; returns what is wrong with it."""
        spec = ProcessSpec(
            argv=[named, "--no-config", "--version"],
            cwd=Path(named).parent,
            purpose="search",
            label="ripgrep",
            env=self._environment,
            max_output_bytes=_MAX_ANSWER_BYTES,
            merge_stderr=False,
        )
        try:
            answer = await self._processes.run(spec, timeout_s=ANSWER_LIMIT_S)
        except WorkspaceError as error:
            return str(error)
        if answer.ended_by == "timeout":
            return "it does not answer."
        if answer.exit_code != 0 or not answer.output.startswith(b"ripgrep "):
            return "it does not say that it is ripgrep."
        return ""


def _problem_of(named: str) -> str:
    """Return why a path cannot be a program of the editor's; blocks."""
    try:
        path = Path(named)
        if not path.is_absolute():
            return "it is not an absolute path."
        if not path.is_file() or not os.access(path, os.X_OK):
            return "it is no file that can be run."
    except (OSError, ValueError):  # too long a name, or a NUL in it
        return "it is no path."
    return ""
