"""``pilotfish serve`` that writes down how long each round of its event loop was at work.

Owns: a line for each long round in the file that ``ROUNDS_VARIABLE`` names. What is counted is the
processor's time of the loop's thread, so that a busy machine makes no round longer.
"""

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pilotfish.__main__ import main
from pilotfish.util.loop_watch import Rounds

ROUNDS_VARIABLE = "TEST_ROUNDS_FILE"
NOTED_MS = 15.0
"""Shorter rounds are not written down."""

T = TypeVar("T")
R = TypeVar("R")


def longest_ms(file: Path) -> float:
    """Return the longest round that was written down, and begin anew."""
    found = [float(line) for line in file.read_text(encoding="utf-8").splitlines()]
    os.truncate(file, 0)
    return max(found, default=0.0)


def _measure(file: Path) -> None:
    wait_between = Rounds.between
    began = time.thread_time()

    def between(self: Rounds, wait: Callable[[T], R], limit: T) -> R:
        nonlocal began
        took_ms = (time.thread_time() - began) * 1_000
        if took_ms > NOTED_MS:
            with file.open("a", encoding="utf-8") as notes:
                notes.write(f"{took_ms:.1f}\n")
        found = wait_between(self, wait, limit)
        began = time.thread_time()
        return found

    Rounds.between = between


if __name__ == "__main__":
    _measure(Path(os.environ[ROUNDS_VARIABLE]))
    sys.argv = ["pilotfish", "serve", *sys.argv[1:]]
    main()
