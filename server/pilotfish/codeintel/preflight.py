"""What a proposed edit would break, before it is made.

Owns: the lines of the approval dialog (design §6.6), from syntax alone.
Does not own: the check (``codeintel.syntax``), the dialog.
"""

import asyncio
import logging
from pathlib import Path

from pilotfish.codeintel.syntax import check_syntax, new_problems
from pilotfish.core.calls import PreparedCall
from pilotfish.core.permission import FilePreview

logger = logging.getLogger(__name__)

PREFLIGHT_LIMIT_S = 0.5
"""Longest time that a dialog waits for its pre-flight (design §6)."""

MAX_LINES = 10
"""Diagnostics that a dialog shows."""


async def preflight_lines(call: PreparedCall) -> tuple[str, ...]:
    """Return the problems that an edit would add, one line each; empty when none or not known."""
    previews = call.batch if call.preview is None else (call.preview,)
    lines: list[str] = []
    try:
        async with asyncio.timeout(PREFLIGHT_LIMIT_S):
            for preview in previews:
                lines += await _added_by(preview)
                if len(lines) >= MAX_LINES:
                    break
    except TimeoutError:
        logger.debug("no time to look at all of %d files", len(previews))
    return tuple(lines[:MAX_LINES])


async def _added_by(preview: FilePreview) -> list[str]:
    path = Path(preview.path)
    old_text = preview.old_text or ""
    before = await check_syntax(path, old_text)
    after = await check_syntax(path, preview.new_text)
    if before is None or after is None:
        return []
    added = new_problems(before, after, old_text, preview.new_text).added
    return [f"{path.name}:{one.line}: {one.message}" for one in added]
