"""Which definitions of a folder a newcomer should know, the most important first.

Owns: the graph of who uses whose names, and the order of definitions that follows from it.
Does not own: how the order is shown (``repo_map``), where it is kept (``map_rows``). Blocks.
"""

import math
import sqlite3
from collections import defaultdict
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from pilotfish.codeintel.index.page_rank import page_rank
from pilotfish.codeintel.index.rows import INDEX_STEMS, name_number

MAX_RANKED = 1_500
"""Definitions that are kept, best first; a map shows a part of them."""

MAX_DEFINERS = 5
"""A name that more files define tells nothing of who uses whom."""

MAX_USES = 4_000_000
"""Pairs of a name and a file that uses it that are looked at."""

MIN_NAME_CHARS = 3
"""Shorter names are used for too many things."""

_UNNAMED = 0.1
"""How much less a name counts in a file that does not name where it would come from."""

_IMPORTED = 4.0
"""How much more a name counts that a file imports: then it surely means something of elsewhere."""

_SHOWN_KINDS = frozenset(
    {
        "class", "interface", "struct", "enum", "function", "method", "module", "namespace",
        "constant", "type_parameter",
    }
)  # fmt: skip

_ASIDE = frozenset(
    {"test", "tests", "testing", "__tests__", "spec", "specs", "vendor", "vendored", "third_party",
     "examples", "example", "fixtures", "benchmarks", "docs", "doc", "migrations", "generated"}
)  # fmt: skip
"""Folders beside the heart of a project."""

_ASIDE_WEIGHT = 0.1


class RankedSymbol(NamedTuple):
    """A definition of the map."""

    path: str
    line: int
    """From 1."""
    depth: int
    """0 at the top, 1 for a part of something else."""
    text: str
    """Its signature, or its name."""
    container: str
    """What it is a part of; empty at the top."""


class _Definition(NamedTuple):
    file: int
    number: int
    name: str
    kind: str
    parent: int
    container: str
    module: str
    """What its file is called where it is imported."""

    @property
    def owner(self) -> str:
        """What is named, too, where the definition is used from elsewhere."""
        return self.container or self.module


class _Edge(NamedTuple):
    """A use of a definition in another file."""

    user: int
    at: int
    """The definition, by its place in the list."""
    weight: float


def rank_definitions(connection: sqlite3.Connection) -> list[RankedSymbol]:
    """Return the definitions that matter most."""
    paths: dict[int, str] = dict(connection.execute("SELECT id, path FROM files").fetchall())
    definitions = _definitions(connection, {file: _module(path) for file, path in paths.items()})
    edges = _edges(connection, definitions)
    graph: dict[str, dict[str, float]] = defaultdict(dict)
    for user, at, weight in edges:
        used = graph[paths[user]]
        target = paths[definitions[at].file]
        used[target] = used.get(target, 0.0) + weight
    ranks = page_rank(graph, {path: _preference(path) for path in paths.values()})
    passed_on = {path: sum(used.values()) for path, used in graph.items()}
    scores = [0.0] * len(definitions)
    for user, at, weight in edges:
        path = paths[user]
        scores[at] += ranks[path] * weight / passed_on[path]
    order = sorted(
        range(len(definitions)),
        key=lambda at: (
            -scores[at] * _preference(paths[definitions[at].file]),
            definitions[at].parent >= 0,
            # What nobody uses follows its file.
            -ranks[paths[definitions[at].file]],
            paths[definitions[at].file],
            definitions[at].number,
        ),
    )
    return [_shown(connection, paths, definitions[at]) for at in order[:MAX_RANKED]]


def _definitions(connection: sqlite3.Connection, modules: Mapping[int, str]) -> list[_Definition]:
    rows = connection.execute(
        "SELECT symbols.file, symbols.number, symbols.name, symbols.kind, symbols.parent, "
        "coalesce(outer.name, '') FROM symbols LEFT JOIN symbols AS outer "
        "ON outer.file = symbols.file AND outer.number = symbols.parent"
    )
    found: list[_Definition] = []
    for file, number, name, kind, parent, container in rows:
        if kind in _SHOWN_KINDS and len(name) >= MIN_NAME_CHARS and not name.startswith("_"):
            module = modules[file]
            found.append(_Definition(file, number, name, kind, parent, container, module))
    return found


def _module(path: str) -> str:
    pure = PurePosixPath(path)
    return pure.parent.name if pure.stem in INDEX_STEMS else pure.stem


def _edges(connection: sqlite3.Connection, definitions: list[_Definition]) -> list[_Edge]:
    """Return who uses what, where that is likely enough.

    A name alone says little: it counts where its class or its file is named, too; elsewhere a little
    if it is no member, and not at all if many files define it.
    """
    by_number: dict[int, list[int]] = defaultdict(list)
    owners: set[int] = set()
    for at, one in enumerate(definitions):
        by_number[name_number(one.name)].append(at)
        owners.add(name_number(one.owner))
    uses: list[tuple[int, int, float]] = []
    named: set[tuple[int, int]] = set()
    rows = connection.execute(
        "SELECT name, file, strong, imported FROM uses WHERE strong > 0 LIMIT ?", (MAX_USES,)
    )
    for number, file, strong, imported in rows:
        if number in owners:
            named.add((number, file))
        if number in by_number:
            # Often counts for more than once, but not in proportion.
            uses.append((number, file, math.sqrt(strong) * (_IMPORTED if imported else 1.0)))
    edges: list[_Edge] = []
    for number, user, weight in uses:
        others = [at for at in by_number[number] if definitions[at].file != user]
        meant = [at for at in others if (name_number(definitions[at].owner), user) in named]
        if not meant:
            # Go and C name no file when they use it, so this may still be right.
            meant = [at for at in others if not definitions[at].container]
            likely = _UNNAMED
        else:
            likely = 1.0
        if len(meant) <= MAX_DEFINERS:
            edges += [_Edge(user, at, weight * likely / len(meant)) for at in meant]
    return edges


def _shown(connection: sqlite3.Connection, paths: dict[int, str], one: _Definition) -> RankedSymbol:
    line, signature = connection.execute(
        "SELECT name_line, signature FROM symbols WHERE file = ? AND number = ?",
        (one.file, one.number),
    ).fetchone()
    # A member is shown with its class, wherever that is.
    text = signature or one.name
    return RankedSymbol(paths[one.file], line + 1, int(bool(one.container)), text, one.container)


def _preference(path: str) -> float:
    pure = PurePosixPath(path)
    aside = any(part.lower() in _ASIDE for part in pure.parts[:-1])
    aside = aside or pure.stem.lower().startswith("test_") or pure.stem.lower().endswith("_test")
    # What lies deep is seldom where one begins.
    return (_ASIDE_WEIGHT if aside else 1.0) / math.sqrt(len(pure.parts))
