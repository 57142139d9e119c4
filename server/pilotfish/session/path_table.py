"""The files and folders of a workspace, searched by a few characters.

Owns: the order in which paths answer a query.
Does not own: how well one name answers (``codeintel.index.fuzzy``), the table of many
(``codeintel.index.names``), which files there are (``session.file_names``).
"""

import threading
from collections.abc import Iterable
from enum import IntEnum

from pilotfish.codeintel.index.fuzzy import Rank, rank
from pilotfish.codeintel.index.names import NameTable

SPARE = 10
"""So many times the answers are looked at where a query with slashes is searched without them."""

MAX_CHANGES = 500
"""Paths that may come and go at once without building the table anew."""


class Tier(IntEnum):
    """How a path answers a query; the smaller the better. Case does not matter."""

    NAME = 0
    """Its last part is the query."""
    NAME_BEGINS = 1
    NAME_WORDS = 2
    """The query begins words of the last part."""
    PATH_WORDS = 3
    """The query begins words anywhere."""
    NAME_LETTERS = 4
    """The query's characters stand in order in the last part."""
    PATH_LETTERS = 5


_NAME_TIERS = {
    Rank.EXACT: Tier.NAME,
    Rank.PREFIX: Tier.NAME_BEGINS,
    Rank.WORDS: Tier.NAME_WORDS,
    Rank.SUBSEQUENCE: Tier.NAME_LETTERS,
}


def name_of(path: str) -> str:
    """Return the last part of a path; folders end with a slash."""
    return path.rstrip("/").rpartition("/")[2]


def rank_of_path(query: str, path: str) -> Rank | None:
    """Return how a whole path answers a query: a slash in it need not begin a word."""
    found = rank(query, path)
    if found is Rank.SUBSEQUENCE and "/" in query:
        return max(Rank.WORDS, rank(query.replace("/", ""), path) or Rank.WORDS)
    return found


def tier_of(query: str, path: str) -> Tier | None:
    """Return how a path answers a query; None when it does not."""
    by_name = rank(query, name_of(path))
    if by_name is not None and by_name is not Rank.SUBSEQUENCE:
        return _NAME_TIERS[by_name]
    by_path = rank_of_path(query, path)
    if by_path is not None and by_path is not Rank.SUBSEQUENCE:
        return Tier.PATH_WORDS
    if by_name is not None:
        return Tier.NAME_LETTERS
    return None if by_path is None else Tier.PATH_LETTERS


class PathTable:
    """Relative paths with slashes, folders among them. Building blocks; so does searching."""

    def __init__(self, files: Iterable[str]) -> None:
        self._paths = _with_folders(files)
        self._by_name: dict[str, list[str]] = {}
        self._sort_in(self._paths)
        self._name_table = NameTable(self._by_name)
        self._path_table = NameTable(self._paths)
        self._gone: set[str] = set()
        self._lock = threading.Lock()
        """Held while it is searched or changed: both happen in threads."""

    def __len__(self) -> int:
        return len(self._paths) - len(self._gone)

    def update(self, files: Iterable[str]) -> bool:
        """Take over what files there are now; False when so much has changed that it must be built anew."""
        now = _with_folders(files)
        new = now.keys() - self._paths.keys()
        gone = self._paths.keys() - now.keys()
        if len(new) + len(gone) > MAX_CHANGES:
            return False
        with self._lock:
            self._gone = gone
            self._paths |= dict.fromkeys(new)
            self._sort_in(new)
            self._name_table.add(map(name_of, new))
            self._path_table.add(new)
        return not self._path_table.is_stale

    def _sort_in(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._by_name.setdefault(name_of(path), []).append(path)

    def search(self, query: str, limit: int) -> list[str]:
        """Return at most ``limit`` paths, the best first.

        Of one tier, those with the shorter name come first, or with the shorter path where the whole
        path answers; then it goes by letters.
        """
        with self._lock:
            return ranked(query, self._candidates(query, limit))[:limit]

    def _candidates(self, query: str, limit: int) -> Iterable[str]:
        """Return paths among which the best are."""
        found: dict[str, None] = {}
        room = limit + len(self._gone)
        for name in self._name_table.search(query, room):
            found.update(dict.fromkeys(self._by_name[name]))
            if len(found) >= room:
                break
        # Of the best by the whole path, so many may be known by their name.
        found.update(dict.fromkeys(self._path_table.search(query, room + len(found))))
        if "/" in query:
            more = self._path_table.search(query.replace("/", ""), room * SPARE)
            found.update(dict.fromkeys(more))
        return (path for path in found if path not in self._gone)


def ranked(query: str, paths: Iterable[str]) -> list[str]:
    """Return those of some paths that answer a query, the best first."""
    tiers = ((tier_of(query, path), path) for path in paths)
    return [
        path
        for *_, path in sorted(
            (tier, *_within(tier, query, path), path) for tier, path in tiers if tier is not None
        )
    ]


def _within(tier: Tier, query: str, path: str) -> tuple[int, bool, int, str, int]:
    """Return the order within a tier."""
    if tier in (Tier.PATH_WORDS, Tier.PATH_LETTERS):
        return rank_of_path(query, path) or Rank.EXACT, path != query, len(path), path, 0
    name = name_of(path)
    return 0, name != query, len(name), name, len(path)


def _with_folders(files: Iterable[str]) -> dict[str, None]:
    """Return files and the folders that hold them."""
    paths = dict.fromkeys(files)
    for path in tuple(paths):
        folder = path.rpartition("/")[0]
        while folder and f"{folder}/" not in paths:
            paths[f"{folder}/"] = None
            folder = folder.rpartition("/")[0]
    return paths
