"""Files that are made from our own models, and the command that makes or compares them."""

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, kw_only=True, slots=True)
class GeneratedFile:
    """A file and the text it should have."""

    path: Path
    text: str

    def is_current(self) -> bool:
        """Whether the file on disk has exactly this text."""
        return self.path.exists() and self.path.read_bytes() == self.text.encode()

    def write(self) -> None:
        """Write the file, its folder included."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(self.text, encoding="utf-8", newline="\n")


def generate(
    command: str, build: Callable[[], Sequence[GeneratedFile]], arguments: list[str] | None = None
) -> int:
    """Write the files, or with ``--check`` compare them; return the exit code: 1 where one is stale.

    Args:
        command: How the user calls this.
        build: Makes the files.
        arguments: Of the command line; None for the process's own.
    """
    parser = argparse.ArgumentParser(prog=command)
    parser.add_argument("--check", action="store_true", help="write nothing; 1 when stale")
    check: bool = parser.parse_args(arguments).check
    stale = [file for file in build() if not file.is_current()]
    for file in stale:
        name = file.path.relative_to(ROOT)
        if check:
            sys.stderr.write(f"{name} is stale; run `{command}`\n")
        else:
            file.write()
            sys.stdout.write(f"{name} written\n")
    return 1 if check and stale else 0
