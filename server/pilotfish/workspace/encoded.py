"""A text as the bytes of a file, made piece by piece.

Owns: encoding, hashing, writing and comparing a text without ever holding all of its bytes: of a
large file there are copies enough.
Does not own: which encoding it is (``workspace.text_file``). Blocking where it reads or writes.

All encodings that files are read in keep no state between characters, so that the bytes of the whole
are those of its pieces; decoding proves it for each file.
"""

import hashlib
import io
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from pilotfish.util.records import dataclass
from pilotfish.util.text_span import text_pieces

_PIECE_BYTES = 256 * 1024
"""How much of given bytes is handled at once."""


@dataclass(frozen=True, slots=True)
class EncodedText:
    """The bytes of a text file."""

    text: str
    encoding: str
    bom: bytes = b""

    def pieces(self) -> Iterator[bytes]:
        """Return the bytes, in order.

        Raises:
            UnicodeEncodeError: The encoding has no room for a character.
        """
        if self.bom:
            yield self.bom
        for piece in text_pieces(self.text):
            yield piece.encode(self.encoding)

    def __bytes__(self) -> bytes:
        """Return all bytes at once."""
        return b"".join(self.pieces())


class KeptBytes(NamedTuple):
    """A range of a file that a change leaves as it is."""

    old: int
    """Where it begins before the change."""
    new: int
    """Where it begins after it."""
    length: int


Content: TypeAlias = bytes | EncodedText
"""What a file holds."""


def pieces_of(content: Content) -> Iterator[bytes]:
    """Return the bytes of a content, piece by piece."""
    if isinstance(content, EncodedText):
        return content.pieces()
    return (content[at : at + _PIECE_BYTES] for at in range(0, len(content), _PIECE_BYTES))


def hash_content(content: Content) -> str:
    """Return the name under which the file history stores a content."""
    digest = hashlib.blake2b(digest_size=20)
    for piece in pieces_of(content):
        digest.update(piece)
    return digest.hexdigest()


def write_content(file: io.BufferedIOBase, content: Content) -> None:
    """Write a content to a file that is open for binary writing."""
    for piece in pieces_of(content):
        file.write(piece)


def holds(file: io.BufferedIOBase, content: Content) -> bool:
    """Tell whether an open file holds exactly a content, from where it stands to its end."""
    return _reads_as(file, pieces_of(content)) and not file.read(1)


def keeps(old: io.BufferedIOBase, new: io.BufferedIOBase, kept: Iterable[KeptBytes]) -> bool:
    """Tell whether ranges of an open file are the same in another."""
    for at_old, at_new, length in kept:
        old.seek(at_old)
        new.seek(at_new)
        left = length
        while left > 0:
            piece = old.read(min(left, _PIECE_BYTES))
            if not piece or piece != new.read(len(piece)):
                return False
            left -= len(piece)
    return True


def encoded_length(pieces: Iterable[str], encoding: str) -> int:
    """Return how many bytes pieces of text have in an encoding, without byte order mark."""
    return sum(len(piece.encode(encoding)) for piece in pieces)


def _reads_as(file: io.BufferedIOBase, pieces: Iterable[bytes]) -> bool:
    return all(file.read(len(piece)) == piece for piece in pieces)
