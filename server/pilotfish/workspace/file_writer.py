"""Where a text goes that a file is to hold: the open document, the cells, or the disk.

Owns: finding a file where it is true, and writing it there, also when that place changes meanwhile.
Does not own: how an editor is asked (``workspace.editor_writes``), how bytes reach the disk
(``workspace.disk``), what is written (``workspace.edit_pipeline``).
"""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pilotfish.core.errors import DocumentClosed, EditClash
from pilotfish.ports.editor import EditorPort
from pilotfish.workspace.disk import DiskStamp, delete_file, write_file
from pilotfish.workspace.editor_writes import put_if_open
from pilotfish.workspace.encoded import Content, EncodedText, KeptBytes
from pilotfish.workspace.loaded_file import (
    LoadedFile,
    find_document,
    find_notebook,
    load_file,
    same_lines,
)
from pilotfish.workspace.text_file import (
    MAX_TEXT_BYTES,
    TextFile,
    check_unambiguous,
    encode,
)
from pilotfish.workspace.unfinished import UnfinishedWrites


class FileWriter:
    """Files where they are true. ``unfinished`` remembers writes to disk that have begun."""

    def __init__(self, editor: EditorPort, unfinished: UnfinishedWrites | None) -> None:
        self._editor = editor
        self._unfinished = unfinished

    async def load(
        self, path: Path, known: Sequence[str] = (), max_bytes: int = MAX_TEXT_BYTES
    ) -> LoadedFile:
        """Load a file from the open document or the cells, else from the disk.

        Raises:
            TooLargeError: It is larger than allowed.
            WorkspaceError: It is no text file, or cannot be read.
        """
        document = find_document(self._editor, path)
        notebook = find_notebook(self._editor, path)
        return await asyncio.to_thread(load_file, path, document, notebook, known, max_bytes)

    async def load_settled(
        self, path: Path, known: Sequence[str] = (), max_bytes: int = MAX_TEXT_BYTES
    ) -> LoadedFile:
        """Load a file as ``load`` does, and not what an editor shows that has yet to hear of a change.

        Raises:
            As ``load``.
        """
        loaded = await self.load(path, known, max_bytes)
        document, disk = loaded.document, loaded.disk
        if document is None or disk is None:
            return loaded
        if not loaded.is_unsaved:
            self._editor.in_step(document)
        elif await self._editor.follows(document, disk.text):
            return await self.load(path, known, max_bytes)
        return loaded

    async def put(
        self,
        loaded: LoadedFile,
        text: str,
        data: Content,
        kept: Sequence[KeptBytes] = (),
        *,
        save: bool,
    ) -> list[str]:
        """Write a file where it was loaded from; returns what the model should know.

        A document may be closed at that very moment: so is the tab of a diff that was answered.

        Args:
            loaded: The file as it is expected to be.
            text: What it is to hold.
            data: The same for the disk.
            kept: Bytes on the disk that stay as they are.
            save: Whether an open document is saved if it was before.

        Raises:
            EditClash: It holds something else now.
            WorkspaceError: The editor refused, or the disk did.
        """
        try:
            return await self._put(loaded, text, data, kept, save=save)
        except DocumentClosed:
            now = await self.load(loaded.path, [text])
        if now.text is not None and same_lines(now.text, text):
            return []
        if now.text != loaded.text:
            raise EditClash(f"{loaded.path} changed in the meantime; it was left alone.")
        return await self._put(now, text, _for_disk(data, now), (), save=save)

    async def delete(self, loaded: LoadedFile) -> None:
        """Delete a file from the disk if it is there as it was loaded.

        Raises:
            EditClash: Somebody else has changed it.
            WorkspaceError: It cannot be deleted.
        """
        await asyncio.to_thread(delete_file, loaded.real_path, expected=_stamp(loaded.disk))

    async def _put(
        self,
        loaded: LoadedFile,
        text: str,
        data: Content,
        kept: Sequence[KeptBytes],
        *,
        save: bool,
    ) -> list[str]:
        notes = await put_if_open(self._editor, loaded, text, save=save)
        if notes is not None:
            return notes
        await asyncio.to_thread(
            write_file,
            loaded.real_path,
            data,
            expected=_stamp(loaded.disk),
            kept=kept,
            unfinished=self._unfinished,
        )
        return []


def _for_disk(data: Content, now: LoadedFile) -> Content:
    """Encode a text, that an editor was to encode in its own way, as its file is encoded.

    Raises:
        WorkspaceError: That encoding cannot hold the text, or cannot be told well enough.
    """
    if now.document is not None or now.disk is None or not isinstance(data, EncodedText):
        return data
    added = "".join(set(data.text) - set(now.disk.text))
    check_unambiguous(added, now.disk, now.path.name)
    return encode(data.text, now.disk, now.path.name)


def _stamp(disk: TextFile | None) -> DiskStamp | None:
    return None if disk is None else DiskStamp(mtime_ns=disk.mtime_ns, size=disk.size)
