"""One command that runs.

Owns: the command's life apart from the call that began it: output, the folder at its end, stopping
it, how it ended in words. Implements ``ports.background.BackgroundWork``.
Does not own: processes (``ports.processes``), when it goes to the background (``tools.shell_tool``).
"""

import asyncio
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from pilotfish.core.background import TaskEnd
from pilotfish.core.errors import ProcessError
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.processes import ProcessResult
from pilotfish.tools.folder_file import FolderFile
from pilotfish.tools.shell_output import CommandOutput

MAX_OUTPUT_BYTES = 64 * 1024 * 1024
"""Output beyond which a command is ended (design 06 §10.5)."""

QUIET_S = 45.0
"""Silence after which a line that looks like a question is taken for one (design 06 §10.4)."""

_QUESTION = re.compile(
    r"(?:[?:>]|\(y/n\)|\[y/n\]|\(yes/no[^)]*\)|password for .*|press (?:any key|enter).*)\s*$",
    re.IGNORECASE,
)


Meaning = Callable[[int | None], str | None]
"""Tells what an exit code means when it is no failure; None when it is one, or not known."""


class Verdict(NamedTuple):
    """How a command ended."""

    text: str
    """In a few words; empty when it succeeded."""
    failed: bool


class ShellJob:
    """A command from its start to its end."""

    def __init__(
        self,
        output: CommandOutput,
        folder: FolderFile,
        clock: ClockPort,
        *,
        started_in: Path,
        meaning: Meaning,
        remark: str = "",
    ) -> None:
        self._folder = folder
        self._clock = clock
        self._process: asyncio.Task[ProcessResult] | None = None
        self._seen = 0
        self._seen_at = clock.monotonic_s()
        self.started_in = started_in
        """The folder in which it was begun."""
        self.output_text = output
        self.meaning = meaning
        self.terminal_id: str | None = None
        """The client's terminal in which it runs."""
        self.remark = remark
        """What else the model must hear with the result; often empty."""
        self.folder_after: Path | None = None
        """Where the command ended; None while it runs and when it told nothing."""

    def begin(self, process: asyncio.Task[ProcessResult]) -> None:
        """Take over the process."""
        self._process = process

    async def finish(self) -> None:
        """Close the output and learn the folder; called when the process has ended."""
        self.output_text.close()
        self.folder_after = await asyncio.to_thread(self._folder.take)

    @property
    def process(self) -> asyncio.Task[ProcessResult]:
        """The running process; its outcome may be a ``ProcessError``."""
        assert self._process is not None, "begin comes first"
        return self._process

    @property
    def output_path(self) -> Path:
        """The file that holds all of the output once the job is in the background."""
        return self.output_text.path

    async def ended(self) -> TaskEnd:
        """Wait for the end."""
        await asyncio.wait([self.process])
        if self.process.cancelled():
            return TaskEnd(status="stopped", outcome="it was stopped")
        error = self.process.exception()
        if error is not None:
            if not isinstance(error, ProcessError | OSError):
                raise error
            return TaskEnd(status="failed", outcome=str(error))
        verdict = verdict_of(self.process.result(), self.meaning)
        status = "failed" if verdict.failed else "completed"
        return TaskEnd(status=status, outcome=verdict.text or "exit code 0")

    def output(self) -> str:
        """Return the output so far for the model. Blocking."""
        return self.output_text.text()

    def preview(self) -> str:
        """Return the last lines of the output for people."""
        return self.output_text.preview()

    def stop(self) -> None:
        """End the command: TERM to its whole group, later KILL."""
        self.process.cancel()

    def waits_for_input(self) -> str:
        """Return the last line when it looks like a question and nothing has come for long."""
        now = self._clock.monotonic_s()
        if self.output_text.total != self._seen:
            self._seen, self._seen_at = self.output_text.total, now
            return ""
        if now - self._seen_at < QUIET_S:
            return ""
        line = self.output_text.last_line()
        return line if _QUESTION.search(line) else ""


def verdict_of(result: ProcessResult, meaning_of: Meaning) -> Verdict:
    """Say how a command ended, and whether that is a failure."""
    if result.ended_by != "itself":
        return Verdict(_limit_reached(result), failed=True)
    if result.signal is not None:
        return Verdict(f"ended by signal {result.signal}", failed=True)
    if result.exit_code is None:
        return Verdict("ended, and nobody said with which exit code", failed=True)
    if result.exit_code == 0:
        return Verdict("", failed=False)
    meaning = meaning_of(result.exit_code)
    if meaning is not None:
        return Verdict(f"exit code {result.exit_code}: {meaning}", failed=False)
    return Verdict(f"exit code {result.exit_code}", failed=True)


def _limit_reached(result: ProcessResult) -> str:
    match result.ended_by:
        case "output_limit":
            return f"ended: it wrote more than {MAX_OUTPUT_BYTES // 1024**2} MB"
        case "resource_limit":
            return f"ended: {result.reason}"
        case _:
            return "ended at its time limit"
