"""Which files of a folder the index takes in.

Owns: what counts as code, the caps in size and number, hidden files.
Does not own: ignore files and links: whoever lists the files (``FileLister``) leaves those out.
"""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import NamedTuple, Protocol

from pilotfish.codeintel.index.rows import FilePrint, KnownFile
from pilotfish.codeintel.languages import NO_CODE, grammar_of
from pilotfish.util.records import dataclass

MAX_FILE_BYTES = 1_000_000
"""Larger files are generated, or data in the clothes of code."""

DEFAULT_MAX_FILES = 50_000
"""Files of one folder when no setting says otherwise; those changed last are taken."""


class Listing(NamedTuple):
    """The files below a folder."""

    files: tuple[Path, ...]
    complete: bool
    """False when listing was cut short: a file that is missing may be there all the same."""


class FileLister(Protocol):
    """Lists the files below a folder, without those that ignore files hide and without links."""

    async def __call__(self, root: Path, /) -> Listing:
        """List the files.

        Raises:
            PilotfishError: It cannot be done.
        """
        ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """What must be done to make the index agree with the disk."""

    read: tuple[str, ...]
    """New and changed files, those changed last first; relative paths."""
    drop: tuple[str, ...]
    """Files that are gone."""
    present: frozenset[str]
    """All files that belong into the index."""
    left_out: int
    """Files of code beyond the cap."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nothing to do."""
        return not self.read and not self.drop


def code_language(path: str) -> str | None:
    """Return the language of a file of code; None when it is none, or hidden."""
    pure = PurePosixPath(path)
    if any(part.startswith(".") for part in pure.parts):
        return None
    language = grammar_of(pure)
    return None if language in NO_CODE else language


def compare(
    root: Path, listing: Listing, known: Mapping[str, KnownFile], max_files: int
) -> Difference:
    """Compare a listing with the index. Blocking: it looks at each file."""
    seen = dict(_prints(root, listing.files))
    chosen = sorted(seen, key=lambda path: (-seen[path].mtime_ns, path))
    kept = chosen[:max_files]
    present = frozenset(kept)
    gone = (path for path in known if path not in present)
    if not listing.complete:
        gone = (path for path in gone if print_of(root, path) is None)
    return Difference(
        read=tuple(path for path in kept if path not in known or known[path].seen != seen[path]),
        drop=tuple(gone),
        present=present if listing.complete else present | frozenset(known),
        left_out=len(chosen) - len(kept),
    )


def print_of(root: Path, path: str) -> FilePrint | None:
    """Return the state of a file; None when it is none to take in. Blocking."""
    try:
        found = os.lstat(root / path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_FILE_BYTES:
        return None
    return FilePrint(found.st_mtime_ns, found.st_size)


def _prints(root: Path, files: Iterable[Path]) -> Iterable[tuple[str, FilePrint]]:
    skip = len(str(root)) + 1
    for file in files:
        # A plain cut: this is done for each file of the folder.
        path = str(file)[skip:].replace(os.sep, "/")
        if code_language(path) is None or not is_storable(path):
            continue
        seen = print_of(root, path)
        if seen is not None:
            yield path, seen


def is_storable(path: str) -> bool:
    """Tell whether a path is text: bytes that are none have no place in the database, nor can they be watched."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
