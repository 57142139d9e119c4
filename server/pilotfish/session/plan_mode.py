"""Plan mode of one session.

Owns: the plan file, entering and leaving, what the model is told of the mode and when.
Does not own: what the mode permits (``permissions.mode_gates``), the dialogs (the tools).
See also: design 05 §10.
"""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from pilotfish.core.errors import SessionError, WorkspaceError
from pilotfish.core.events import ContextCleared, NoteAdded, PlanApproved, PromptSubmitted
from pilotfish.core.ids import new_message_id
from pilotfish.core.messages import TextBlock
from pilotfish.core.permission import PermissionMode
from pilotfish.ports.editor import EditorPort
from pilotfish.session.plan_files import plan_name, plans_of
from pilotfish.session.session import Session
from pilotfish.workspace.disk import DiskStamp, write_file

REMIND_AFTER_PROMPTS = 5
"""Prompts in plan mode after which the model is reminded of it (design 05 §10.4)."""

MAX_PLAN_BYTES = 1_000_000
"""Longest plan that is read; a person has to review it."""

_FULL_NOTE = """\
Plan mode is on: work out a plan, and change nothing but the plan file. Edits of other files and \
commands that change something are refused, whatever rules say.

1. Find out what the task needs: read, search, run commands that only read. Settle with \
AskUserQuestion what only the user can decide.
2. Write the plan to {file}: what is to be achieved, the way and why this one, the files to change \
and what in them, what already exists to build on, how the result will be verified. As short as a \
reader who decides on it needs it. {state}
3. Call ExitPlanMode. The user reviews the file then; do not ask for approval in any other way.

If the task needs no change, simply answer."""

_SHORT_NOTE = (
    "Plan mode is still on: change nothing but the plan file {file}; when the plan is complete, "
    "call ExitPlanMode."
)

_LEFT_NOTE = "Plan mode is off: edits and commands are possible again, subject to consent."


class PlanMode:
    """Implements ``ports.planning.PlanPort`` and ``ports.attachments.AttachmentSource``."""

    def __init__(
        self,
        session: Session,
        *,
        folder: Path,
        editor: EditorPort,
        forget_files: Callable[[], None],
    ) -> None:
        """Build the plan mode of a session; blocking for a moment.

        Args:
            session: The session.
            folder: Where its plan is kept; absolute.
            editor: Open documents: the plan may be open in one, changed and not saved.
            forget_files: Makes the tools forget which files the model has read, and the todo list.
        """
        self._session = session
        self._folder = folder
        self._file = next(iter(plans_of(folder, session.id)), None)
        """Where the plan is, once there is one or the model knows where to write it."""
        self._editor = editor
        self._forget_files = forget_files

    @property
    def is_on(self) -> bool:
        """Whether the session is in plan mode."""
        return self._session.data.mode == "plan"

    @property
    def file(self) -> Path:
        """The one file that plan mode may write; it need not exist.

        Its name says what the session is about, for tabs and lists, and does not change with that.
        """
        data = self._session.data
        return self._file or self._folder / plan_name(data.first_title, self._session.id)

    @property
    def mode_after(self) -> PermissionMode:
        """The mode that plan mode goes back to."""
        before = self._session.data.pre_plan_mode or "default"
        unavailable = before == "plan" or self._session.workbench.why_mode_unavailable(before)
        return "default" if unavailable else before

    async def read(self) -> str:
        """Return the plan as it stands, in the editor when it is open there; empty without one."""
        document = self._editor.document(self.file)
        return document.text if document is not None else await asyncio.to_thread(self._read_disk)

    async def write(self, text: str) -> None:
        """Replace the plan by what the user made of it.

        Raises:
            WorkspaceError: The file cannot be written.
        """
        self._file = self.file
        document = self._editor.document(self.file)
        if document is None:
            await asyncio.to_thread(self._write_disk, text)
        elif document.text != text:
            await self._editor.apply_text(document, text, "Plan")
            await self._editor.save(self.file)

    def enter(self) -> None:
        """Switch to plan mode; once there it does nothing.

        Raises:
            SessionError: The mode is not available here.
        """
        self._session.choices.set_mode("plan", cause="tool")

    def approve(
        self, mode: PermissionMode | None, allowed_prompts: Sequence[str]
    ) -> PermissionMode:
        """Leave plan mode because the user agreed, and grant what the plan asked for."""
        target = self.mode_after if mode in (None, "plan") else mode
        self._session.log.emit(
            PlanApproved(plan_path=str(self.file), allowed_prompts=tuple(allowed_prompts))
        )
        try:
            self._session.choices.set_mode(target, cause="tool")
        except SessionError:
            # The user agreed to the plan, and a mode that is not to be had must not undo that.
            target = self.mode_after
            self._session.choices.set_mode(target, cause="tool")
        return target

    def start_afresh(self, prompt: str) -> None:
        """Make the model forget the conversation, todo list and read files; go on with a prompt."""
        self._session.log.emit(ContextCleared())
        self._forget_files()
        self._session.log.emit(
            PromptSubmitted(message_id=new_message_id(), content=(TextBlock(text=prompt),))
        )

    async def collect(self) -> list[NoteAdded]:
        """Return what the model has to hear of plan mode now, at most one note."""
        since = self._session.data.prompts_since_plan_note
        if not self.is_on or (since is not None and since < REMIND_AFTER_PROMPTS):
            return []
        self._file = self.file
        if since is not None:
            return [NoteAdded(text=_SHORT_NOTE.format(file=self.file), origin="plan")]
        exists = bool((await self.read()).strip())
        state = "It holds an earlier plan: go on from it, or replace it." if exists else ""
        text = _FULL_NOTE.format(file=self.file, state=state)
        return [NoteAdded(text=text, origin="plan")]

    def note_on_leaving(self) -> NoteAdded | None:
        """Return what the model must hear when the user leaves plan mode by hand."""
        if self._session.data.prompts_since_plan_note is None:
            return None
        return NoteAdded(text=_LEFT_NOTE, origin="mode")

    def _read_disk(self) -> str:
        try:
            with self.file.open("rb") as stream:
                return stream.read(MAX_PLAN_BYTES).decode("utf-8", "replace")
        except FileNotFoundError:
            return ""
        except OSError as error:
            raise WorkspaceError(f"{self.file} cannot be read: {error.strerror}.") from error

    def _write_disk(self, text: str) -> None:
        try:
            self.file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            info = self.file.stat()
            stamp = DiskStamp(mtime_ns=info.st_mtime_ns, size=info.st_size)
        except FileNotFoundError:
            stamp = None
        except OSError as error:
            raise WorkspaceError(f"{self.file} cannot be written: {error.strerror}.") from error
        write_file(self.file, text.encode(), expected=stamp)
