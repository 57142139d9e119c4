"""What a proposed edit would break, before it is made.

Owns: the lines and numbers of the approval dialog (design §6.6): syntax always, meaning where a
language server of ours answers in time.
Does not own: the checks (``codeintel.syntax``, ``codeintel.servers``), the dialog.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from pilotfish.codeintel.semantic import Change, compare
from pilotfish.codeintel.servers.shadow import Lists, Proposed
from pilotfish.codeintel.syntax import check_syntax, new_problems
from pilotfish.core.calls import PreparedCall
from pilotfish.core.permission import FilePreview, Preflight

logger = logging.getLogger(__name__)

SYNTAX_LIMIT_S = 0.5
"""Longest time that a dialog waits for its syntax check (design §6)."""

MAX_LINES = 10
"""Diagnostics that a dialog shows."""

MAX_LINE_CHARS = 300
"""Longest line of one."""

MAX_FILES = 20
"""A change of more files than this is looked at for its syntax alone."""

Preview = Callable[[Sequence[Proposed]], Awaitable[tuple[Lists, Lists] | None]]
"""Returns the problems without and with changes, by file; None when nobody can tell soon."""


async def preflight(call: PreparedCall, preview: Preview) -> Preflight:
    """Return what an edit would break and repair; nothing where that is not known in time."""
    previews = call.batch if call.preview is None else (call.preview,)
    changes = await asyncio.to_thread(_proposed, previews)
    async with asyncio.TaskGroup() as group:
        syntax = group.create_task(_syntax(changes))
        meaning = group.create_task(_meaning(changes, preview))
    broken, mended = syntax.result()
    lines = [f"{path.name}:{line}: {message}" for path, line, message in broken]
    told = {(path, line) for path, line, _ in broken}
    gone = 0
    for change in meaning.result():
        gone += change.gone
        for one in change.added:
            # A server names a syntax error, too; once is enough.
            if one.severity != "error" or (change.path, one.line) not in told:
                lines.append(f"{change.path.name}:{one.line}: {' '.join(one.message.split())}")
    return _fitted(lines, max(mended, gone))


def _proposed(previews: Sequence[FilePreview]) -> list[Proposed]:
    return [
        Proposed(
            path=Path(one.path).resolve(),
            old_text=one.old_text,
            new_text=one.new_text,
        )
        for one in previews
    ]


async def _syntax(changes: Sequence[Proposed]) -> tuple[list[tuple[Path, int, str]], int]:
    """Return place and message of new syntax errors, and how many are gone."""
    broken: list[tuple[Path, int, str]] = []
    mended = 0
    try:
        async with asyncio.timeout(SYNTAX_LIMIT_S):
            for one in changes:
                old_text = one.old_text or ""
                before = await check_syntax(one.path, old_text)
                after = await check_syntax(one.path, one.new_text)
                if before is not None and after is not None:
                    added, fixed = new_problems(before, after, old_text, one.new_text)
                    broken += [(one.path, each.line, each.message) for each in added]
                    mended += len(fixed)
    except TimeoutError:
        logger.debug("no time to look at all of %d files", len(changes))
    return broken, mended


async def _meaning(changes: Sequence[Proposed], preview: Preview) -> list[Change]:
    if not changes or len(changes) > MAX_FILES:
        return []
    lists = await preview(changes)
    return [] if lists is None else await asyncio.to_thread(_compared, changes, lists)


def _compared(changes: Sequence[Proposed], lists: tuple[Lists, Lists]) -> list[Change]:
    before, after = lists
    texts = {one.path: (one.old_text or "", one.new_text) for one in changes}
    others = sorted((before.keys() | after.keys()) - texts.keys())
    return [
        # A file that is not changed has not moved: as from one empty text to another.
        compare(path, before.get(path, ()), after.get(path, ()), texts.get(path, ("", "")))
        for path in (*texts, *others)
    ]


def _fitted(lines: Sequence[str], fixed: int) -> Preflight:
    shown = tuple(line[:MAX_LINE_CHARS] for line in lines[:MAX_LINES])
    return Preflight(lines=shown, added=len(lines), fixed=fixed)
