"""What the index's tables hold, written and read.

Owns: the statements, and how facts become rows and come back.
Does not own: the database (``layout``), what the answers mean (``names``, ``resolve``).

Definitions are rows. Uses of names are packed, a record per file; beside them stands which files use a
name at all, by a number made of the name. Everything here blocks.
"""

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import NamedTuple, cast

from pilotfish.codeintel.facts import Definition, FileFacts, Reference, ReferenceRole
from pilotfish.ports.code import Position, Span, SymbolKind

MAX_SIGNATURE_CHARS = 300
"""Longest signature that is kept."""

MAX_DOC_CHARS = 1_000
"""Longest documentation that is kept."""

_ROLES: tuple[ReferenceRole, ...] = ("other", "call", "type", "import")

_OTHER, _IMPORT = _ROLES.index("other"), _ROLES.index("import")

_SYMBOL = (
    "symbols.number, symbols.name, symbols.kind, symbols.parent, symbols.start_line,"
    " symbols.start_character, symbols.end_line, symbols.end_character, symbols.name_line,"
    " symbols.name_character, symbols.name_end, symbols.signature, symbols.doc"
)

INDEX_STEMS = frozenset({"__init__", "index", "mod", "lib", "main"})
"""Names of files that stand for their folder where they are imported."""

_PACK = 500
"""Values that one statement asks for."""


class Depth(IntEnum):
    """How well a file is known."""

    NAMES = 0
    """Its definitions were found line by line; the rest is to come."""
    FULL = 1
    """By its syntax tree."""
    GIVEN_UP = 2
    """Reading it went wrong; what is known by names stays until it changes."""


class FilePrint(NamedTuple):
    """What tells one state of a file from another."""

    mtime_ns: int
    size: int


class FileRecord(NamedTuple):
    """A file as it was read."""

    path: str
    """Relative to the root, with forward slashes."""
    seen: FilePrint
    digest: bytes
    facts: FileFacts
    depth: Depth


class KnownFile(NamedTuple):
    """A file of the index."""

    id: int
    path: str
    seen: FilePrint
    language: str
    depth: Depth


class FoundSymbol(NamedTuple):
    """A definition and the file it stands in."""

    path: str
    language: str
    number: int
    definition: Definition
    container: str


def name_number(name: str) -> int:
    """Return the number of a name: two names almost never share one."""
    digest = hashlib.blake2b(name.encode("utf-8", "replace"), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def write_files(connection: sqlite3.Connection, records: Iterable[FileRecord]) -> None:
    """Put files into the index, in place of what was known of them, in one transaction."""
    with Transaction(connection):
        for record in records:
            _write_file(connection, record)


def touch_files(
    connection: sqlite3.Connection,
    files: Iterable[tuple[str, FilePrint]],
    depth: Depth | None = None,
) -> None:
    """Note that files have a new date and the same text, or have come to a depth."""
    with Transaction(connection):
        for path, seen in files:
            connection.execute(
                "UPDATE files SET mtime_ns = ?, size = ?, depth = coalesce(?, depth) WHERE path = ?",
                (seen.mtime_ns, seen.size, depth, path),
            )


def delete_files(connection: sqlite3.Connection, paths: Iterable[str]) -> None:
    """Take files out of the index, in one transaction."""
    with Transaction(connection):
        for path in paths:
            row = connection.execute("SELECT id FROM files WHERE path = ?", (path,)).fetchone()
            if row is not None:
                _delete_facts(connection, row[0])
                connection.execute("DELETE FROM files WHERE id = ?", (row[0],))


class Transaction:
    """All of a batch or nothing of it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def __enter__(self) -> None:
        # At once for writing: a reader that becomes a writer midway may find that it cannot.
        self._connection.execute("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._connection.execute("COMMIT" if kind is None else "ROLLBACK")


def known_files(connection: sqlite3.Connection) -> dict[str, KnownFile]:
    """Return all files by path."""
    rows = connection.execute("SELECT id, path, mtime_ns, size, language, depth FROM files")
    return {row[1]: _known(row) for row in rows}


def known_file(connection: sqlite3.Connection, path: str) -> tuple[KnownFile, bytes] | None:
    """Return a file with the digest of its text, if it is known."""
    row = connection.execute(
        "SELECT id, path, mtime_ns, size, language, depth, digest FROM files WHERE path = ?",
        (path,),
    ).fetchone()
    return None if row is None else (_known(row), row[6])


def shallow_files(connection: sqlite3.Connection, limit: int) -> list[tuple[str, int]]:
    """Return path and size of files known by names alone, those changed last first."""
    return connection.execute(
        "SELECT path, size FROM files WHERE depth = 0 ORDER BY mtime_ns DESC, path LIMIT ?",
        (limit,),
    ).fetchall()


def counts(connection: sqlite3.Connection) -> tuple[int, int, int]:
    """Return the number of files, of those known by names alone, and of symbols."""
    files, shallow = connection.execute(
        "SELECT count(*), coalesce(sum(depth = 0), 0) FROM files"
    ).fetchone()
    return files, shallow, connection.execute("SELECT count(*) FROM symbols").fetchone()[0]


def all_names(connection: sqlite3.Connection, limit: int) -> list[str]:
    """Return the distinct names of symbols."""
    rows = connection.execute("SELECT DISTINCT name FROM symbols LIMIT ?", (limit,))
    return [row[0] for row in rows]


def names_in(connection: sqlite3.Connection, paths: Iterable[str]) -> list[str]:
    """Return the names that some files define."""
    return [
        row[0]
        for path in paths
        for row in connection.execute(
            "SELECT name FROM symbols JOIN files ON files.id = symbols.file WHERE files.path = ?",
            (path,),
        )
    ]


def symbols_named(
    connection: sqlite3.Connection, names: Sequence[str], limit: int
) -> list[FoundSymbol]:
    """Return the definitions of names, at most ``limit`` of each pack, in no order."""
    found: list[FoundSymbol] = []
    for at in range(0, len(names), _PACK):
        pack = names[at : at + _PACK]
        marks = ",".join("?" * len(pack))
        rows = connection.execute(
            f"SELECT files.path, files.language, coalesce(outer.name, ''), {_SYMBOL} FROM symbols "  # noqa: S608
            "JOIN files ON files.id = symbols.file LEFT JOIN symbols AS outer "
            "ON outer.file = symbols.file AND outer.number = symbols.parent "
            f"WHERE symbols.name IN ({marks}) LIMIT ?",
            (*pack, limit),
        )
        found += [FoundSymbol(row[0], row[1], row[3], _definition(row[3:]), row[2]) for row in rows]
    return found


def file_facts(connection: sqlite3.Connection, file: KnownFile) -> FileFacts:
    """Return everything that is kept of a file."""
    rows = connection.execute(
        f"SELECT {_SYMBOL} FROM symbols WHERE file = ? ORDER BY number",  # noqa: S608
        (file.id,),
    )
    definitions = tuple(_definition(row) for row in rows)
    data = connection.execute("SELECT data FROM sites WHERE file = ?", (file.id,)).fetchone()
    return FileFacts(
        language=file.language,
        definitions=definitions,
        references=() if data is None else _unpack(data[0]),
        complete=file.depth is Depth.FULL,
    )


def files_using(connection: sqlite3.Connection, name: str, limit: int) -> list[KnownFile]:
    """Return files where a name is used, those that use it most first."""
    rows = connection.execute(
        "SELECT files.id, path, mtime_ns, size, language, depth FROM uses "
        "JOIN files ON files.id = uses.file WHERE uses.name = ? "
        "ORDER BY uses.count DESC, path LIMIT ?",
        (name_number(name), limit),
    )
    return [_known(row) for row in rows]


def _known(row: Sequence[object]) -> KnownFile:
    number, path, mtime_ns, size, language, depth = cast(
        "tuple[int, str, int, int, str, int]", tuple(row[:6])
    )
    return KnownFile(number, path, FilePrint(mtime_ns, size), language, Depth(depth))


def _write_file(connection: sqlite3.Connection, record: FileRecord) -> None:
    facts, seen = record.facts, record.seen
    row = connection.execute("SELECT id FROM files WHERE path = ?", (record.path,)).fetchone()
    values = (seen.mtime_ns, seen.size, record.digest, facts.language, record.depth)
    if row is None:
        number = cast("int", connection.execute(
            "INSERT INTO files (mtime_ns, size, digest, language, depth, path) "
            "VALUES (?, ?, ?, ?, ?, ?)", (*values, record.path),
        ).lastrowid)  # fmt: skip
    else:
        number = row[0]
        _delete_facts(connection, number)
        connection.execute(
            "UPDATE files SET mtime_ns = ?, size = ?, digest = ?, language = ?, depth = ? "
            "WHERE id = ?", (*values, number),
        )  # fmt: skip
    connection.executemany(
        "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [_row(number, at, one) for at, one in enumerate(facts.definitions)],
    )
    sites = _by_name(facts.references)
    if sites:
        connection.executemany(
            "INSERT OR REPLACE INTO uses VALUES (?, ?, ?, ?, ?)",
            [_use(number, name, places) for name, places in sites.items()],
        )
        data = zlib.compress(json.dumps(sites, separators=(",", ":")).encode("ascii"), 1)
        connection.execute("INSERT INTO sites VALUES (?, ?)", (number, data))


def _use(file: int, name: str, places: list[int]) -> tuple[int, int, int, int, int]:
    """Return how a file uses a name: how often, how often surely as one defined elsewhere."""
    roles = places[2::3]
    strong = sum(role != _OTHER for role in roles)
    return name_number(name), file, len(roles), strong, _IMPORT in roles


def _delete_facts(connection: sqlite3.Connection, file: int) -> None:
    connection.execute("DELETE FROM symbols WHERE file = ?", (file,))
    data = connection.execute("SELECT data FROM sites WHERE file = ?", (file,)).fetchone()
    if data is None:
        return
    connection.executemany(
        "DELETE FROM uses WHERE name = ? AND file = ?",
        [(name_number(name), file) for name in _sites(data[0])],
    )
    connection.execute("DELETE FROM sites WHERE file = ?", (file,))


def _row(file: int, number: int, one: Definition) -> tuple[object, ...]:
    start, end = one.span.start, one.span.end
    name = one.name_span
    return (
        file, number, _clean(one.name), one.kind, one.parent,
        start.line, start.character, end.line, end.character,
        name.start.line, name.start.character, name.end.character,
        _clean(one.signature[:MAX_SIGNATURE_CHARS]), _clean(one.doc[:MAX_DOC_CHARS]),
    )  # fmt: skip


def _definition(row: Sequence[object]) -> Definition:
    (_, name, kind, parent, start_line, start, end_line, end, name_line, name_start, name_end,
     signature, doc) = cast(
        "tuple[int, str, SymbolKind, int, int, int, int, int, int, int, int, str, str]", tuple(row)
    )  # fmt: skip
    return Definition(
        name=name,
        kind=kind,
        span=Span(Position(start_line, start), Position(end_line, end)),
        name_span=Span(Position(name_line, name_start), Position(name_line, name_end)),
        parent=parent,
        signature=signature,
        doc=doc,
    )


def _by_name(references: Iterable[Reference]) -> dict[str, list[int]]:
    """Return line, character and role of each use, one after the other, by name."""
    sites: dict[str, list[int]] = {}
    for name, span, role in references:
        places = sites.setdefault(name, [])
        places += (span.start.line, span.start.character, _ROLES.index(role))
    return sites


def _sites(data: bytes) -> dict[str, list[int]]:
    return json.loads(zlib.decompress(data))


def _unpack(data: bytes) -> tuple[Reference, ...]:
    found: list[Reference] = []
    for name, places in _sites(data).items():
        length = utf16_length(name)
        for line, character, role in zip(*[iter(places)] * 3, strict=True):
            start = Position(line, character)
            span = Span(start, Position(line, character + length))
            found.append(Reference(name, span, _ROLES[role]))
    found.sort(key=lambda each: each.span)
    return tuple(found)


def utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 units."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _clean(text: str) -> str:
    """Return a text that SQLite takes: lone surrogates have no UTF-8 form."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
