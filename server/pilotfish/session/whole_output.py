"""All of what a call gave, where its card shows a part.

Owns: reading it from the file that the call left in its session's folder.
Does not own: writing that file (``tooling.budget``, ``tools.shell_output``). Blocking.
"""

from dataclasses import dataclass
from pathlib import Path

from pilotfish.core.errors import SessionError
from pilotfish.core.ids import ToolUseId
from pilotfish.tooling.budget import result_file
from pilotfish.tools.shell_output import clean

MAX_TEXT_BYTES = 4_000_000
"""Longest output that is handed over as a text; a longer one is opened as the file that it is in."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeOutput:
    """What a call gave."""

    path: Path
    size: int
    """In bytes."""
    text: str | None
    """Without a terminal's codes; None when it is too long for a message."""


def read_whole(results: Path, call: ToolUseId) -> WholeOutput:
    """Return all of a call's output.

    Args:
        results: Where its session keeps long results.
        call: The call.

    Raises:
        SessionError: It is not kept, or not any more.
    """
    path = result_file(results, call)
    try:
        size = path.stat().st_size
        if size > MAX_TEXT_BYTES:
            return WholeOutput(path=path, size=size, text=None)
        return WholeOutput(
            path=path, size=size, text=clean(path.read_bytes().decode(errors="replace"))
        )
    except FileNotFoundError as error:
        raise SessionError(
            "The whole output of this call is not kept any more.",
            hint="Run it again to see all of it.",
        ) from error
    except OSError as error:
        raise SessionError(f"{path} cannot be read: {error.strerror or error}.") from error
