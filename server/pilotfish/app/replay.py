"""``pilotfish replay``: recordings played again."""

import asyncio
import sys
from pathlib import Path

from pilotfish.core.errors import SessionError
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED, EXIT_USAGE
from pilotfish.session.replay import read_recording, replay
from pilotfish.util.visible import visible


def replay_folder(folder: Path) -> int:
    """Play every recording of a folder, or one file; returns the exit code."""
    files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else [folder]
    if not files:
        sys.stderr.write(f"{folder} holds no recordings (*.jsonl).\n")
        return EXIT_USAGE
    return max(_play(file) for file in files)


def _play(file: Path) -> int:
    try:
        result = asyncio.run(replay(read_recording(file)))
    except SessionError as error:
        sys.stderr.write(f"{visible(str(error))}\n")
        return EXIT_FAILED
    if result.difference:
        sys.stdout.write(f"{file.name}: {visible(result.difference)}\n")
        return EXIT_FAILED
    sys.stdout.write(
        f"{file.name}: as recorded, {result.turns} turns, {result.model_calls} model calls\n"
    )
    return EXIT_DONE
