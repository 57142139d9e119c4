"""What the tools that write files have in common.

Owns: the checks before and the result after a write. See also: design 06 §25.
"""

import asyncio
from pathlib import Path

from pilotfish.core.calls import DiffDisplay
from pilotfish.core.messages import TextBlock
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import ToolInputError, ToolResult
from pilotfish.tools.paths import short_path
from pilotfish.workspace.edit_pipeline import AppliedEdit, WriteOrigin
from pilotfish.workspace.loaded_file import find_document, resolve_links
from pilotfish.workspace.lookalikes import missing_file
from pilotfish.workspace.snippets import snippet


def origin_of(ctx: CallContext) -> WriteOrigin:
    """Return who writes."""
    return WriteOrigin(
        session_id=ctx.tools.session_id,
        turn_id=ctx.turn_id,
        agent_id=ctx.tools.agent_id,
        tool_use_id=ctx.tool_use_id,
    )


async def check_editable(path: Path, ctx: ToolContext, *, must_exist: bool) -> None:
    """Make sure that a path can name a text file that is written.

    Raises:
        ToolInputError: It cannot; the text says what to do.
    """
    if path.suffix.lower() == ".ipynb":
        raise ToolInputError(
            f"{path} is a Jupyter notebook; writing it as text would damage it. "
            "Change its cells with NotebookEdit; make a new notebook with a script."
        )
    if find_document(ctx.editor, path) is None:
        await asyncio.to_thread(check_on_disk, path, ctx.cwd, must_exist=must_exist)


async def places_of(path: Path) -> tuple[Path, ...]:
    """Return a file as named and, where links lead elsewhere, the real one.

    Both are judged, and ``agreed`` holds the write to them: a link that is turned between the
    question and the write must not take the write with it.

    Raises:
        WorkspaceError: The links go round in a circle.
    """
    real_path = await asyncio.to_thread(resolve_links, path)
    return (path,) if real_path == path else (path, real_path)


def edit_result(applied: AppliedEdit, ctx: ToolContext, *notes: str) -> ToolResult:
    """Tell model and people about a write."""
    name = short_path(applied.path, ctx)
    if applied.old_text is None:
        parts = [f"{name} created."]
    else:
        parts = [f"{name} updated."]
        shown = snippet(applied.old_text, applied.new_text)
        if shown:
            parts.append(f"It now reads, around the change:\n{shown}")
    parts += [*applied.notes, *notes]
    return ToolResult(
        content=(TextBlock(text="\n".join(parts)),),
        display=(
            DiffDisplay(
                path=str(applied.path), old_text=applied.old_text, new_text=applied.new_text
            ),
        ),
    )


def check_on_disk(path: Path, cwd: Path, *, must_exist: bool) -> None:
    """Make sure that a path names no folder, and a file that exists if it must. Blocking.

    Raises:
        ToolInputError: It does not; the text says what to do.
    """
    try:
        if path.is_dir():
            raise ToolInputError(f"{path} is a folder. Give the path of a file.")
        if must_exist and not path.exists() and not path.is_symlink():
            raise ToolInputError(" ".join(missing_file(path, cwd)))
    except OSError as error:
        raise ToolInputError(f"{path} cannot be looked up: {error.strerror}.") from error
