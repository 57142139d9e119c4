"""What one agent knows of the files that it has seen.

Owns: the record of reads and writes that must-read, staleness and repeat detection rest on.
Does not own: reading and writing. See also: design 06 §4.3, §5.1.
"""

import hashlib
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Literal

from pilotfish.util.records import dataclass
from pilotfish.util.text_span import text_pieces, utf8_length

MAX_ENTRIES = 100
"""Files that an agent's memory of files holds; the one not used for longest goes first."""

MAX_BYTES = 25 * 1024 * 1024
"""Most text kept for all files together; beyond it only the hash is kept."""

Origin = Literal["read", "edit", "write"]


@dataclass(frozen=True, kw_only=True, slots=True)
class FileState:
    """What was seen of a file, and in which state it was."""

    origin: Origin
    full: bool
    """Whether the whole text was seen, or written by the agent itself."""
    content_hash: str | None
    """Of the whole text, whatever part was shown; None when only a part was loaded."""
    mtime_ns: int | None = None
    """Of the file on disk; None when the text came from an open document."""
    version: int | None = None
    """Of the open document; None when the text came from disk."""
    offset: int | None = None
    """First line that was asked for, from 1; None when none was."""
    limit: int | None = None
    partial_view: bool = False
    """True when the engine itself showed a cut text. It does not count as read."""
    text: str | None = None
    """The whole text as long as there is room, so that a clash can tell what changed."""


def hash_text(text: str) -> str:
    """Return the hash by which two texts of a file are compared."""
    digest = hashlib.blake2b(digest_size=16)
    for piece in text_pieces(text):
        digest.update(piece.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


class FileStates:
    """An agent's memory of files, bounded in entries and in bytes of text.

    Keys are real paths. On a file system that ignores case, other spellings find the same entry.
    """

    def __init__(self, *, max_entries: int = MAX_ENTRIES, max_bytes: int = MAX_BYTES) -> None:
        self._max_entries = max_entries
        self._max_bytes = max_bytes
        self._states: OrderedDict[Path, FileState] = OrderedDict()
        self._bytes = 0
        self.on_read: Callable[[Path], object] = _unheard
        """Called with the real path of each file that is read, also when it is as it was."""
        self.on_forgotten: Callable[[], object] = _unheard
        """Called when what was read has left the conversation."""

    def __len__(self) -> int:
        return len(self._states)

    @property
    def text_bytes(self) -> int:
        """Size of the texts held now, counted as UTF-8."""
        return self._bytes

    def get(self, real_path: Path) -> FileState | None:
        """Return what is known of a file, and mark it as used."""
        key = self._key(real_path)
        state = self._states.get(key)
        if state is not None:
            self._states.move_to_end(key)
        return state

    def record(self, real_path: Path, state: FileState) -> None:
        """Remember a file's state in place of what was known before."""
        self.forget(real_path)
        self._states[real_path] = state
        self._bytes += _size(state)
        while len(self._states) > self._max_entries:
            _, oldest = self._states.popitem(last=False)
            self._bytes -= _size(oldest)
        self._drop_texts()
        if state.origin == "read":
            self.on_read(real_path)

    def read_again(self, real_path: Path) -> None:
        """Take note that a file was read and is as it was: nothing new is known of it."""
        self.on_read(real_path)

    def forget(self, real_path: Path) -> None:
        """Forget a file, for example because it was deleted."""
        state = self._states.pop(self._key(real_path), None)
        if state is not None:
            self._bytes -= _size(state)

    def forget_reads(self) -> None:
        """Make every file's next read return its text again.

        Called when earlier results left the conversation. What was read still counts as read.
        """
        for path, state in self._states.items():
            self._states[path] = replace(state, origin="edit")
        self.on_forgotten()

    def clear(self) -> None:
        """Forget every file: the conversation in which they were read is gone."""
        self._states.clear()
        self._bytes = 0
        self.on_forgotten()

    def paths(self) -> tuple[Path, ...]:
        """Return the known files, the one used last at the end."""
        return tuple(self._states)

    def _drop_texts(self) -> None:
        for path in list(self._states):
            if self._bytes <= self._max_bytes:
                return
            state = self._states[path]
            self._bytes -= _size(state)
            self._states[path] = replace(state, text=None)

    def _key(self, real_path: Path) -> Path:
        if real_path in self._states:
            return real_path
        folded = str(real_path).casefold()
        for known in self._states:
            if str(known).casefold() == folded and _same_file(known, real_path):
                return known
        return real_path


def _unheard(*_: object) -> None:
    """Stand in where nobody wants to know."""


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _size(state: FileState) -> int:
    return 0 if state.text is None else utf8_length(state.text)
