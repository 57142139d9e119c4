"""Reading ripgrep's output.

Owns: records with NUL after the path, so that no file name can be mistaken. Pure functions; one that reads
20 MB takes a second or more, so they do not belong on the event loop.
"""

import os
import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import overload

from pilotfish.util.records import dataclass

_LINE = re.compile(rb"(--)?(\d+)([:-])(.*)", re.DOTALL)
_GAP = b"--"
"""What stands where lines were left out: before the next line's record, once it is kept."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Hit:
    """A line of a content search."""

    path: Path
    line: int
    text: str
    is_match: bool
    """False for a context line."""
    starts_group: bool = False
    """Whether lines were left out between this one and the one before it in the same file."""


def parse_paths(output: bytes, folder: Path) -> tuple[Path, ...]:
    """Read NUL-separated paths."""
    return tuple(_path(each, folder) for each in output.split(b"\0") if each)


def parse_counts(output: bytes, folder: Path) -> tuple[tuple[Path, int], ...]:
    """Read one ``path NUL count`` per line, sorted by path."""
    counts: list[tuple[Path, int]] = []
    for line in output.split(b"\n"):
        name, found, count = line.partition(b"\0")
        if found and count.isdigit():
            counts.append((_path(name, folder), int(count)))
    return tuple(sorted(counts))


class Hits(Sequence[Hit]):
    """The lines of a content search, sorted by path.

    A search may find half a million lines of which a page is shown: each is read when it is asked for, and
    kept as the bytes that it came in, which the garbage collector need not go through.
    """

    def __init__(self, files: Mapping[Path, Sequence[bytes]] | None = None) -> None:
        """Keep the records of each file, in the order of its lines."""
        self._files = dict(sorted((files or {}).items()))
        self._paths = tuple(self._files)
        self._ends = tuple(accumulate(len(records) for records in self._files.values()))

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files."""
        return self._paths

    @property
    def gaps(self) -> int:
        """How many of the lines start a group."""
        return sum(
            record.startswith(_GAP) for records in self._files.values() for record in records
        )

    def without(self, paths: Container[Path]) -> "Hits":
        """Return the lines of the other files."""
        return Hits({path: lines for path, lines in self._files.items() if path not in paths})

    def __len__(self) -> int:
        return self._ends[-1] if self._ends else 0

    def __iter__(self) -> Iterator[Hit]:
        for path, records in self._files.items():
            for record in records:
                yield _hit(path, record)

    @overload
    def __getitem__(self, index: int) -> Hit: ...

    @overload
    def __getitem__(self, index: slice) -> list[Hit]: ...

    def __getitem__(self, index: int | slice) -> Hit | list[Hit]:
        places = range(len(self))[index]
        return self._at(places) if isinstance(places, int) else [self._at(each) for each in places]

    def _at(self, place: int) -> Hit:
        file = bisect_right(self._ends, place)
        path = self._paths[file]
        return _hit(path, self._files[path][place - self._ends[file]])


def parse_hits(output: bytes, folder: Path) -> Hits:
    """Read ``path NUL number : text`` lines.

    ripgrep searches files side by side and prints each file's lines together, in whatever order
    the files end; sorted, a search can be paged.
    """
    files: dict[bytes, list[bytes]] = {}
    gap = b""
    for line in output.split(b"\n"):
        if line == _GAP:
            gap = _GAP
            continue
        name, found, record = line.partition(b"\0")
        if found and _LINE.match(record):
            files.setdefault(name, []).append(gap + record)
            gap = b""
    return Hits({_path(name, folder): records for name, records in files.items()})


def _hit(path: Path, record: bytes) -> Hit:
    parts = _LINE.fullmatch(record)
    assert parts is not None, "only such lines are kept"
    gap, number, kind, text = parts.groups()
    return Hit(
        path=path,
        line=int(number),
        text=text.rstrip(b"\r").decode(errors="replace"),
        is_match=kind == b":",
        starts_group=gap is not None,
    )


def _path(name: bytes, folder: Path) -> Path:
    return folder / os.fsdecode(name.removeprefix(b"./"))
