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
from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from typing import NamedTuple, cast

from pilotfish.codeintel.facts import ROLES, Definition, FileFacts, Uses
from pilotfish.codeintel.index.layout import BUSY_TIMEOUT_S
from pilotfish.ports.code import Position, Span, SymbolKind

MAX_SIGNATURE_CHARS = 300
"""Longest signature that is kept."""

MAX_DOC_CHARS = 1_000
"""Longest documentation that is kept."""

_OTHER, _IMPORT = ROLES.index("other"), ROLES.index("import")

_SYMBOL = (
    "symbols.number, symbols.name, symbols.kind, symbols.parent, symbols.start_line,"
    " symbols.start_character, symbols.end_line, symbols.end_character, symbols.name_line,"
    " symbols.name_character, symbols.name_end, symbols.signature, symbols.doc,"
    " symbols.scope"
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


SymbolRow = tuple[int, str, SymbolKind, int, int, int, int, int, int, int, int, str, str, str]
"""A definition: number, name, kind, parent; line and character of its beginning and its end; line, character
and end of its name; signature, documentation; what it belongs to where that is not what it stands in."""


UsesRow = tuple[int, int, int, int]
"""How a file uses a name: number of the name, how often, how often surely as one defined elsewhere, whether
it imports it."""


class FileRecord(NamedTuple):
    """A file as it was read."""

    path: str
    """Relative to the root, with forward slashes."""
    seen: FilePrint
    digest: bytes
    language: str
    depth: Depth
    symbols: Sequence[SymbolRow]
    """Its definitions in their order."""
    uses: Sequence[UsesRow]
    sites: bytes
    """Where names are used, packed; empty when none is."""


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
    """Put files into the index, in place of what was known of them, in one transaction.

    Of several records of one file the last counts.
    """
    latest = {record.path: record for record in records}.values()
    with Transaction(connection):
        written = [(_write_file(connection, record), record) for record in latest]
        connection.executemany(
            "INSERT INTO symbols VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            ((file, *row) for file, record in written for row in record.symbols),
        )
        connection.executemany(
            "INSERT OR REPLACE INTO uses (file, name, count, strong, imported) VALUES (?, ?, ?, ?, ?)",
            ((file, *row) for file, record in written for row in record.uses),
        )
        connection.executemany(
            "INSERT INTO sites VALUES (?, ?)",
            [(file, record.sites) for file, record in written if record.sites],
        )


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


def nobody_writes(connection: sqlite3.Connection) -> bool:
    """Tell whether the database can be written at once. Outside of a transaction only."""
    connection.execute("PRAGMA busy_timeout = 0")
    try:
        with Transaction(connection):
            return True
    except sqlite3.OperationalError:
        return False
    finally:
        connection.execute(f"PRAGMA busy_timeout = {round(BUSY_TIMEOUT_S * 1000)}")


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
            f"SELECT files.path, files.language, coalesce(nullif(symbols.scope, ''), outer.name, ''), {_SYMBOL} FROM symbols "  # noqa: S608
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
        references=Uses({} if data is None else _sites(data[0])),
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


def _write_file(connection: sqlite3.Connection, record: FileRecord) -> int:
    """Write a file without what is found in it; returns its number."""
    seen = record.seen
    row = connection.execute("SELECT id FROM files WHERE path = ?", (record.path,)).fetchone()
    values = (seen.mtime_ns, seen.size, record.digest, record.language, record.depth)
    if row is None:
        return cast("int", connection.execute(
            "INSERT INTO files (mtime_ns, size, digest, language, depth, path) "
            "VALUES (?, ?, ?, ?, ?, ?)", (*values, record.path),
        ).lastrowid)  # fmt: skip
    _delete_facts(connection, row[0])
    connection.execute(
        "UPDATE files SET mtime_ns = ?, size = ?, digest = ?, language = ?, depth = ? "
        "WHERE id = ?", (*values, row[0]),
    )  # fmt: skip
    return row[0]


def uses_rows(sites: Mapping[str, Sequence[int]]) -> list[UsesRow]:
    """Return how names are used, as ``Uses`` packs that, as rows."""
    rows: list[UsesRow] = []
    for name, places in sites.items():
        roles = places[2::3]
        strong = len(roles) - roles.count(_OTHER)
        rows.append((name_number(name), len(roles), strong, _IMPORT in roles))
    return rows


def pack_sites(sites: Mapping[str, Sequence[int]]) -> bytes:
    """Return where names are used, as it is kept."""
    if not sites:
        return b""
    return zlib.compress(json.dumps(sites, separators=(",", ":")).encode("ascii"), 1)


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


def symbol_rows(definitions: Sequence[Definition]) -> list[SymbolRow]:
    """Return definitions as rows, those from number 0 on."""
    return [
        (
            number, _clean(one.name), one.kind, one.parent,
            one.span.start.line, one.span.start.character,
            one.span.end.line, one.span.end.character,
            one.name_span.start.line, one.name_span.start.character, one.name_span.end.character,
            _clean(one.signature[:MAX_SIGNATURE_CHARS]), _clean(one.doc[:MAX_DOC_CHARS]),
            "" if one.parent >= 0 and one.scope == definitions[one.parent].name else _clean(one.scope),
        )
        for number, one in enumerate(definitions)
    ]  # fmt: skip


def _definition(row: Sequence[object]) -> Definition:
    (_, name, kind, parent, start_line, start, end_line, end, name_line, name_start, name_end,
     signature, doc, scope) = cast(
        "tuple[int, str, SymbolKind, int, int, int, int, int, int, int, int, str, str, str]", tuple(row)
    )  # fmt: skip
    return Definition(
        name=name,
        kind=kind,
        span=Span(Position(start_line, start), Position(end_line, end)),
        name_span=Span(Position(name_line, name_start), Position(name_line, name_end)),
        parent=parent,
        scope=scope,
        signature=signature,
        doc=doc,
    )


def _sites(data: bytes) -> dict[str, list[int]]:
    return json.loads(zlib.decompress(data))


def _clean(text: str) -> str:
    """Return a text that SQLite takes: lone surrogates have no UTF-8 form."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")
