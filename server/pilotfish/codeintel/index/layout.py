"""The index's file: an SQLite database per folder, under the state folder.

Owns: its place, its tables, opening it, and making it anew when it is broken or of another version.
Does not own: what is written and read (``rows``).

The index can be made again at any time, so nothing in it is worth mending: what cannot be read is
thrown away. A process that is killed leaves a transaction that never happened.
"""

import hashlib
import logging
import sqlite3
from contextlib import suppress
from pathlib import Path

from pilotfish import __version__

logger = logging.getLogger(__name__)

SCHEMA_VERSION = 7
"""Rises with every change of the tables or of what is put into them."""

BUSY_TIMEOUT_S = 30.0
"""How long to wait for another writer; each holds the database for one batch."""

_CACHE_KIB = 16_384
"""Memory for pages of the database, per connection."""

_TABLES = """
CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE files (
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,
    mtime_ns INTEGER NOT NULL,
    size INTEGER NOT NULL,
    digest BLOB NOT NULL,
    language TEXT NOT NULL,
    depth INTEGER NOT NULL
);
CREATE INDEX files_to_deepen ON files (mtime_ns) WHERE depth = 0;
CREATE TABLE symbols (
    file INTEGER NOT NULL,
    number INTEGER NOT NULL,
    name TEXT NOT NULL,
    kind TEXT NOT NULL,
    parent INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    start_character INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    end_character INTEGER NOT NULL,
    name_line INTEGER NOT NULL,
    name_character INTEGER NOT NULL,
    name_end INTEGER NOT NULL,
    signature TEXT NOT NULL,
    doc TEXT NOT NULL,
    scope TEXT NOT NULL,
    PRIMARY KEY (file, number)
) WITHOUT ROWID;
CREATE INDEX symbols_by_name ON symbols (name);
CREATE TABLE uses (
    name INTEGER NOT NULL,
    file INTEGER NOT NULL,
    count INTEGER NOT NULL,
    strong INTEGER NOT NULL,
    imported INTEGER NOT NULL,
    PRIMARY KEY (name, file)
) WITHOUT ROWID;
CREATE TABLE map (
    place INTEGER PRIMARY KEY,
    path TEXT NOT NULL,
    line INTEGER NOT NULL,
    depth INTEGER NOT NULL,
    text TEXT NOT NULL,
    container TEXT NOT NULL
);
CREATE TABLE sites (file INTEGER PRIMARY KEY, data BLOB NOT NULL);
"""


_OF_THE_DISK = frozenset(
    {
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
    }
)

_OF_WRITING = frozenset(
    {
        sqlite3.SQLITE_IOERR_WRITE,
        sqlite3.SQLITE_IOERR_FSYNC,
        sqlite3.SQLITE_IOERR_TRUNCATE,
        sqlite3.SQLITE_IOERR_SHMOPEN,
        sqlite3.SQLITE_IOERR_SHMSIZE,
        sqlite3.SQLITE_IOERR_SHMMAP,
    }
)
"""Not those of reading: that a file ends too early is the fault of the database."""


def index_file(state_folder: Path, root: Path) -> Path:
    """Return where the index of a folder is kept."""
    digest = hashlib.blake2b(str(root).encode("utf-8", "surrogateescape"), digest_size=12)
    return state_folder / "index" / f"{digest.hexdigest()}.sqlite"


def job_prefix(file: Path) -> str:
    """Return what the names of files begin with that tell workers what to read into an index."""
    return f"{file.stem}.job-"


def forget_jobs(file: Path) -> None:
    """Remove what a server left that was killed over its work. For who alone may write. Blocking."""
    with suppress(OSError):
        for job in file.parent.glob(f"{job_prefix(file)}*"):
            job.unlink(missing_ok=True)


def open_for_writing(file: Path) -> sqlite3.Connection:
    """Open an index, made anew when it is missing, broken or of another version. Blocking.

    Raises:
        OSError: The folder or the file cannot be written.
        sqlite3.Error: Neither can a new database, or the disk takes nothing: what is there stays.
    """
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if file.exists():
        try:
            connection = connect(file)
            if _is_sound(connection):
                return connection
            connection.close()
            reason = "it is of another version or damaged"
        except sqlite3.DatabaseError as error:
            if is_refused_by_disk(error):
                raise
            reason = str(error)
        logger.info("the index %s is made anew: %s", file.name, reason)
    remove(file)
    connection = connect(file)
    connection.executescript(f"BEGIN; {_TABLES} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
    _tell(connection, "made_by", __version__)
    return connection


def connect(file: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Connect to a database, whatever it holds. Blocking.

    Raises:
        sqlite3.Error: It cannot be opened.
    """
    mode = "ro" if read_only else "rwc"
    connection = sqlite3.connect(
        f"{file.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        if not read_only:
            connection.execute("PRAGMA journal_mode = WAL")
        # A power cut may undo the last batches, which are made again then; it breaks nothing.
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    except sqlite3.Error:
        connection.close()
        raise
    return connection


def mark_in_use(connection: sqlite3.Connection) -> None:
    """Note that the index is being written; what is left so was not closed."""
    _tell(connection, "in_use", "yes")


def mark_closed(connection: sqlite3.Connection) -> None:
    """Note that the index was closed in order."""
    _tell(connection, "in_use", "no")


def is_refused_by_disk(error: sqlite3.Error) -> bool:
    """Tell whether it is the disk that fails: full, read-only. A new database would fare no better."""
    code: int = getattr(error, "sqlite_errorcode", 0)  # errors of the module itself have none
    return code & 0xFF in _OF_THE_DISK or code in _OF_WRITING


def remove(file: Path) -> None:
    """Delete a database with what belongs to it. Blocking."""
    for suffix in ("", "-wal", "-shm"):
        file.with_name(file.name + suffix).unlink(missing_ok=True)


def _is_sound(connection: sqlite3.Connection) -> bool:
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version != SCHEMA_VERSION:
        return False
    about = dict(connection.execute("SELECT key, value FROM about").fetchall())
    if about.get("made_by") != __version__:
        return False
    if about.get("in_use") == "no":
        return True
    # The last process did not close it: look whether all of it can be read.
    return connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok"


def _tell(connection: sqlite3.Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO about VALUES (?, ?)", (key, value))
