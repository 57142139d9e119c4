"""Renaming a symbol in all files that use it, as one change.

Owns: turning a source's answer into exact changes of files as they are now, and carrying them out
through the edit pipeline, all or none.
Does not own: finding the uses (``codeintel.sources``), the writes (``workspace.edit_pipeline``).
"""

import asyncio
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from pilotfish.codeintel.sources import Told
from pilotfish.codeintel.text_lines import TextLines
from pilotfish.core.calls import DiffDisplay
from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.core.messages import TextBlock
from pilotfish.core.permission import FilePreview
from pilotfish.ports.code import FileChange, TextChange
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Survey, ToolInputError, ToolResult, text_result
from pilotfish.tools.edit_results import check_editable, origin_of, places_of
from pilotfish.tools.lsp_answers import loading_note
from pilotfish.tools.lsp_place import Place
from pilotfish.tools.paths import short_path
from pilotfish.util.count_of import count_of
from pilotfish.util.records import dataclass
from pilotfish.workspace.edit_pipeline import AppliedEdit, PlannedEdit
from pilotfish.workspace.matching import Replacement
from pilotfish.workspace.proposal import RangeEdits
from pilotfish.workspace.several_edits import splice

MAX_FILES = 200
"""Most files of one rename: nobody can look through more."""

MAX_CHANGES = 10_000
"""Most places of one rename."""

MAX_NAME_CHARS = 200
"""Longest new name."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RenamePlan:
    """A rename that was worked out and not made yet."""

    changes: tuple[tuple[Path, RangeEdits], ...]
    source: str
    note: str
    """How the symbol was found, when that was not as the model said."""

    @property
    def places(self) -> int:
        """How many places change."""
        return sum(len(change.replacements) for _, change in self.changes)


async def survey_rename(place: Place, symbol: str, new_name: str, ctx: ToolContext) -> Survey:
    """Work out a rename and state its facts. Changes nothing.

    Raises:
        ToolInputError: Nobody can rename it, or the answer cannot be carried out.
        WorkspaceError: A file cannot be read.
    """
    _check_name(new_name)
    told = await ctx.code.rename(place.path, place.position, new_name)
    if told is None:
        loading = loading_note(await ctx.code.loading(place.path, told))
        raise ToolInputError(
            f"Nobody here can rename `{symbol}` yet. {loading}"
            if loading
            else f"Nobody here can rename `{symbol}`: no language server and no index knows it. Find "
            "its uses with the operation references or with Grep, and change them with Edit."
        )
    if not told.answer:
        raise ToolInputError(
            f"{told.source} would change nothing for `{symbol}`: it cannot be renamed there. "
            "Name the symbol where it is defined, or use Edit."
        )
    changes = await _exact_changes(told, ctx)
    plan = RenamePlan(changes=changes, source=told.source, note=place.note)
    writes: list[Path] = []
    for path, _ in changes:
        await check_editable(path, ctx, must_exist=True)
        writes += await places_of(path)
    reads = tuple(dict.fromkeys([place.path, *writes]))
    return Survey(
        effects=Effects(reads=reads, writes=tuple(dict.fromkeys(writes))),
        batch=tuple(
            FilePreview(
                path=str(path),
                old_text=change.text,
                new_text=splice(change.text, change.replacements),
            )
            for path, change in changes
        ),
        title=f"Rename {symbol} to {new_name} in {count_of(len(changes), 'file')}",
        plan=plan,
    )


async def run_rename(plan: RenamePlan, ctx: CallContext) -> ToolResult:
    """Make the changes that were agreed to: all of them, or none."""
    edits = [
        PlannedEdit(path=path, change=change, agreed=agreed)
        for (path, change), agreed in zip(plan.changes, ctx.agreed_batch, strict=True)
    ]
    try:
        applied = await ctx.tools.edits.apply_together(
            edits, files=ctx.tools.files, origin=origin_of(ctx)
        )
    except WorkspaceError as error:
        return text_result(str(error), is_error=True)
    return _result(plan, applied, ctx.tools)


def _result(plan: RenamePlan, applied: Sequence[AppliedEdit], ctx: ToolContext) -> ToolResult:
    counts = {path: len(change.replacements) for path, change in plan.changes}
    lines = [
        f"Renamed in {count_of(plan.places, 'place')} of {count_of(len(applied), 'file')} "
        f"(worked out by {plan.source}):",
        *(f"{short_path(each.path, ctx)}: {counts[each.path]}" for each in applied),
        *dict.fromkeys(note for each in applied for note in each.notes),
        "Texts and comments may still hold the old name: look with Grep if that matters.",
    ]
    if plan.note:
        lines.append(f"({plan.note})")
    return ToolResult(
        content=(TextBlock(text="\n".join(lines)),),
        display=tuple(
            DiffDisplay(path=str(each.path), old_text=each.old_text, new_text=each.new_text)
            for each in applied
        ),
    )


def _check_name(new_name: str) -> None:
    if not new_name.strip() or not new_name.isprintable() or len(new_name) > MAX_NAME_CHARS:
        raise ToolInputError("new_name is no name. Give the symbol's new name and nothing else.")


async def _exact_changes(
    told: Told[Sequence[FileChange]], ctx: ToolContext
) -> tuple[tuple[Path, RangeEdits], ...]:
    """Fit a source's answer to the files as they are now, in the order of their paths."""
    if len(told.answer) > MAX_FILES or sum(len(one.changes) for one in told.answer) > MAX_CHANGES:
        raise ToolInputError(
            f"{told.source} would change more than {MAX_FILES} files or {MAX_CHANGES:,} places, "
            "which is too much for one rename."
        )
    by_file: dict[Path, list[TextChange]] = {}
    for one in told.answer:
        by_file.setdefault(one.path, []).extend(one.changes)
    hidden = await asyncio.to_thread(ctx.hidden_files, by_file)
    if hidden:
        raise ToolInputError(
            "The rename would change files that a deny rule for Read hides; nothing was changed. "
            "Tell the user, who can rename it in the editor."
        )
    found: list[tuple[Path, RangeEdits]] = []
    for path, changes in sorted(by_file.items()):
        await asyncio.to_thread(_check_inside, path, ctx)
        loaded = await ctx.edits.load(path)
        if loaded.text is None:
            raise ToolInputError(
                f"{told.source} would change {path}, which does not exist. Use Edit instead."
            )
        edits = await asyncio.to_thread(_range_edits, path, loaded.text, changes)
        if edits is not None:
            found.append((path, edits))
    if not found:
        raise ToolInputError("The symbol has this name already; there is nothing to rename.")
    return tuple(found)


def _check_inside(path: Path, ctx: ToolContext) -> None:
    real_path = path.resolve()
    if not any(real_path.is_relative_to(root) for root in ctx.roots):
        raise ToolInputError(
            f"The rename would change {path}, which is outside the project; nothing was changed. "
            "It is not the project's own symbol: choose another way."
        )


def _range_edits(path: Path, text: str, changes: Sequence[TextChange]) -> RangeEdits | None:
    """Return the changes as ranges of a text, without those that change nothing.

    Raises:
        ToolInputError: They do not fit the text.
    """
    lines = TextLines(text)
    found: set[Replacement] = set()
    for change in changes:
        start, end = lines.offset(change.span.start), lines.offset(change.span.end)
        if start is None or end is None or end < start:
            raise _no_fit(path)
        if text[start:end] != change.new_text:
            found.add(Replacement(start, end, change.new_text))
    replacements = tuple(sorted(found))
    if any(left.end > right.start for left, right in pairwise(replacements)):
        raise _no_fit(path)
    return RangeEdits(text=text, replacements=replacements) if replacements else None


def _no_fit(path: Path) -> ToolInputError:
    return ToolInputError(
        f"The answer does not fit {path} as it is now: its places overlap or are not in the file. "
        "Try again in a moment; if that does not help, use Edit."
    )
