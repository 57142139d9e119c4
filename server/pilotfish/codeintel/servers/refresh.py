"""Bringing what a server has open to what the files are now: others may have changed them."""

import asyncio
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from pilotfish.codeintel.servers.documents import MAX_DOCUMENT_CHARS
from pilotfish.codeintel.servers.server import LanguageServer

MAX_HELD = 50
"""Documents of the editor that a server is shown."""

Read = Callable[[Path], str | None]
"""Returns the text of a file from where it is true; None when it cannot be read. Blocks."""


async def refresh(server: LanguageServer, read: Read, skip: Collection[Path] = ()) -> None:
    """Send what changed, and close what is gone.

    Args:
        server: Whose documents; its ``turn`` must be held.
        read: Where texts come from.
        skip: Documents that are to stay as the server sees them; may grow meanwhile.
    """
    for path, text in (await read_all(read, server.documents.paths(), skip)).items():
        if text is None or len(text) > MAX_DOCUMENT_CHARS:
            server.documents.close(path)
            server.findings.forget(path)
        else:
            server.keep_up(path, text)


async def show(
    server: LanguageServer, read: Read, held: Sequence[Path], skip: Collection[Path] = ()
) -> None:
    """Open what an editor holds: a server takes the rest from the disk, where unsaved text is not.

    Args:
        server: Whose documents; its ``turn`` must be held.
        read: Where texts come from.
        held: The files that the editor holds; those of other servers are left out.
        skip: Documents that are to stay as the server sees them; may grow meanwhile.
    """
    concerned = await asyncio.to_thread(_of_server, held, server)
    paths = [path for path in concerned if path not in skip][:MAX_HELD]
    for path, text in (await read_all(read, paths, skip)).items():
        if text is not None and len(text) <= MAX_DOCUMENT_CHARS:
            server.sync(path, text)


def _of_server(paths: Sequence[Path], server: LanguageServer) -> list[Path]:
    """Return the files that a server would look at, by their real names. Blocking."""
    found = server.found
    return [
        path
        for path in paths
        if path.suffix.lower() in found.definition.languages
        and path.is_relative_to(found.root)
        and path.resolve() == path
    ]


async def read_all(
    read: Read, paths: Collection[Path], skip: Collection[Path] = ()
) -> dict[Path, str | None]:
    """Read several files in a thread.

    Args:
        read: Where texts come from.
        paths: The files.
        skip: Those that are left out, also when they are only named while the rest is read: they may have
            been written by then.
    """
    wanted = [path for path in paths if path not in skip]
    texts = await asyncio.to_thread(lambda: {path: read(path) for path in wanted})
    return {path: text for path, text in texts.items() if path not in skip}
