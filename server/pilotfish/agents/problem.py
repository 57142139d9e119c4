"""What is wrong with a file of agent definitions.

Owns: the record.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ProblemSeverity = Literal["error", "warning"]
"""``error``: nothing of the file counts. ``warning``: the rest of it does."""


@dataclass(frozen=True, kw_only=True, slots=True)
class DefinitionProblem:
    """Something that does not work as written."""

    text: str
    """One sentence or two for the user, without the file's name."""
    path: Path
    """The file, or the folder of many."""
    line: int | None = None
    """1-based, when it is known."""
    severity: ProblemSeverity = "warning"
