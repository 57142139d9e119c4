"""What ``pilotfish run`` and ``pilotfish replay`` were asked.

Owns: the records of options and the exit codes.
"""

from pathlib import Path
from typing import Literal

from pilotfish.util.records import dataclass

OutputFormat = Literal["text", "json", "stream-json"]

EXIT_DONE = 0
EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_DENIED = 3
"""Something that the task needed was refused, by the user or because nobody could be asked."""
EXIT_INTERRUPTED = 130


CHOOSE = "?"
"""What ``--resume`` stands for without an id: the person is to choose."""


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """Options of one run."""

    prompt: str
    cwd: Path
    output: OutputFormat = "text"
    permission_mode: str | None = None
    allowed_tools: tuple[str, ...] = ()
    disallowed_tools: tuple[str, ...] = ()
    extra_roots: tuple[Path, ...] = ()
    model: str | None = None
    max_turns: int | None = None
    max_budget_usd: float | None = None
    resume: str | None = None
    """Id of the session to go on with, the file of its transcript (``….jsonl``), or ``CHOOSE``."""
    resume_latest: bool = False
    """Go on with the latest session of this folder."""
    append_system_prompt: str | None = None
    record: Path | None = None
    """The folder that the run is recorded into."""
    settings: Path | None = None
    """A settings file that counts as given at launch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplayOptions:
    """Options of one replay."""

    folder: Path
    """A folder of recordings, or one of them."""
    cwd: Path
    rules_file: Path | None = None
    """A settings file whose rules stand in the place of the recorded ones."""
    current_rules: bool = False
    """Whether the rules in force in the present folder stand in their place."""
