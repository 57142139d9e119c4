"""What ``pilotfish doctor`` says of a folder's index."""

import sqlite3
from pathlib import Path
from typing import NamedTuple

from pilotfish.codeintel.index.layout import connect, index_file, is_refused_by_disk
from pilotfish.codeintel.index.rows import counts
from pilotfish.config.code_index import IndexSettings


class IndexFinding(NamedTuple):
    """What was found."""

    value: str
    problem: str
    """What is wrong; empty when nothing is."""


def look_at_index(state_folder: Path, root: Path, settings: IndexSettings) -> IndexFinding:
    """Look at a folder's index without changing it. Blocks."""
    if not settings.enabled:
        return IndexFinding("off (codeIntelligence.index.enabled)", "")
    file = index_file(state_folder, root.resolve())
    if not file.exists():
        return IndexFinding("none yet; the next session makes it", "")
    try:
        connection = connect(file, read_only=True)
        try:
            files, shallow, symbols = counts(connection)
        finally:
            connection.close()
    except sqlite3.Error as error:
        if is_refused_by_disk(error):
            return IndexFinding(
                "not readable",
                f"The disk does not let {file} be read ({error}). Make room, or mend the permissions "
                "of its folder.",
            )
        return IndexFinding(
            "damaged", f"{file} cannot be read ({error}). The next session makes it anew."
        )
    size = file.stat().st_size / 1e6
    known = f"{files:,} files, {shallow:,} of them by name only" if shallow else f"{files:,} files"
    return IndexFinding(f"{known}, {symbols:,} symbols, {size:.1f} MB", "")
