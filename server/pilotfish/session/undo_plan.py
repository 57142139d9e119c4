"""What taking changes back means for a file, and doing it.

Owns: the planned content of each file, and why one cannot be had.
Does not own: which changes are taken back (``session.edit_review``).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pilotfish.core.errors import WorkspaceError
from pilotfish.session.file_steps import FileLife, FileSteps
from pilotfish.util.line_diff import LineChange, line_changes
from pilotfish.util.merge3 import keep_lines
from pilotfish.util.records import dataclass
from pilotfish.workspace.edit_pipeline import EditPipeline, NewContent
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.history import Checkpoint, FileHistory, WriteOrigin
from pilotfish.workspace.review import UndoConflict, undo

Action = Literal["restore", "merge", "create", "delete", "nothing", "conflict"]
"""What taking changes back means for a file.

``merge`` keeps what was changed since by others; ``conflict`` leaves the file alone.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedFile:
    """What would happen to a file."""

    path: Path
    action: Action
    current: str | None
    wanted: str | None
    exact: str | None = None
    """Hash of a kept content that is exactly ``wanted``, encoding included; None: take the text."""
    mode: int | None = None
    reason: str = ""
    """With ``conflict``: why, and what to do."""

    @property
    def added(self) -> int:
        """Lines that would come."""
        return sum(change.new_end - change.new_start for change in self._changes())

    @property
    def removed(self) -> int:
        """Lines that would go."""
        return sum(change.old_end - change.old_start for change in self._changes())

    def _changes(self) -> list[LineChange]:
        return line_changes(keep_lines(self.current or ""), keep_lines(self.wanted or ""))


class UndoPlanner:
    """Plans and writes for one session."""

    def __init__(self, history: FileHistory, edits: EditPipeline, steps: FileSteps) -> None:
        self._history = history
        self._edits = edits
        self._steps = steps

    async def plan(self, checkpoints: Sequence[Checkpoint]) -> tuple[PlannedFile, ...]:
        """Work out what undoing these writes would do. Changes nothing.

        Raises:
            WorkspaceError: The history is damaged.
        """
        by_path: dict[Path, list[Checkpoint]] = {}
        for each in checkpoints:
            by_path.setdefault(each.path, []).append(each)
        return tuple([await self._plan_file(path, own) for path, own in by_path.items()])

    async def _plan_file(self, path: Path, own: Sequence[Checkpoint]) -> PlannedFile:
        """Undo a file's writes one after the other, the last first."""
        first = own[0]
        target = await self._steps.text(path, first.before)
        try:
            current = (await self._edits.load(path)).text
        except WorkspaceError as error:
            return PlannedFile(
                path=path, action="conflict", current=None, wanted=target, reason=str(error)
            )
        text = current
        merged = False
        for each in reversed(own):
            before = await self._steps.text(path, each.before)
            after = await self._steps.text(path, each.after)
            merged = merged or text != after
            try:
                text = undo(before, after, text)
            except UndoConflict:
                return PlannedFile(
                    path=path, action="conflict", current=current, wanted=target,
                    exact=first.before, mode=first.mode, reason=_why(path, current),
                )  # fmt: skip
        return PlannedFile(
            path=path,
            action=_action(current, text, merged=merged),
            current=current,
            wanted=text,
            exact=first.before if text == target else None,
            mode=first.mode,
        )

    async def write(self, planned: PlannedFile, origin: WriteOrigin, files: FileStates) -> None:
        """Give a file its planned content.

        Raises:
            EditClash: It is not any more as it was when the plan was made.
            WorkspaceError: It cannot be written, or the content is lost.
        """
        content: str | bytes | None = planned.wanted
        if planned.exact is not None:
            try:
                content = await self._history.content(planned.exact)
            except OSError as error:
                raise WorkspaceError(f"{planned.path}: its earlier text is lost.") from error
        await self._edits.overwrite(
            planned.path,
            NewContent(content=content, origin=origin, mode=planned.mode),
            expected=planned.current,
            files=files,
        )


def replacing(life: FileLife, wanted: str | None) -> PlannedFile:
    """Plan to give a file another text than it has now."""
    current = life.found.current
    first = life.checkpoints[0]
    return PlannedFile(
        path=life.path,
        action=_action(current, wanted, merged=False),
        current=current,
        wanted=wanted,
        mode=first.mode,
    )


def _action(current: str | None, wanted: str | None, *, merged: bool) -> Action:
    if current == wanted:
        return "nothing"
    if wanted is None:
        return "delete"
    if current is None:
        return "create"
    return "merge" if merged else "restore"


def _why(path: Path, current: str | None) -> str:
    if current is None:
        return f"{path} was deleted since."
    return f"{path} was changed since in the same lines, or as a whole; it is left alone."
