"""Review of what the agent changed, and going back."""

from typing import Literal

from pydantic import Field

from pilotfish.wire.base import WireModel


class HunkEntry(WireModel):
    """A run of lines that waits for review. Line indexes from 0."""

    id: str
    """The same as long as the hunk's lines are."""
    old_start: int
    old_lines: list[str]
    """With their line endings."""
    new_start: int
    new_lines: list[str]
    tool_call_ids: list[str]
    """The calls that wrote it; empty when that cannot be told."""


class FileChanges(WireModel):
    """What waits for review in a file."""

    path: str
    """Absolute."""
    status: Literal["created", "modified", "settled"]
    """``settled``: nothing waits; only for a file that was asked for by name."""
    hunks: list[HunkEntry]
    added_lines: int
    removed_lines: int
    baseline: str | None = None
    """The file without what waits; only with ``texts``. None also where it did not exist."""
    current: str | None = None
    """The file now; only with ``texts``."""


class EditsChangesParams(WireModel):
    """``_pilotfish/edits/changes``: what waits for review, in all files or in one."""

    session_id: str
    path: str | None = None
    texts: bool = False
    """Whether to send the files' texts, too."""


class EditsChangesResponse(WireModel):
    """The files with changes that nobody has looked at."""

    files: list[FileChanges]


class EditsChooseParams(WireModel):
    """``_pilotfish/edits/accept`` and ``reject``: everything, a file, or some hunks of it."""

    session_id: str
    path: str | None = None
    hunk_ids: list[str] | None = None
    """Needs a path; None means all hunks."""


class RefusedFile(WireModel):
    """A file that was left alone."""

    path: str
    reason: str


class EditsTakenResponse(WireModel):
    """What came of it."""

    changed: list[str]
    refused: list[RefusedFile]


class EditsCheckpointsParams(WireModel):
    """``_pilotfish/edits/checkpoints``: the turns that can be gone back to."""

    session_id: str


class TurnEntry(WireModel):
    """A turn of the conversation."""

    turn_id: str
    message_id: str
    """Of the prompt that began it."""
    title: str
    time_ms: int
    paths: list[str]
    """Files that it wrote."""


class EditsCheckpointsResponse(WireModel):
    """The turns, oldest first."""

    turns: list[TurnEntry]


class EditsCompareParams(WireModel):
    """``_pilotfish/edits/compare``: files as they were before a turn."""

    session_id: str
    turn_id: str
    path: str | None = None
    """Only this file; None for all that were written in the turn or later."""
    texts: bool = False
    """Whether to send what was in them, too."""


class EarlierFile(WireModel):
    """A file that was written in the turn or later."""

    path: str
    """Absolute."""
    existed: bool
    """Whether it was there before the turn."""
    exists: bool
    """Whether it is there now."""
    text: str | None = None
    """What was in it; only with ``texts``. None also where it did not exist."""


class EditsCompareResponse(WireModel):
    """The files, in the order in which they were first written."""

    files: list[EarlierFile]


class EditsRewindParams(WireModel):
    """``_pilotfish/edits/rewind``: go back to before a turn, or take single changes back.

    Exactly one of ``turn_id``, ``undo_turn_id`` and ``undo_tool_call_id`` is given.
    """

    session_id: str
    turn_id: str | None = None
    """Everything from this turn on is taken back."""
    undo_turn_id: str | None = None
    """Only what this turn wrote is taken back; later changes stay."""
    undo_tool_call_id: str | None = None
    """Only what this call wrote is taken back."""
    what: Literal["files", "conversation", "both"] = "files"
    """With ``turn_id``: whether the model also forgets."""
    dry_run: bool = False
    """Only say what would happen."""
    force: bool = False
    """Overwrite files that were changed by others since."""


class RewindFile(WireModel):
    """What happens to a file."""

    path: str
    action: Literal["restore", "merge", "create", "delete", "nothing", "conflict"]
    """``merge`` keeps what others changed since; ``conflict`` leaves the file alone."""
    added_lines: int
    removed_lines: int
    reason: str
    """With ``conflict``: why."""


class EditsRewindResponse(WireModel):
    """What happened, or with ``dryRun`` what would."""

    files: list[RewindFile]
    changed: list[str]
    refused: list[RefusedFile]
    prompt: str
    """The beginning of the prompt that was gone back to; empty when the conversation stays."""
    note: str
    """For the user: what is not covered."""


class EditsBlameParams(WireModel):
    """``_pilotfish/edits/blame``: where the lines of a file come from."""

    session_id: str
    path: str
    line: int | None = Field(default=None, ge=0)
    """Only the run that this line is part of; from 0."""


class BlameEntry(WireModel):
    """A run of lines that this session wrote. Line indexes from 0, end exclusive."""

    start: int
    end: int
    turn_id: str
    turn_number: int | None
    """From 1; None when the turn is not part of the conversation any more."""
    prompt: str
    """The beginning of the turn's prompt."""
    agent_id: str
    tool_call_id: str
    time_ms: int
    approval: str
    """Why it was allowed: by the user, a rule, the mode."""
    waits: bool
    """Whether it still waits for review."""


class EditsBlameResponse(WireModel):
    """The runs, by line."""

    runs: list[BlameEntry]


class EditsChangedParams(WireModel):
    """``_pilotfish/edits/changed``: what waits for review in some files is not what it was."""

    session_id: str
    paths: list[str]
