"""Addresses of the editor's files, as paths and back.

Owns: what is the address of a file at all; real paths, also where links lead in circles; the editor's own
spelling of files, in answers to it.

Inside, files go by their real paths. An editor that has a folder open through a symbolic link means another
document by the real path: it would open the file a second time.
"""

import asyncio
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from pygls import uris

from pilotfish.util.real_path import real_path

UriOf = Callable[[Path], str]
"""Returns the address of a file."""

_LOCAL = "file://localhost/"


def path_of(uri: str) -> Path | None:
    """Return the path of a file's address as it is named; None for what can be no file."""
    if not uri.startswith("file:"):
        return None
    if uri.startswith(_LOCAL):
        uri = "file:///" + uri.removeprefix(_LOCAL)
    try:
        found = uris.to_fs_path(uri)
        if not found or b"\0" in os.fsencode(found):
            return None
    except ValueError:  # no address, or signs that no path has
        return None
    return Path(found)


def real_path_of(uri: str) -> Path | None:
    """Return the path of a file's address with links resolved, as far as they can be. Looks at the disk."""
    path = path_of(uri)
    return None if path is None else real_path(path)


def uri_of(path: Path) -> str:
    """Return the address of a file."""
    return uris.from_fs_path(str(path)) or path.as_uri()


class Spelling:
    """The editor's own spelling of files, which it is told of by their real paths.

    Where they lie is looked up once for each set of folders: the disk may be far away.
    """

    def __init__(self) -> None:
        self._folders: tuple[Path, ...] = ()
        self._spelled: UriOf = uri_of

    async def below(self, folders: tuple[Path, ...]) -> UriOf:
        """Return what addresses real paths as an editor does that has these folders open."""
        if folders != self._folders:
            self._spelled = await asyncio.to_thread(spelled_below, folders)
            self._folders = folders
        return self._spelled


def spelled_below(folders: Iterable[Path]) -> UriOf:
    """Return what addresses real paths as an editor does that has these folders open. Looks at the disk."""
    places = [(real_path(folder), folder) for folder in folders]
    # The innermost first; of two folders that are one the editor has opened both: the real one is meant.
    places.sort(key=lambda place: (-len(place[0].parts), place[0] != place[1]))

    def spelled(path: Path) -> str:
        for real, folder in places:
            if path.is_relative_to(real):
                return uri_of(folder / path.relative_to(real))
        return uri_of(path)

    return spelled
