"""Addresses of the editor's files, as paths and back.

Owns: what is the address of a file at all; real paths, also where links lead in circles; the editor's own
spelling of files, in answers to it.

Inside, files go by their real paths. An editor that has a folder open through a symbolic link means another
document by the real path: it would open the file a second time.
"""

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
    found = uris.to_fs_path(uri)
    return Path(found) if found and "\0" not in found else None


def real_path_of(uri: str) -> Path | None:
    """Return the path of a file's address with links resolved, as far as they can be. Looks at the disk."""
    path = path_of(uri)
    return None if path is None else real_path(path)


def uri_of(path: Path) -> str:
    """Return the address of a file."""
    return uris.from_fs_path(str(path)) or path.as_uri()


def spelled_below(folders: Iterable[Path]) -> UriOf:
    """Return what addresses real paths as an editor does that has these folders open. Looks at the disk."""
    links = [(real, folder) for folder in folders if (real := real_path(folder)) != folder]

    def spelled(path: Path) -> str:
        for real, folder in links:
            if path.is_relative_to(real):
                return uri_of(folder / path.relative_to(real))
        return uri_of(path)

    return spelled if links else uri_of
