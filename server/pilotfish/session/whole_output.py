"""All of what a call gave, where its card shows a part.

Owns: reading it from the file that the call left in its session's folder, or from the transcript where
the model got all of it.
Does not own: writing that file (``tooling.budget``, ``tools.shell_output``). Blocking.
"""

from collections.abc import Iterator
from pathlib import Path

from pilotfish.core.calls import TextDisplay
from pilotfish.core.errors import SessionError
from pilotfish.core.events import ToolFinished
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import TextBlock
from pilotfish.session import codec
from pilotfish.session.agent_transcripts import agent_transcripts
from pilotfish.tooling.budget import result_file
from pilotfish.tools.shell_output import clean
from pilotfish.util.records import dataclass

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


def read_whole(results: Path, transcript: Path | None, call: ToolUseId) -> WholeOutput:
    """Return all of a call's output.

    Args:
        results: Where its session keeps long results.
        transcript: The session's; its agents' lie beside it. None when nothing was written yet.
        call: The call.

    Raises:
        SessionError: It is not kept, or not any more.
    """
    try:
        found = _kept(result_file(results, call))
        if found is None and transcript is not None:
            found = _written(transcript, call)
    except OSError as error:
        raise SessionError(
            f"{error.filename} cannot be read: {error.strerror or error}."
        ) from error
    if found is None:
        raise SessionError(
            "The whole output of this call is not kept any more.",
            hint="Run it again to see all of it.",
        )
    return found


def _kept(path: Path) -> WholeOutput | None:
    """Return what the call left in its file; None when it left none."""
    try:
        size = path.stat().st_size
        if size > MAX_TEXT_BYTES:
            return WholeOutput(path=path, size=size, text=None)
        text = clean(path.read_bytes().decode(errors="replace"))
    except FileNotFoundError:
        return None
    return WholeOutput(path=path, size=size, text=text)


def _written(transcript: Path, call: ToolUseId) -> WholeOutput | None:
    """Return what the call's end says, where it is all: the card shows a part of a text that long."""
    for path in (transcript, *agent_transcripts(transcript)):
        for event in _ends(path, call):
            texts = [
                one
                for one in event.display or event.content
                if isinstance(one, TextDisplay | TextBlock)
            ]
            if not texts or any(isinstance(one, TextDisplay) and one.is_cut for one in texts):
                continue
            text = "\n".join(one.text for one in texts)
            return WholeOutput(path=path, size=len(text.encode(errors="replace")), text=text)
    return None


def _ends(path: Path, call: ToolUseId) -> Iterator[ToolFinished]:
    with path.open("rb") as file:
        for line in file:
            if codec.kind_of(line) != b"tool_finished":
                continue
            record = codec.from_line(line)
            event = None if record is None else record.event
            if isinstance(event, ToolFinished) and event.tool_use_id == call:
                yield event
