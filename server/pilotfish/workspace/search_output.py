"""Reading ripgrep's output.

Owns: records with NUL after the path, so that no file name can be mistaken. Pure functions.
"""

import os
import re
from itertools import groupby
from pathlib import Path

from pilotfish.util.records import dataclass

_LINE = re.compile(rb"(\d+)([:-])(.*)", re.DOTALL)


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


def parse_hits(output: bytes, folder: Path) -> tuple[Hit, ...]:
    """Read ``path NUL number : text`` lines, sorted by path.

    ripgrep searches files side by side and prints each file's lines together, in whatever order
    the files end; sorted, a search can be paged.
    """
    hits: list[Hit] = []
    new_group = False
    for record in output.split(b"\n"):
        if record == b"--":
            new_group = True
            continue
        name, found, rest = record.partition(b"\0")
        parts = _LINE.fullmatch(rest) if found else None
        if parts is None:
            continue
        number, kind, text = parts.groups()
        hits.append(
            Hit(
                path=_path(name, folder),
                line=int(number),
                text=text.rstrip(b"\r").decode(errors="replace"),
                is_match=kind == b":",
                starts_group=new_group,
            )
        )
        new_group = False
    files = [(path, list(lines)) for path, lines in groupby(hits, key=lambda hit: hit.path)]
    return tuple(hit for _, lines in sorted(files, key=lambda each: each[0]) for hit in lines)


def _path(name: bytes, folder: Path) -> Path:
    return folder / os.fsdecode(name.removeprefix(b"./"))
