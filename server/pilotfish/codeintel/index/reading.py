"""Reading files into the index.

Owns: from a path to rows: what is skipped, batches, one transaction each.
Does not own: which files (``selection``), where this runs (``worker`` for many files, a thread for a
few). Everything here blocks.
"""

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from pilotfish.codeintel.facts import FileFacts
from pilotfish.codeintel.index.line_scan import scan
from pilotfish.codeintel.index.rows import (
    Depth,
    FilePrint,
    FileRecord,
    delete_files,
    known_file,
    nobody_writes,
    pack_sites,
    symbol_rows,
    touch_files,
    uses_rows,
    write_files,
)
from pilotfish.codeintel.index.selection import MAX_FILE_BYTES, code_language, print_of
from pilotfish.codeintel.symbols import extract_facts
from pilotfish.util.regular_file import read_regular

BATCH_FILES = 256
"""Files of one transaction, twice as many at most."""

BATCH_S = 0.5
"""A batch is written after so long even when it is small, so that what is known can be used."""

_SNIFF_BYTES = 8_192


def read_files(
    connection: sqlite3.Connection,
    root: Path,
    paths: Iterable[str],
    *,
    depth: Depth,
    on_file: Callable[[str], None] = lambda _: None,
    on_batch: Callable[[int], None] = lambda _: None,
) -> None:
    """Bring files of the index up to date, to a depth.

    Args:
        connection: The database.
        root: The folder of the index.
        paths: Files relative to it; those that are gone or no code leave the index.
        depth: ``NAMES`` is quick, ``FULL`` exact.
        on_file: Called before a file is read.
        on_batch: Called after each transaction with the number of files that are done.
    """
    batch = _Batch(connection)
    for path in paths:
        on_file(path)
        _read_file(batch, root, path, depth)
        # While the other worker writes, go on reading for a while instead of waiting for it.
        if batch.is_due() and (batch.is_due(2) or nobody_writes(connection)):
            on_batch(batch.write())
    if batch.size:
        on_batch(batch.write())


def _read_file(batch: "_Batch", root: Path, path: str, depth: Depth) -> None:
    language, seen = code_language(path), print_of(root, path)
    data = None if language is None or seen is None else _data(root / path)
    if language is None or seen is None or data is None or b"\0" in data[:_SNIFF_BYTES]:
        batch.drop(path)
        return
    digest = hashlib.blake2b(data, digest_size=16).digest()
    known = known_file(batch.connection, path)
    if known is not None and known[1] == digest and known[0].depth >= depth:
        batch.touch(path, seen)
        return
    if depth is Depth.NAMES:
        symbols, sites = scan(language, decode(data))
    else:
        facts = extract_facts(language, data if data.isascii() else decode(data))
        symbols, sites = symbol_rows(facts.definitions), facts.references.sites
    uses, packed = uses_rows(sites), pack_sites(sites)
    batch.put(FileRecord(path, seen, digest, language, depth, symbols, uses, packed))


def decode(data: bytes) -> str:
    """Return the text of a file of code; line ends become line feeds as syntax sees lines."""
    return data.decode("utf-8-sig", "replace")


def facts_of(path: str, text: str) -> FileFacts | None:
    """Return the facts of a text that an editor holds; None when it is no code."""
    language = code_language(path)
    return None if language is None else extract_facts(language, text)


class _Batch:
    """Files that are read and not yet written."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self._records: list[FileRecord] = []
        self._dropped: list[str] = []
        self._touched: list[tuple[str, FilePrint]] = []
        self._began = time.monotonic()

    @property
    def size(self) -> int:
        return len(self._records) + len(self._dropped) + len(self._touched)

    def put(self, record: FileRecord) -> None:
        self._records.append(record)

    def drop(self, path: str) -> None:
        self._dropped.append(path)

    def touch(self, path: str, seen: FilePrint) -> None:
        self._touched.append((path, seen))

    def is_due(self, times: int = 1) -> bool:
        """Tell whether a batch, or several, has come together."""
        waited = time.monotonic() - self._began
        return self.size >= BATCH_FILES * times or waited >= BATCH_S * times

    def write(self) -> int:
        """Write what has come together; returns the number of files."""
        size = self.size
        if self._records:
            write_files(self.connection, self._records)
        if self._dropped:
            delete_files(self.connection, self._dropped)
        if self._touched:
            touch_files(self.connection, self._touched)
        self._records, self._dropped, self._touched = [], [], []
        self._began = time.monotonic()
        return size


def _data(file: Path) -> bytes | None:
    try:
        return read_regular(file, MAX_FILE_BYTES)
    except OSError:
        return None
