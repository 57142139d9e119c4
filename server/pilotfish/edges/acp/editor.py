"""An ACP client's open files: text that it has and the disk has not.

Owns: ``ports.editor.EditorPort`` over ``fs/read_text_file`` and ``fs/write_text_file``.
Does not own: how an edit is made (``workspace.edit_pipeline``).

Such a client tells of a file when it is asked, and does not say whether it is open. What it holds counts as an
open document only where it differs from the disk: that is unsaved text, which must be seen and not be
overwritten. All other files are read and written on the disk, where every byte is ours to keep.
"""

import asyncio
import logging
from collections.abc import Sequence
from pathlib import Path

from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.core.ids import SessionId
from pilotfish.edges.attachment import Peer
from pilotfish.edges.channel import ChannelError
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.editor import EditorPort, NoEditor, OpenDocument
from pilotfish.workspace.text_file import NotTextError, load_text_file

logger = logging.getLogger(__name__)

ANSWER_S = 3.0
"""How long the client may take to tell what it holds. One that does not answer is not asked again."""

WRITE_S = 10.0
"""How long it may take to write; it may ask its user."""

MAX_ASKED_BYTES = 4 * 1024 * 1024
"""Largest file that is asked for: it travels in one message, which has a limit."""

SETTLED_S = 1.0
"""How long after a change of the disk an editor may still hold the text before it, unchanged by anybody."""

_ASK_AGAIN_S = 0.1


class ClientFiles:
    """What the client can do with files."""

    def __init__(self, peer: Peer, *, can_write: bool) -> None:
        """Set it up; a client that cannot tell what it holds offers nothing."""
        self._peer = peer
        self._can_write = can_write
        self._is_silent = False

    async def read(self, session: SessionId, path: Path) -> str | None:
        """Return the text that the client holds; None where it has or tells none."""
        if self._is_silent:
            return None
        params = {"sessionId": session, "path": str(path)}
        try:
            async with asyncio.timeout(ANSWER_S):
                content = (await self._peer.ask("fs/read_text_file", params)).get("content")
        except TimeoutError:
            logger.warning("the client does not tell what it holds of files; the disk counts")
            self._is_silent = True
            return None
        except ChannelError as error:
            logger.debug("the client tells nothing of %s: %s", path, error)
            return None
        return content if isinstance(content, str) else None

    async def write(self, session: SessionId, path: Path, text: str) -> None:
        """Give a file another text through the client.

        Raises:
            WorkspaceError: The client does not do it.
        """
        if not self._can_write:
            raise WorkspaceError(
                f"{path} has unsaved changes in the editor, which takes no edits from here.",
                hint="Ask the user to save it first.",
            )
        params = {"sessionId": session, "path": str(path), "content": text}
        try:
            async with asyncio.timeout(WRITE_S):
                await self._peer.ask("fs/write_text_file", params)
        except (TimeoutError, ChannelError) as error:
            reason = str(error) or f"it did not answer within {WRITE_S:.0f} seconds"
            raise WorkspaceError(
                f"{path} was not written by the editor: {reason}.",
                hint="Read the file to see whether it changed.",
            ) from error


class AcpEditor(NoEditor):
    """The client, before it is known what it offers and for which session."""

    def __init__(self, clock: ClockPort) -> None:
        self.clock = clock
        self.files: ClientFiles | None = None
        """None as long as it offers none."""

    def for_session(self, session: SessionId) -> EditorPort:
        """Return what a session sees of it."""
        return _SessionEditor(self, session)


class _SessionEditor(NoEditor):
    def __init__(self, client: AcpEditor, session: SessionId) -> None:
        self._client = client
        self._session = session
        self._unsaved: dict[Path, OpenDocument] = {}
        self._version = 0

    def document(self, path: Path) -> OpenDocument | None:
        """Return what the client held of a file when it was last looked at, if it was unsaved."""
        return self._unsaved.get(path)

    def open_paths(self) -> Sequence[Path]:
        """Return the files that had unsaved text when they were last looked at."""
        return tuple(self._unsaved)

    async def look(self, path: Path) -> None:
        """Ask what the client holds of a file."""
        text = await self._unsaved_text(path)
        known = self._unsaved.get(path)
        if text is None:
            self._unsaved.pop(path, None)
        elif known is None or known.text != text:
            self._version += 1
            self._unsaved[path] = OpenDocument(path=path, version=self._version, text=text)

    async def apply_text(self, document: OpenDocument, new_text: str, label: str) -> OpenDocument:  # noqa: ARG002 - ACP has no labels
        """Have the client write a file, unless its text is another one by now."""
        files = self._client.files
        if files is None or await files.read(self._session, document.path) != document.text:
            raise EditClash(
                f"{document.path} changed in the editor in the meantime; nothing was written.",
                hint="Read it again.",
            )
        await files.write(self._session, document.path, new_text)
        await self.look(document.path)
        return self.document(document.path) or document

    async def _unsaved_text(self, path: Path) -> str | None:
        while self._client.files is not None:
            on_disk = await asyncio.to_thread(_on_disk, path)
            if on_disk is None:
                return None
            text = await self._client.files.read(self._session, path)
            if text is None or _lines(text) == _lines(on_disk[0]):
                return None
            if not 0 <= self._client.clock.now_ms() / 1000 - on_disk[1] < SETTLED_S:
                return text
            # The disk has just changed, perhaps by us: the editor follows in a moment, or was typed in.
            await self._client.clock.sleep(_ASK_AGAIN_S)
        return None


def _on_disk(path: Path) -> tuple[str, float] | None:
    """Return a file's text and when it was written; None where editors may read its bytes in another way."""
    try:
        found = load_text_file(path, max_bytes=MAX_ASKED_BYTES)
        written_s = path.stat().st_mtime
    except (OSError, NotTextError, WorkspaceError):
        return None
    return (found.text, written_s) if found.encoding == "utf-8" else None


def _lines(text: str) -> str:
    """Return a text as it reads with one kind of line ends and without a mark before it."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
