"""What Read shows of files that are no plain text: pictures, PDF documents, notebooks.

Owns: their limits and the form of their results. See also: design 06 §4.1.
"""

import asyncio
from pathlib import Path

from pilotfish.core.errors import WorkspaceError
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.tooling.context import ToolContext
from pilotfish.tooling.spec import ToolResult, text_result
from pilotfish.tools.notebook_text import CellWriter
from pilotfish.workspace.loaded_file import LoadedFile
from pilotfish.workspace.notebook import find_cell, parse_notebook
from pilotfish.workspace.pdf import PageRange, read_pdf
from pilotfish.workspace.pictures import MAX_FILE_BYTES, fit_picture
from pilotfish.workspace.text_file import read_bytes

MAX_CHARS = 100_000
"""Longest text of one result: about 25,000 tokens at four characters each."""


async def read_picture(path: Path) -> ToolResult:
    """Show a picture, made smaller when it has to be.

    Raises:
        WorkspaceError: It cannot be shown.
        FileNotFoundError: It is gone.
    """
    size = (await asyncio.to_thread(path.stat)).st_size
    if size > MAX_FILE_BYTES:
        raise WorkspaceError(
            f"{path} is an image of {size:,} bytes; {MAX_FILE_BYTES:,} is the limit.",
            hint="Make a smaller copy with Bash and read that.",
        )
    data, _ = await asyncio.to_thread(read_bytes, path)
    picture = await asyncio.to_thread(fit_picture, data, str(path))
    note = (TextBlock(text=f"({picture.note})"),) if picture.note else ()
    return ToolResult(content=(picture.block, *note))


async def read_document(path: Path, pages: PageRange | None, ctx: ToolContext) -> ToolResult:
    """Show the text of PDF pages.

    Raises:
        WorkspaceError: It cannot be read, or pages must be named.
    """
    found = await read_pdf(ctx.processes, path, pages)
    parts = [
        f"--- page {found.first + at} of {found.total} ---\n{text.strip() or '(no text)'}"
        for at, text in enumerate(found.pages)
    ]
    text = "\n\n".join(parts)
    if len(text) > MAX_CHARS:
        return text_result(
            f"These pages of {path} have {len(text):,} characters, too many to show at once. Name "
            "fewer in pages.",
            is_error=True,
        )
    if not any(page.strip() for page in found.pages):
        text += "\n\n(The pages hold no text; they may be scanned pictures.)"
    return text_result(text)


async def read_cells(path: Path, cell_id: str | None, ctx: ToolContext) -> ToolResult:
    """Show a notebook's cells, or one of them, and remember the notebook as read.

    Raises:
        WorkspaceError: It is no notebook, or has no such cell.
    """
    loaded = await ctx.edits.load(path)
    if loaded.text is None:
        return text_result(f"{path} was deleted in the meantime.", is_error=True)
    blocks = await asyncio.to_thread(_cells, loaded, cell_id)
    size = sum(len(block.text) for block in blocks if isinstance(block, TextBlock))
    if size > MAX_CHARS:
        return text_result(
            f"{path} has {size:,} characters, too many to show at once. Use NotebookRead with a "
            "cell_id for one cell, or Grep to find the place.",
            is_error=True,
        )
    ctx.files.record(loaded.real_path, loaded.state("read", full=cell_id is None))
    note = _unsaved_note(loaded)
    return ToolResult(content=(*blocks, *note))


def _cells(loaded: LoadedFile, cell_id: str | None) -> tuple[TextBlock | ImageBlock, ...]:
    notebook = parse_notebook(loaded.text or "", str(loaded.path))
    cells = notebook.cells
    if cell_id is not None:
        cells = (cells[find_cell(notebook, cell_id)],)
    if not cells:
        return (TextBlock(text=f"({loaded.path} has no cells.)"),)
    writer = CellWriter(notebook)
    for cell in cells:
        writer.add(cell)
    return writer.blocks()


def _unsaved_note(loaded: LoadedFile) -> tuple[TextBlock, ...]:
    if loaded.unreadable_cells:
        return (
            TextBlock(
                text="(It is open in the user's editor with changes that are not saved and cannot be "
                f"shown here: {loaded.unreadable_cells})"
            ),
        )
    if loaded.has_unsaved_cells:
        note = "(The cells are shown as in the user's editor, with changes not saved to disk."
        if loaded.notebook is None or not loaded.notebook.editable:
            note += " It cannot be edited until the user saves it."
        return (TextBlock(text=note + ")"),)
    if loaded.is_unsaved:
        return (
            TextBlock(
                text="(This is the text in the user's editor, with changes not saved to disk.)"
            ),
        )
    return ()
