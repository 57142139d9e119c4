"""What others change below a server's root: commands, the user, version control.

Owns: watching a folder and telling of what changed in it, in bundles.
Does not own: who wants to know (``pool``).
"""

import asyncio
import logging
from collections.abc import Callable, Mapping
from pathlib import Path

from pilotfish.util.folder_watch import load_awatch

logger = logging.getLogger(__name__)

DEBOUNCE_MS = 200
"""How long a stream of changes is collected at most before it is told."""

STEP_MS = 30
"""How long it must be quiet to be told earlier."""

MAX_BUNDLE = 2_000
"""Changes that are told at once; more of them, as after a change of branch, follow in further bundles."""

SKIPPED = frozenset({
    ".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache",
    ".pytest_cache", ".ruff_cache", ".tox", "target", ".pilotfish",
})  # fmt: skip
"""Folders in which much changes that no server needs to hear of."""


async def watch_root(root: Path, tell: Callable[[Mapping[Path, int]], None]) -> None:
    """Watch a folder until cancelled; where that is not possible, say so in the log and end.

    Args:
        root: The folder, with all below it.
        tell: Gets the changed files, each with what became of it (see ``server``).
    """

    def is_wanted(_: object, name: str) -> bool:
        return SKIPPED.isdisjoint(Path(name).relative_to(root).parts)

    awatch = await asyncio.to_thread(load_awatch)
    try:
        async for changes in awatch(
            root,
            watch_filter=is_wanted,
            debounce=DEBOUNCE_MS,
            step=STEP_MS,
            ignore_permission_denied=True,
        ):
            found = [(Path(name), int(kind)) for kind, name in changes]
            for at in range(0, len(found), MAX_BUNDLE):
                tell(dict(found[at : at + MAX_BUNDLE]))
                await asyncio.sleep(0)
    except (OSError, RuntimeError) as error:
        logger.warning("%s is not watched: %s", root, error)
