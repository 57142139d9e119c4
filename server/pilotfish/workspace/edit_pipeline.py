"""The one road on which files are changed.

Owns: load → match → preview, and load again → check → checkpoint → write → verify → tell, with one
writer per file at a time.
Does not own: permission (between preview and apply), matching rules (``workspace.matching``), how
bytes reach the disk (``workspace.disk``).
See also: design §5.

Policy for files with several names: a symlink is followed to its file; a file with hard links is
written in place, so that every name shows the new text.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.core.ids import CheckpointId
from pilotfish.ports.editing import EditObserver, EditRecord
from pilotfish.ports.editor import EditorPort
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope
from pilotfish.workspace.editor_writes import EDITOR_LIMIT_S
from pilotfish.workspace.encoded import Content, EncodedText, hash_content
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.file_writer import FileWriter
from pilotfish.workspace.history import Checkpoint, FileHistory, WriteOrigin
from pilotfish.workspace.loaded_file import (
    LoadedFile,
    current_content,
    find_document,
    find_notebook,
    load_file,
    resolve_links,
    was_typed_in,
)
from pilotfish.workspace.path_locks import PathLocks
from pilotfish.workspace.proposal import (
    Agreed,
    Change,
    EncodedProposal,
    Proposal,
    WholeText,
    check_agreed,
    check_writable,
    differences,
    encode_proposal,
    propose,
)
from pilotfish.workspace.text_file import MAX_TEXT_BYTES, TextFile, decode, encode
from pilotfish.workspace.unfinished import UnfinishedWrites

logger = logging.getLogger(__name__)

T = TypeVar("T")

CANCEL_GRACE_S = 0.3
"""How long a cancelled call waits for a write that has begun, so that its lock ends with it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AppliedEdit:
    """A write that happened."""

    path: Path
    """As asked for."""
    checkpoint_id: CheckpointId
    old_text: str | None
    """None when the file was created."""
    new_text: str
    """As it is now; differs from what was proposed when the editor formatted it on save."""
    notes: tuple[str, ...] = ()
    """What the model should know beside success, one sentence each."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewContent:
    """What a file is to hold."""

    content: str | bytes | None
    """A text takes the encoding that the file has; bytes are written as they are; None deletes."""
    origin: WriteOrigin
    mode: int | None = None
    """Permission bits for a file that does not exist now; None: the usual ones."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlannedEdit:
    """One of several edits that belong together."""

    path: Path
    change: Change
    agreed: Agreed


@dataclass(frozen=True, kw_only=True, slots=True)
class _Written:
    """A write that nobody has been told of yet."""

    applied: AppliedEdit
    real_path: Path
    checkpoint: Checkpoint


class EditPipeline:
    """A session's edits. Create one per session; share ``locks`` among the sessions of a process."""

    def __init__(
        self,
        *,
        editor: EditorPort,
        history: FileHistory,
        observers: Sequence[EditObserver] = (),
        locks: PathLocks | None = None,
        before_write: Callable[[Path, str | None], Awaitable[None]] | None = None,
        unfinished: UnfinishedWrites | None = None,
    ) -> None:
        """Build the pipeline.

        Args:
            editor: Open documents.
            history: Where the texts before and after each write are kept.
            observers: Hear of each write that has happened.
            locks: One writer per file, across the sessions of a process.
            before_write: Awaited just before an agent's write, under the file's lock, with the real
                path and the text before it (None for a new file).
            unfinished: Remembers writes that have begun, so that a killed one leaves nothing behind.
        """
        self.saves = True
        """Whether an open file that was saved before an edit is saved after it."""
        self._before_write = before_write
        self._editor = editor
        self._history = history
        self._observers = tuple(observers)
        self._locks = locks or PathLocks()
        self._writer = FileWriter(editor, unfinished)
        self._scope = TaskScope("edits")
        self._writing: set[asyncio.Task[Any]] = set()

    async def close(self) -> None:
        """Wait for writes that have begun, up to the editor's limit."""
        if self._writing:
            await asyncio.wait(self._writing, timeout=EDITOR_LIMIT_S)
        await self._scope.close()

    async def load(
        self, path: Path, known: Sequence[str] = (), *, max_bytes: int = MAX_TEXT_BYTES
    ) -> LoadedFile:
        """Load a file from where it is true: the open document, else the disk.

        ``known`` are texts that it may hold and that are in memory already; a file on disk of more
        than ``max_bytes`` is not loaded.

        Raises:
            TooLargeError: It is larger than allowed.
            WorkspaceError: It is no text file, or cannot be read.
        """
        return await self._writer.load_settled(path, known, max_bytes)

    async def load_as_is(self, path: Path) -> LoadedFile:
        """Load a file as it is shown now, even where an editor has yet to hear of a change on the disk.

        Raises:
            WorkspaceError: It is no text file, or cannot be read.
        """
        return await self._writer.load(path)

    async def preview(
        self, path: Path, change: Change, files: FileStates, agreed: Agreed | None = None
    ) -> Proposal:
        """Work out exactly what ``apply`` would do now. Changes nothing.

        ``agreed`` is an earlier preview of it.

        Raises:
            WorkspaceError: The change cannot be made; says what to do.
        """
        seen = files.get(await asyncio.to_thread(resolve_links, path))
        known = [seen.text if seen else None, agreed.preview.old_text if agreed else None]
        loaded = await self.load(path, [text for text in known if text is not None])
        outcome = agreed.preview.new_text if agreed else None
        proposal = await asyncio.to_thread(propose, loaded, change, files, outcome)
        await asyncio.to_thread(check_writable, proposal)
        return proposal

    async def apply(
        self,
        path: Path,
        change: Change,
        *,
        files: FileStates,
        origin: WriteOrigin,
        agreed: Agreed | None = None,
    ) -> AppliedEdit:
        """Make a change. The file is loaded, checked and matched again under its lock.

        Once writing has begun it is finished, even when the call is cancelled.

        ``agreed`` is what was shown and judged before; None where no edit was proposed.

        Raises:
            EditClash: The file changed since the agent read it, or is not what was agreed on;
                nothing was written.
            WorkspaceError: The change cannot be made.
        """
        real_path = await asyncio.to_thread(resolve_links, path)
        async with self._locks.hold(real_path):
            proposal = await self.preview(path, change, files, agreed)
            if agreed is not None:
                check_agreed(proposal, agreed)
            proposal = await self._announced(proposal)
            return await self._to_its_end(self._write(proposal, files, origin), path)

    async def apply_together(
        self, edits: Sequence[PlannedEdit], *, files: FileStates, origin: WriteOrigin
    ) -> tuple[AppliedEdit, ...]:
        """Change several files: all of them, or none.

        All are checked before the first is written. If one cannot be written after all, what was
        written before it is put back as it was.

        Raises:
            EditClash: A file is not what was agreed on; nothing is changed.
            WorkspaceError: One cannot be written; says which files could not be put back, if any.
        """
        names = [await asyncio.to_thread(resolve_links, each.path) for each in edits]
        if len(set(names)) < len(names):
            raise WorkspaceError("Two of the files are the same one; nothing was written.")
        async with AsyncExitStack() as locks:
            for real_path in sorted(
                names
            ):  # in one order, so that two of these never wait crosswise
                await locks.enter_async_context(self._locks.hold(real_path))
            proposals: list[Proposal] = []
            for each in edits:
                proposal = await self.preview(each.path, each.change, files, each.agreed)
                check_agreed(proposal, each.agreed)
                proposals.append(await self._announced(proposal))
            return await self._to_its_end(
                self._write_together(proposals, files, origin), edits[0].path
            )

    async def overwrite(
        self, path: Path, new: NewContent, *, expected: str | None, files: FileStates
    ) -> Checkpoint | None:
        """Give a file another content because the user wants it so. No agent has a say in it.

        Args:
            path: The file.
            new: What it is to hold, or that it is to go.
            expected: The text that it must have now; None when it must not exist.
            files: The memory of the agents' reads; the file must be read again before an edit.

        Returns:
            The checkpoint by which this can be undone in turn; None when nothing had to change.

        Raises:
            EditClash: The file is not what was expected; nothing was written.
            WorkspaceError: It cannot be written.
        """
        real_path = await asyncio.to_thread(resolve_links, path)
        async with self._locks.hold(real_path):
            loaded = await self.load(path)
            if loaded.text != expected:
                raise EditClash(f"{path} changed in the meantime; it was left alone.")
            return await self._to_its_end(self._overwrite(loaded, new, files), path)

    async def _to_its_end(self, work: Coroutine[Any, Any, T], path: Path) -> T:
        """Do a write that, once begun, is finished even when whoever wants it is cancelled."""
        writing = self._scope.start(work, name=f"write {path.name}", awaited=True)
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        try:
            return await asyncio.shield(writing)
        except asyncio.CancelledError:
            await asyncio.wait({writing}, timeout=CANCEL_GRACE_S)
            raise

    async def _overwrite(
        self, loaded: LoadedFile, new: NewContent, files: FileStates
    ) -> Checkpoint | None:
        before = await asyncio.to_thread(current_content, loaded)
        after = await asyncio.to_thread(_content_of, new, loaded)
        if await asyncio.to_thread(_is_same, before, after):
            return None
        mode = new.mode if loaded.disk is None else loaded.disk.mode
        checkpoint = await self._history.add(
            new.origin, loaded.real_path, before=before, after=after, mode=mode
        )
        try:
            await self._put_back(loaded, after, new.mode)
        except BaseException:  # a stop included
            await self._history.void(checkpoint)
            raise
        files.forget(loaded.real_path)
        return checkpoint

    async def _write(
        self, proposal: Proposal, files: FileStates, origin: WriteOrigin
    ) -> AppliedEdit:
        written = await self._write_one(proposal, files, origin)
        self._tell(written.applied, written.real_path, origin)
        return written.applied

    async def _write_together(
        self, proposals: Sequence[Proposal], files: FileStates, origin: WriteOrigin
    ) -> tuple[AppliedEdit, ...]:
        done: list[_Written] = []
        try:
            for proposal in proposals:
                done.append(await self._write_one(proposal, files, origin))
        except (WorkspaceError, OSError) as error:
            left = [one for one in reversed(done) if not await self._take_back(one, files)]
            for one in left:
                self._tell(one.applied, one.real_path, origin)
            raise _not_together(error, left) from error
        for one in done:
            self._tell(one.applied, one.real_path, origin)
        return tuple(one.applied for one in done)

    async def _take_back(self, written: _Written, files: FileStates) -> bool:
        """Put a file back as it was before a write; False when that is not possible any more."""
        before = written.checkpoint.before
        try:
            now = await self.load(written.applied.path)
            if before is None or now.text != written.applied.new_text:
                return False
            await self._put_back(now, await self._history.content(before), None)
        except (WorkspaceError, OSError):
            logger.exception("%s could not be put back", written.real_path)
            return False
        await self._history.void(written.checkpoint)
        files.forget(written.real_path)
        return True

    async def _announced(self, proposal: Proposal) -> Proposal:
        """Tell of a write before it. To look at the file, an editor may have opened it meanwhile.

        What it holds then is written there, so that it does not lag behind the disk; if it made another
        text of the same bytes, the bytes stay and it follows by itself.

        Raises:
            EditClash: The user has changed it there already.
        """
        loaded = proposal.loaded
        if self._before_write is None:
            return proposal
        await self._before_write(loaded.real_path, loaded.text)
        document = find_document(self._editor, loaded.path) if loaded.document is None else None
        if document is None or loaded.text is None:
            return proposal
        if was_typed_in(document.text, loaded):
            raise EditClash(f"{loaded.path} changed in the meantime; it was left alone.")
        if document.text != loaded.text:
            return proposal
        return replace(proposal, loaded=replace(loaded, document=document))

    async def _write_one(
        self, proposal: Proposal, files: FileStates, origin: WriteOrigin
    ) -> _Written:
        loaded = proposal.loaded
        checkpoint, encoded = await self._keep(proposal, origin)
        try:
            notes = await self._writer.put(
                loaded, proposal.new_text, encoded.after, encoded.kept, save=self.saves
            )
        except BaseException:  # a stop included
            await self._history.void(checkpoint)
            raise
        now = await self._written(loaded, proposal.new_text)
        if proposal.is_known:
            files.record(now.real_path, now.state("edit" if proposal.replacements else "write"))
        else:
            files.forget(now.real_path)
        applied = AppliedEdit(
            path=loaded.path,
            checkpoint_id=checkpoint.id,
            old_text=loaded.text,
            new_text=proposal.new_text if now.text is None else now.text,
            notes=(*notes, *differences(proposal, now)),
        )
        return _Written(applied=applied, real_path=loaded.real_path, checkpoint=checkpoint)

    async def _written(self, loaded: LoadedFile, text: str) -> LoadedFile:
        """Load a file after a write, from where it was written."""
        if not loaded.is_on_disk:
            return await self._writer.load(loaded.path, [text])
        notebook = find_notebook(self._editor, loaded.path)
        return await asyncio.to_thread(load_file, loaded.path, None, notebook, [text])

    async def _keep(
        self, proposal: Proposal, origin: WriteOrigin
    ) -> tuple[Checkpoint, EncodedProposal]:
        """Put the bytes before and after into the history."""
        loaded = proposal.loaded
        encoded = await asyncio.to_thread(encode_proposal, proposal)
        try:
            checkpoint = await self._history.add(
                origin,
                loaded.real_path,
                before=encoded.before,
                after=encoded.after,
                mode=None if loaded.disk is None else loaded.disk.mode,
            )
        except OSError as error:
            raise WorkspaceError(
                f"{loaded.path} was not changed: its text could not be saved to the file history "
                f"({error.strerror})."
            ) from error
        return checkpoint, encoded

    async def _put_back(self, loaded: LoadedFile, data: Content | None, mode: int | None) -> None:
        if data is None:
            await self._writer.delete(loaded)
            return
        if isinstance(data, EncodedText):
            text = data.text
        else:
            text = (await asyncio.to_thread(decode, data, loaded.path.name)).text
        await self._writer.put(loaded, text, data, save=self.saves)
        if loaded.disk is None and mode is not None:
            await asyncio.to_thread(loaded.real_path.chmod, mode)

    def _tell(self, applied: AppliedEdit, real_path: Path, origin: WriteOrigin) -> None:
        record = EditRecord(
            session_id=origin.session_id,
            turn_id=origin.turn_id,
            agent_id=origin.agent_id,
            tool_use_id=origin.tool_use_id,
            checkpoint_id=applied.checkpoint_id,
            path=real_path,
            old_text=applied.old_text,
            new_text=applied.new_text,
        )
        for observer in self._observers:
            try:
                observer.edited(record)
            except Exception:  # the write has happened and must not count as failed
                logger.exception("an observer failed on the edit of %s", real_path)


def _not_together(error: WorkspaceError | OSError, left: Sequence[_Written]) -> WorkspaceError:
    reason = str(error).rstrip(".")
    if not left:
        return WorkspaceError(
            f"{reason}. The files that were written before it are as they were.",
            hint="Nothing has changed; ask again on what is there now.",
        )
    names = ", ".join(str(one.applied.path) for one in left)
    return WorkspaceError(
        f"{reason}. These were changed already and could not be put back: {names}.",
        hint="Look at them, and finish or undo the change by hand.",
    )


def _content_of(new: NewContent, loaded: LoadedFile) -> Content | None:
    if not isinstance(new.content, str):
        return new.content
    like = loaded.disk or TextFile(text="", encoding="utf-8")
    return encode(new.content, like, loaded.path.name)


def _is_same(one: Content | None, other: Content | None) -> bool:
    if one is None or other is None:
        return one is other
    return hash_content(one) == hash_content(other)


__all__ = [
    "Agreed",
    "AppliedEdit",
    "Change",
    "EditPipeline",
    "LoadedFile",
    "NewContent",
    "PlannedEdit",
    "Proposal",
    "WholeText",
    "WriteOrigin",
]
