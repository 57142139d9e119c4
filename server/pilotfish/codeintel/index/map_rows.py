"""The order of definitions for the repository map, kept in the index.

Owns: working it out and its table. Run as a program by ``build`` for a large index: it keeps a processor
busy for a second.
"""

import sqlite3
import sys
from pathlib import Path

if __name__ == "__main__":
    # Run as a file, apart from everything that the user's environment may bring (python -I).
    sys.path.insert(0, str(Path(__file__).parents[3]))

from pilotfish.codeintel.index.layout import connect
from pilotfish.codeintel.index.ranking import RankedSymbol, rank_definitions
from pilotfish.codeintel.index.rows import Transaction


def make_map(connection: sqlite3.Connection) -> None:
    """Work out the order anew and keep it. Blocks."""
    ranked = rank_definitions(connection)
    with Transaction(connection):
        connection.execute("DELETE FROM map")
        connection.executemany(
            "INSERT INTO map (path, line, depth, text, container) VALUES (?, ?, ?, ?, ?)", ranked
        )


def read_map(connection: sqlite3.Connection) -> list[RankedSymbol]:
    """Return what was kept of files that still count, the most important first. Blocks."""
    rows = connection.execute(
        "SELECT path, line, depth, text, container FROM map "
        "WHERE path IN (SELECT path FROM files) ORDER BY place"
    )
    return [RankedSymbol(*row) for row in rows]


def main() -> None:
    """Make the map of the index that the argument names."""
    connection = connect(Path(sys.argv[1]))
    try:
        make_map(connection)
    finally:
        connection.close()


if __name__ == "__main__":
    main()
