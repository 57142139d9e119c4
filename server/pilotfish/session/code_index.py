"""A session's share of the workspace index.

Owns: what its settings mean for the index of its folder, the repository map of its prompt.
Does not own: the index (``codeintel.index``).
"""

import asyncio
from pathlib import Path

from pilotfish.codeintel.index.hub import IndexHub
from pilotfish.codeintel.index.repo_map import HideFiles, render_map
from pilotfish.config.code_index import IndexSettings

MAP_WAIT_S = 0.15
"""How long the first prompt of a session waits for a map that is not ready; then it does without."""


def follow_settings(
    hub: IndexHub, root: Path, holder: str, settings: IndexSettings, *, lazily: bool = False
) -> None:
    """Have the index of a folder kept or not, as the settings say.

    Args:
        hub: The indexes of this process.
        root: The folder, resolved.
        holder: Who needs it until ``IndexHub.let_go``.
        settings: The settings that hold for it.
        lazily: Whether to wait for the first question.
    """
    if settings.enabled:
        hub.add_soon(root, holder, max_files=settings.max_files, lazily=lazily)
    else:
        hub.remove(root)


async def repository_map(
    hub: IndexHub, root: Path, settings: IndexSettings, hidden: HideFiles
) -> str:
    """Return the map of a folder for the prompt; empty when there is none, or not in time.

    Args:
        hub: The indexes of this process.
        root: The session's folder, resolved.
        settings: The settings that hold for it.
        hidden: Says which files the model may not see.
    """
    if not settings.enabled or not settings.repository_map:
        return ""
    index = await hub.found(root, MAP_WAIT_S)
    if index is None:
        return ""
    ranked = await index.map(MAP_WAIT_S)
    if index.root != root:
        # The session works in a part of an indexed folder.
        ranked = [one for one in ranked if (index.root / one.path).is_relative_to(root)]
    return await asyncio.to_thread(
        render_map, ranked, index.root, settings.repository_map_tokens, hidden
    )
