"""Writing through the user's editor, where a file is open.

Owns: the change of a buffer or of cells, saving what was saved before, how long that may take.
Does not own: what is written, and what happens around it (``workspace.edit_pipeline``).
"""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.ports.editor import EditorPort, OpenDocument, OpenNotebook
from pilotfish.workspace.live_cells import cell_splice, same_cells
from pilotfish.workspace.loaded_file import LoadedFile, same_lines
from pilotfish.workspace.text_file import load_text_file

EDITOR_LIMIT_S = 10.0
"""How long the editor may take to change or save a document."""

_LEFT_UNSAVED = "The file is open, and the user wants to save edits: this one is in the editor and not yet on disk."


async def put_if_open(
    editor: EditorPort, loaded: LoadedFile, text: str, *, save: bool
) -> list[str] | None:
    """Give a file another text where an editor holds it; None where it is the disk that is written.

    Returns what the model should know. ``save``: whether it is saved if it was before.

    Raises:
        DocumentClosed: It is not open any more.
        EditClash: It is not any more what was loaded.
        WorkspaceError: The editor refused.
    """
    if loaded.document is not None:
        return await _put_in_document(editor, loaded, loaded.document, text, save=save)
    if loaded.notebook is not None and not loaded.is_on_disk:
        return await _put_in_cells(editor, loaded, loaded.notebook, text, save=save)
    return None


async def _put_in_document(
    editor: EditorPort, loaded: LoadedFile, document: OpenDocument, text: str, *, save: bool
) -> list[str]:
    await _in_time(editor.apply_text(document, text, f"Edit {loaded.path.name}"), loaded.path)
    if loaded.is_unsaved:
        return [
            "The document is open with unsaved changes: the edit is in the editor's buffer and not "
            "saved to disk."
        ]
    if not save:
        return [_LEFT_UNSAVED]

    def is_saved(disk: str) -> bool:
        now = editor.document(document.path)
        return any(same_lines(disk, each) for each in (text, *([now.text] if now else [])))

    return await _save(editor, document.path, is_saved)


async def _put_in_cells(
    editor: EditorPort, loaded: LoadedFile, notebook: OpenNotebook, text: str, *, save: bool
) -> list[str]:
    name = loaded.path.name
    splice = await asyncio.to_thread(cell_splice, loaded.text or "", text, name)
    await _in_time(editor.apply_cells(notebook, splice, f"Edit {name}"), loaded.path)
    if loaded.has_unsaved_cells:
        return [
            "The notebook is open with unsaved changes: the edit is in the editor and not saved to "
            "disk."
        ]
    if not save:
        return [_LEFT_UNSAVED]

    def is_saved(disk: str) -> bool:
        now = editor.notebook(notebook.path)
        return same_lines(disk, text) if now is None else same_cells(disk, now.cells, name)

    return await _save(editor, notebook.path, is_saved)


async def _save(editor: EditorPort, path: Path, is_saved: Callable[[str], bool]) -> list[str]:
    """Have a file saved. What came of it is seen on the disk: an editor may have saved it by itself.

    Raises:
        EditClash: It was closed, and is not saved.
    """
    reason = ""
    try:
        async with asyncio.timeout(EDITOR_LIMIT_S):
            await editor.save(path)
    except TimeoutError:
        reason = f"it takes longer than {EDITOR_LIMIT_S:.0f} s (a slow formatter, say)"
    except WorkspaceError as error:
        reason = str(error)
    is_open = editor.document(path) is not None or editor.notebook(path) is not None
    if (is_open and not reason) or await asyncio.to_thread(_holds, path, is_saved):
        return []
    if not is_open:
        raise EditClash(
            f"{path} was closed in the editor before the edit was saved; the edit is lost.",
            hint="Read it again, then repeat the edit on the new text.",
        )
    return [f"The edit is in the editor's buffer, but saving it failed: {reason}"]


def _holds(path: Path, is_saved: Callable[[str], bool]) -> bool:
    try:
        return is_saved(load_text_file(path).text)
    except (OSError, WorkspaceError):
        return False


async def _in_time(work: Awaitable[object], path: Path) -> None:
    """Wait for the editor to change something, within its limit."""
    try:
        async with asyncio.timeout(EDITOR_LIMIT_S):
            await work
    except TimeoutError as error:
        raise WorkspaceError(
            f"{path}: the editor did not take the edit within {EDITOR_LIMIT_S:.0f} s.",
            hint="Read the file to see whether it changed.",
        ) from error
