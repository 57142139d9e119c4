"""Looking at what the agent changed, and taking it back.

Owns: accepting and rejecting by file and hunk, undoing a write or a turn, rewinding files to before a
turn, who wrote a line; the note by which the model hears of it.
Does not own: how a file came about (``session.file_steps``), hunks and merging (``workspace.review``),
what taking back means for a file (``session.undo_plan``).
See also: design §5, 06 §6.

Nothing is ever overwritten that the user, a formatter or another program changed since: such changes
are merged, or the file is left alone with the reason.
"""

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from pilotfish.core.errors import SessionError, WorkspaceError
from pilotfish.core.events import DecisionMade, NoteAdded
from pilotfish.core.ids import MessageId, SessionId, ToolUseId, TurnId, new_turn_id
from pilotfish.core.passing_events import ReviewChanged
from pilotfish.core.reasons import SessionState
from pilotfish.ports.planning import PlanPort
from pilotfish.session.file_steps import THE_USER, FileLife, FileSteps
from pilotfish.session.log import EventLog
from pilotfish.session.state import SessionData, TurnMark
from pilotfish.session.turn_writes import turns_of
from pilotfish.session.undo_plan import PlannedFile, UndoPlanner, replacing
from pilotfish.util.records import dataclass
from pilotfish.workspace.edit_pipeline import EditPipeline
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.history import Checkpoint, FileHistory, WriteOrigin
from pilotfish.workspace.loaded_file import current_content
from pilotfish.workspace.review import baseline_with_hunks, without_hunks
from pilotfish.workspace.text_file import TextFile, encode

_REVIEW_CALL = ToolUseId("user_review")


@dataclass(frozen=True, kw_only=True, slots=True)
class Taken:
    """What came of accepting or taking back."""

    changed: tuple[Path, ...] = ()
    refused: tuple[tuple[Path, str], ...] = ()
    """Files that were left alone, with the reason."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Blame:
    """Where a run of lines comes from. Line indexes from 0, end exclusive."""

    start: int
    end: int
    checkpoint: Checkpoint
    turn: TurnMark | None
    """None when the model has forgotten the turn."""
    decision: DecisionMade | None
    """Why the write was allowed."""
    waits: bool
    """Whether it still waits for review."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EarlierFile:
    """A file as it was before a turn."""

    path: Path
    existed: bool
    """Whether it was there then."""
    exists: bool
    """Whether it is there now."""
    text: str | None = None
    """What was in it, where that was asked for."""


class ReviewedSession(Protocol):
    """What a review needs of its session."""

    id: SessionId

    @property
    def data(self) -> SessionData:
        """The folded state."""
        ...

    @property
    def log(self) -> EventLog:
        """Where events go."""
        ...

    @property
    def state(self) -> SessionState:
        """What the session is doing."""
        ...

    def rewind(self, prompt: MessageId) -> None:
        """Make the model forget a prompt and what followed."""
        ...


class EditReview:
    """The changes of one session."""

    def __init__(
        self,
        session: ReviewedSession,
        history: FileHistory,
        edits: EditPipeline,
        files: FileStates,
        plan: PlanPort,
    ) -> None:
        """Review the changes of a session.

        Args:
            session: The session.
            history: Its writes.
            edits: The road on which files are changed.
            files: What the agents have read; they must read again what is taken back.
            plan: The session's plan, which has a review of its own.
        """
        self._session = session
        self._history = history
        self._edits = edits
        self._files = files
        self._steps = FileSteps(history, edits, session.data.edit_decisions.get, plan)
        self._planner = UndoPlanner(history, edits, self._steps)
        self._lock = asyncio.Lock()

    # --- looking ---

    async def waiting(self, path: Path | None = None) -> tuple[FileLife, ...]:
        """Return the files with changes that nobody has looked at; of one file, also if there are none.

        Raises:
            WorkspaceError: The one file cannot be read.
        """
        if path is not None:
            return (await self._steps.life_of(await self._known(path)),)
        found: list[FileLife] = []
        for each in await self._steps.paths():
            try:
                life = await self._steps.life_of(each)
            except WorkspaceError:
                continue  # binary by now, or unreadable: there is nothing to show
            if not life.found.is_settled:
                found.append(life)
        return tuple(found)

    async def blame(self, path: Path) -> tuple[Blame, ...]:
        """Return where the lines of a file come from, as far as from this session.

        Raises:
            WorkspaceError: The file cannot be read.
        """
        life = await self._steps.life_of(await self._known(path))
        waiting = {each for hunk in life.found.hunks for each in hunk.checkpoints}
        by_id = {each.id: each for each in life.checkpoints}
        runs: list[Blame] = []
        for index, origin in enumerate(life.origins.lines):
            checkpoint = by_id.get(origin) if origin is not None else None
            if checkpoint is None or checkpoint.origin.agent_id == THE_USER:
                continue
            if runs and runs[-1].end == index and runs[-1].checkpoint is checkpoint:
                runs[-1] = replace(runs[-1], end=index + 1)
            else:
                runs.append(self._blame(index, checkpoint, waits=checkpoint.id in waiting))
        return tuple(runs)

    async def turns(self) -> tuple[tuple[TurnMark, tuple[Checkpoint, ...]], ...]:
        """Return the turns that can be gone back to, oldest first, with what was written in each."""
        turns = self._session.data.turns
        checkpoints = await self._history.checkpoints()
        written: dict[TurnId | None, list[Checkpoint]] = {}
        for turn, each in zip(turns_of(turns, checkpoints), checkpoints, strict=True):
            written.setdefault(turn, []).append(each)
        return tuple((turn, tuple(written.get(turn.turn_id, ()))) for turn in turns)

    async def earlier(
        self, turn: TurnId, path: Path | None = None, *, texts: bool = False
    ) -> tuple[EarlierFile, ...]:
        """Return the files that were written in a turn or later, as they were before it.

        Args:
            turn: The turn.
            path: Only this file.
            texts: Whether to return what was in them, too.

        Raises:
            SessionError: The turn is not known.
            WorkspaceError: The one file was not written since, or an earlier text is lost.
        """
        firsts: dict[Path, Checkpoint] = {}
        for each in await self._writes_from(turn):
            if not self._steps.is_plan(each.path):
                firsts.setdefault(each.path, each)
        if path is not None:
            real = await asyncio.to_thread(path.resolve)
            if real not in firsts:
                raise WorkspaceError(
                    f"{path} was not changed since that message.",
                    hint="It is as it was then, as far as this chat knows.",
                )
            firsts = {real: firsts[real]}
        return tuple([await self._earlier(each, texts=texts) for each in firsts.values()])

    async def _earlier(self, first: Checkpoint, *, texts: bool) -> EarlierFile:
        return EarlierFile(
            path=first.path,
            existed=first.before is not None,
            exists=await asyncio.to_thread(first.path.exists),
            text=await self._steps.text(first.path, first.before) if texts else None,
        )

    # --- accepting and rejecting ---

    async def accept(self, path: Path | None = None, hunks: Iterable[str] | None = None) -> Taken:
        """Take note that the user has looked at changes: all, those of a file, or some hunks of it.

        Raises:
            WorkspaceError: The file cannot be read, or a hunk is not there any more.
        """
        async with self._lock:
            lives = await self.waiting(path)
            for life in lives:
                ids = _chosen(life, hunks)
                baseline = baseline_with_hunks(life.found, ids)
                await self._mark(life, baseline)
        return self._told(Taken(changed=tuple(life.path for life in lives)))

    async def reject(self, path: Path | None = None, hunks: Iterable[str] | None = None) -> Taken:
        """Take back changes: all that wait, those of a file, or some hunks of it.

        Raises:
            SessionError: A turn is running.
            WorkspaceError: The file cannot be read, or a hunk is not there any more.
        """
        self._check_idle()
        async with self._lock:
            planned = [
                replacing(life, without_hunks(life.found, _chosen(life, hunks)))
                for life in await self.waiting(path)
            ]
            taken = await self._carry_out(planned)
        self._tell_model(taken, "rejected changes that you made in")
        return self._told(taken)

    # --- going back ---

    async def plan_undo(
        self, *, turn: TurnId | None = None, call: ToolUseId | None = None
    ) -> tuple[PlannedFile, ...]:
        """Work out what taking back a turn's writes, or a call's, would do. Changes nothing."""
        chosen = [
            each
            for each in await self._history.checkpoints()
            if call == each.origin.tool_use_id or turn == each.origin.turn_id
        ]
        return await self._planner.plan(chosen)

    async def plan_rewind(self, turn: TurnId) -> tuple[PlannedFile, ...]:
        """Work out what putting all files back to before a turn would do. Changes nothing.

        Raises:
            SessionError: The turn is not known.
        """
        return await self._planner.plan(await self._writes_from(turn))

    async def carry_out(self, planned: Sequence[PlannedFile], *, force: bool, tell: bool) -> Taken:
        """Do what was planned.

        Args:
            planned: What ``plan_undo`` or ``plan_rewind`` said.
            force: Overwrite also where there is a conflict.
            tell: Whether the model still knows the writes, so that it must hear of this.

        Raises:
            SessionError: A turn is running.
        """
        self._check_idle()
        async with self._lock:
            taken = await self._carry_out(planned, force=force)
        if tell:
            self._tell_model(taken, "took back changes that you made in")
        return self._told(taken)

    def rewind_conversation(self, turn: TurnId) -> TurnMark:
        """Make the model forget a turn and what followed; returns its prompt.

        Raises:
            SessionError: A turn is running, or the turn is not known.
        """
        self._check_idle()
        self._turns_from(turn)
        mark = next(each for each in self._session.data.turns if each.turn_id == turn)
        self.rewind_to(mark.message_id)
        return mark

    def rewind_to(self, prompt: MessageId) -> None:
        """Make the model forget a prompt, what followed, and what it has seen of the files.

        Raises:
            SessionError: A turn is running, or the model does not know the prompt.
        """
        self._session.rewind(prompt)
        self._files.clear()

    async def _writes_from(self, turn: TurnId) -> tuple[Checkpoint, ...]:
        """Return what was written in a turn and later, by whomever, oldest first."""
        later = self._turns_from(turn)
        checkpoints = await self._history.checkpoints()
        turns = turns_of(self._session.data.turns, checkpoints)
        first = next((at for at, each in enumerate(turns) if each in later), len(checkpoints))
        return checkpoints[first:]

    def _turns_from(self, turn: TurnId) -> frozenset[TurnId]:
        known = [each.turn_id for each in self._session.data.turns]
        if turn not in known:
            raise SessionError(
                "turnId: that turn is not part of the conversation.",
                hint="List the checkpoints to see which turns can be gone back to.",
            )
        return frozenset(known[known.index(turn) :])

    async def _carry_out(self, planned: Sequence[PlannedFile], *, force: bool = False) -> Taken:
        origin = WriteOrigin(
            session_id=self._session.id,
            turn_id=new_turn_id(),
            agent_id=THE_USER,
            tool_use_id=_REVIEW_CALL,
        )
        changed: list[Path] = []
        refused: list[tuple[Path, str]] = []
        for each in planned:
            if each.action == "nothing":
                continue
            if each.action == "conflict" and not force:
                refused.append((each.path, each.reason))
                continue
            try:
                await self._planner.write(each, origin, self._files)
                changed.append(each.path)
            except WorkspaceError as error:
                refused.append((each.path, str(error)))
        return Taken(changed=tuple(changed), refused=tuple(refused))

    # --- helpers ---

    async def _known(self, path: Path) -> Path:
        real = await asyncio.to_thread(path.resolve)
        if real not in await self._steps.paths():
            raise WorkspaceError(f"{path} was not changed in this session.")
        return real

    async def _mark(self, life: FileLife, baseline: str | None) -> None:
        loaded = await self._edits.load_as_is(life.path)
        if loaded.text != life.found.current:
            raise WorkspaceError(f"{life.path} changed in the meantime; look at it again.")
        like = loaded.disk or TextFile(text="", encoding="utf-8")
        try:
            await self._history.mark_reviewed(
                life.path,
                baseline=None if baseline is None else encode(baseline, like, life.path.name),
                current=await asyncio.to_thread(current_content, loaded),
            )
        except OSError as error:
            raise WorkspaceError(
                f"That {life.path} was reviewed could not be kept ({error.strerror})."
            ) from error

    def _blame(self, index: int, checkpoint: Checkpoint, *, waits: bool) -> Blame:
        data = self._session.data
        turn = checkpoint.origin.turn_id
        return Blame(
            start=index,
            end=index + 1,
            checkpoint=checkpoint,
            turn=next((each for each in data.turns if each.turn_id == turn), None),
            decision=data.edit_decisions.get(checkpoint.origin.tool_use_id),
            waits=waits,
        )

    def _check_idle(self) -> None:
        if self._session.state != "idle":
            raise SessionError(
                "A turn is running, and what it writes could not be told from this.",
                hint="Stop it, or wait for its end.",
            )

    def _tell_model(self, taken: Taken, what: str) -> None:
        if not taken.changed:
            return
        names = ", ".join(str(path) for path in taken.changed)
        text = f"The user {what}: {names}. Read these files again before you edit them."
        self._session.log.emit(NoteAdded(text=text, origin="review"))

    def _told(self, taken: Taken) -> Taken:
        if taken.changed:
            paths = tuple(str(path) for path in taken.changed)
            self._session.log.tell(ReviewChanged(paths=paths))
        return taken


def _chosen(life: FileLife, hunks: Iterable[str] | None) -> frozenset[str]:
    known = frozenset(hunk.id for hunk in life.found.hunks)
    if hunks is None:
        return known
    chosen = frozenset(hunks)
    if chosen - known:
        raise WorkspaceError(
            f"{life.path}: a hunk is not there any more.", hint="Look at the changes again."
        )
    return chosen
