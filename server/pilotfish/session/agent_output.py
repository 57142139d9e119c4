"""The file that says how far an agent has come.

Owns: what stands in an agent's output file: while it works what it says and does, as it goes; after its
end its report, and below it the latest steps.
Does not own: the transcript, from which an agent goes on (``session.transcript``).
See also: design 01 §6.
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from pilotfish.core.agents import AgentFacts, AgentOutcome
from pilotfish.core.events import BlockFinished, EventRecord, ToolStarted
from pilotfish.core.messages import TextBlock
from pilotfish.util.os_reason import os_reason
from pilotfish.util.tasks import TaskScope
from pilotfish.util.visible import visible
from pilotfish.util.whole_file import append_whole, replace_file

PAUSE_S = 0.2
"""What happens within this time is written together: fifty busy agents are not to keep a disk busy."""

MAX_CHARS = 1_000_000
"""As much is written while an agent works; its transcript has all of it."""

MAX_STEP_CHARS = 300
"""Of one step."""

KEPT_STEPS = 200
"""The latest steps that stand below a report."""

_RULE = "\n\n---\n\n"

logger = logging.getLogger(__name__)


class AgentOutput:
    """The output file of one run of an agent; a failure to write it stops nothing."""

    def __init__(self, facts: AgentFacts, warn: Callable[[str], None] = lambda _: None) -> None:
        """Get ready; nothing is written before something happens.

        Args:
            facts: What the agent was started with; without a path nothing is ever written.
            warn: Tells the user that the report, or what the agent does, could not be written.
        """
        self._agent = facts.agent_id
        self._warn = warn
        self._path = Path(facts.output_path) if facts.output_path else None
        self._heading = f"{visible(facts.description)} ({facts.agent_type}): at work\n"
        self._waiting: list[str] = []
        self._steps: deque[str] = deque(maxlen=KEPT_STEPS)
        self._told = 0
        """Characters that were taken in."""
        self._writes = TaskScope("agent output")
        self._writing = False
        self._lock = threading.Lock()
        self._begun = False
        self._was_warned = False
        """Whether the user knows that steps are missing: one full disk refuses many."""
        self._is_over = False
        """Whether the report is written: what is still on its way then comes too late."""

    @property
    def steps(self) -> tuple[str, ...]:
        """Return the latest steps, oldest first."""
        return tuple(self._steps)

    def hear(self, record: EventRecord) -> None:
        """Take in what the agent says and does."""
        match record.event:
            case BlockFinished(block=TextBlock(text=text)) if text.strip():
                self._add(f"{text.strip()}\n")
            case ToolStarted(title=title, tool=tool):
                step = visible(f"{tool}: {title}"[:MAX_STEP_CHARS])
                self._steps.append(step)
                self._add(f"- {step}\n")
            case _:
                pass

    async def finish(self, outcome: AgentOutcome) -> None:
        """Put the report in the file's place."""
        await self._writes.close()
        if self._path is None:
            return
        parts = [outcome.text]
        if outcome.status != "completed":
            what = "It was stopped" if outcome.status == "killed" else "It did not finish"
            parts = [f"[{what}: {outcome.error or 'no reason is known'}]", outcome.text]
        if self._steps:
            parts.append("\n".join(["---", "What it did:", *(f"- {step}" for step in self._steps)]))
        text = "\n\n".join(part for part in parts if part)
        problem = await asyncio.to_thread(self._replace, self._path, text)
        if problem:
            self._warn(
                f"The report of the agent {self._agent} cannot be written to {self._path}: {problem}. "
                "Make room, or mend the permissions of its folder, and send the agent a message: it "
                "reports again. Nothing of its work is lost."
            )

    async def close(self) -> None:
        """Write nothing more."""
        await self._writes.close()

    def _add(self, text: str) -> None:
        if self._path is None or self._told >= MAX_CHARS:
            return
        self._told += len(text)
        if self._told >= MAX_CHARS:
            text += "… and more, which is not written here any more.\n"
        self._waiting.append(text)
        if not self._writing:
            self._writing = True
            self._writes.start(self._write_soon(self._path), name="write")

    async def _write_soon(self, path: Path) -> None:
        try:
            while self._waiting:
                await asyncio.sleep(PAUSE_S)
                texts, self._waiting = self._waiting, []
                self._tell(path, await asyncio.to_thread(self._append, path, "\n".join(texts)))
        finally:
            self._writing = False

    def _tell(self, path: Path, problem: str) -> None:
        if not problem or self._was_warned:
            return
        self._was_warned = True
        self._warn(
            f"What the agent {self._agent} does cannot be written to {path}: {problem}. Make room, or "
            "mend the permissions of its folder; what comes then is written there again. "
            "The agent goes on."
        )

    def _append(self, path: Path, text: str) -> str:
        with self._lock:
            if self._is_over:
                return ""
            # An agent that goes on leaves what it has reported before until it reports again.
            before = (
                "" if self._begun else f"{_RULE if _says_something(path) else ''}{self._heading}"
            )
            problem = _write(path, f"{before}\n{text}")
            self._begun = not problem or self._begun
            return problem

    def _replace(self, path: Path, text: str) -> str:
        with self._lock:
            self._is_over = True
            return _write(path, text, anew=True)


def note_lost(facts: AgentFacts, why: str) -> None:
    """Say in the output file of an agent that nobody runs any more why it has ended. Blocks."""
    path = Path(facts.output_path)
    if facts.output_path and path.exists():
        _write(path, f"\n[It was stopped: {why}]\n")


def _says_something(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _write(path: Path, text: str, *, anew: bool = False) -> str:
    """Add a text, or put it in the place of all; where it does not fit, what was there stays.

    Returns:
        Why it did not work; empty when it did.
    """
    data = text.encode(errors="replace")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if anew:
            replace_file(path, data)
        else:
            with path.open("ab", buffering=0) as file:
                append_whole(file, data)
    except OSError as error:
        logger.warning("%s cannot be written: %s", path, os_reason(error))
        return os_reason(error)
    return ""
