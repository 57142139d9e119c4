"""Reads many files into an index; a program of its own, run by ``build`` through the governor.

It is a process because parsing keeps a processor busy, and because a parser that crashes on a hostile
file must not take the server with it. Each line that it writes is ``> n`` before the file of that number
in the list, or ``+ n`` after ``n`` files were written to the database.

Arguments: the database, the root, a file with the paths (divided by NUL), the depth.
"""

import os
import sys
from pathlib import Path

if __name__ == "__main__":
    # Run as a file, apart from everything that the user's environment may bring (python -I).
    sys.path.insert(0, str(Path(__file__).parents[3]))

from pilotfish.codeintel.index.layout import connect
from pilotfish.codeintel.index.reading import read_files
from pilotfish.codeintel.index.rows import Depth

_NICENESS = 10
"""How far the worker stands back behind what the user does."""

_MAX_MEMORY_BYTES = 2 * 1024 * 1024 * 1024
"""Address space of the worker: a hostile file ends it, not the machine."""


def main() -> None:
    """Read the files that the arguments name."""
    database, root, job, depth = sys.argv[1:5]
    _stand_back()
    paths = Path(job).read_text(encoding="utf-8").split("\0")
    numbers = {path: at for at, path in enumerate(paths)}
    connection = connect(Path(database))
    try:
        read_files(
            connection,
            Path(root),
            paths,
            depth=Depth(int(depth)),
            on_file=lambda path: _say(f"> {numbers[path]}"),
            on_batch=lambda count: _say(f"+ {count}"),
        )
    finally:
        connection.close()


def _stand_back() -> None:
    if sys.platform == "win32":
        return
    os.nice(_NICENESS)
    import resource  # noqa: PLC0415 - not on every platform

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = _MAX_MEMORY_BYTES if hard == resource.RLIM_INFINITY else min(hard, _MAX_MEMORY_BYTES)
    resource.setrlimit(resource.RLIMIT_AS, (limit, hard))


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
