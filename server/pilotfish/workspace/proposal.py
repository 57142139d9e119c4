"""What an edit would do to a file.

Owns: turning a change that was asked for into the exact new text, and into bytes that are proved to
leave everything outside the changed ranges as it was.
Does not own: writing (``workspace.edit_pipeline``).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.core.permission import FilePreview
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.loaded_file import LoadedFile, check_known
from pilotfish.workspace.matching import Replacement, StringEdit, find_replacements
from pilotfish.workspace.notebook import CellEdit, edit_cells
from pilotfish.workspace.several_edits import (
    SeveralEdits,
    find_all_replacements,
    splice,
    text_of_creation,
)
from pilotfish.workspace.text_file import TextFile, check_unambiguous, encode


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeText:
    """Replace the whole text, or create the file. Line endings are written as they are."""

    text: str


Change: TypeAlias = StringEdit | SeveralEdits | CellEdit | WholeText


@dataclass(frozen=True, kw_only=True, slots=True)
class Agreed:
    """What was shown and judged before a write; nothing else may be written, and nowhere else."""

    preview: FilePreview
    places: tuple[Path, ...]
    """The file as named and, where links lead elsewhere, the real one."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposal:
    """The exact change to one file."""

    loaded: LoadedFile
    new_text: str
    replacements: tuple[Replacement, ...] | None
    """The changed ranges of the old text; None when the whole text is replaced."""

    @property
    def preview(self) -> FilePreview:
        """The change as it is shown before it happens."""
        return FilePreview(
            path=str(self.loaded.path), old_text=self.loaded.text, new_text=self.new_text
        )


def check_agreed(proposal: Proposal, agreed: Agreed) -> None:
    """Make sure that a write is the one that was agreed to.

    Raises:
        EditClash: A link leads elsewhere now, or the text has changed.
    """
    if proposal.loaded.real_path not in agreed.places:
        raise EditClash(
            f"{proposal.loaded.path} leads to another file than when the edit was agreed to; "
            "nothing was written.",
            hint="Look where it leads, then repeat the edit.",
        )
    if proposal.preview != agreed.preview:
        raise EditClash(
            f"{proposal.loaded.path} changed after the edit was agreed to; nothing was written.",
            hint="Read it again, then repeat the edit on the new text.",
        )


def propose(loaded: LoadedFile, change: Change, files: FileStates) -> Proposal:
    """Work out what a change does to a file as it is now.

    Raises:
        WorkspaceError: The file was not read, the text does not match, or nothing would change.
        EditClash: The file changed since it was read.
    """
    _check_notebook(loaded)
    if loaded.text is None:
        return Proposal(
            loaded=loaded, new_text=_text_of_new_file(loaded, change), replacements=None
        )
    if loaded.text or not _fills_empty_file(change):
        check_known(files.get(loaded.real_path), loaded)
    if isinstance(change, WholeText):
        proposal = Proposal(loaded=loaded, new_text=change.text, replacements=None)
    else:
        found = _replacements(loaded, loaded.text, change)
        proposal = Proposal(
            loaded=loaded, new_text=splice(loaded.text, found), replacements=tuple(found)
        )
    if proposal.new_text == loaded.text:
        raise WorkspaceError(f"{loaded.path} already has exactly this text; nothing was written.")
    return proposal


def encode_proposal(proposal: Proposal) -> tuple[bytes | None, bytes]:
    """Return the file's bytes before (None when it is new) and after.

    Raises:
        WorkspaceError: The encoding cannot hold the new text, or bytes outside the changed ranges
            would change.
    """
    loaded = proposal.loaded
    name = loaded.path.name
    like = loaded.encoded_like(proposal.new_text)
    after = encode(proposal.new_text, like, name)
    if loaded.text is None:
        return None, after
    if loaded.document is None:
        check_unambiguous(_added(loaded.text, proposal), like, name)
    before = encode(loaded.text, like, name)
    if proposal.replacements is not None:
        _prove_faithful(loaded.text, proposal.replacements, (before, after), like, name)
    return before, after


def differences(proposal: Proposal, now: LoadedFile) -> list[str]:
    """Say where the file is not what was proposed: only an editor's save can have done that."""
    notes: list[str] = []
    if now.text is not None and _lf(now.text) != _lf(proposal.new_text):
        notes.append("The editor changed the text further when it saved it (a formatter, say).")
    elif now.disk is not None and not now.is_unsaved and now.disk.text != proposal.new_text:
        notes.append("The editor saved the file with uniform line endings.")
    return notes


def _added(old: str, proposal: Proposal) -> str:
    """Return the characters that the file does not hold yet; those it holds keep their bytes."""
    parts = [proposal.new_text]
    if proposal.replacements is not None:
        parts = [each.new for each in proposal.replacements]
    added = "".join(part for part in parts if not part.isascii())
    return "".join(set(added) - set(old)) if added else ""


def _lf(text: str) -> str:
    return text.replace("\r\n", "\n")


def _prove_faithful(
    text: str,
    replacements: Sequence[Replacement],
    both: tuple[bytes, bytes],
    like: TextFile,
    name: str,
) -> None:
    """Make sure that before and after consist of the same bytes outside the replacements.

    Piece by piece: of a large file there are copies enough.
    """
    old, new = _Reader(both[0], like), _Reader(both[1], like)
    at = 0
    for start, end, replacement in (*replacements, Replacement(len(text), len(text), "")):
        for piece in _pieces(text, at, start):
            old.expect(piece)
            new.expect(piece)
        for piece in _pieces(text, start, end):
            old.expect(piece)
        new.expect(replacement)
        at = end
    if not (old.is_done and new.is_done):
        raise WorkspaceError(
            f"{name}: the edit would change bytes outside the edited text, because of its encoding "
            f"({like.encoding}); nothing was written.",
            hint="Convert the file to UTF-8 first.",
        )


def _check_notebook(loaded: LoadedFile) -> None:
    if loaded.has_unsaved_cells:
        raise EditClash(
            f"{loaded.path} is open in a notebook editor with changes that are not saved; nothing "
            "was written.",
            hint="Ask the user to save it, then read it again and repeat the edit.",
        )


_PIECE_CHARS = 65_536
"""How much text is encoded at once to prove where its bytes are."""


def _pieces(text: str, start: int, end: int) -> Iterator[str]:
    for at in range(start, end, _PIECE_CHARS):
        yield text[at : min(end, at + _PIECE_CHARS)]


class _Reader:
    """Reads through bytes and makes sure that they are those of a text, piece by piece."""

    def __init__(self, data: bytes, like: TextFile) -> None:
        self._data = memoryview(data)
        self._encoding = like.encoding
        self._at = len(like.bom)
        self._fits = self._data[: self._at] == memoryview(like.bom)

    def expect(self, text: str) -> None:
        """Take the bytes of a piece of text."""
        wanted = text.encode(self._encoding)
        end = self._at + len(wanted)
        self._fits = self._fits and self._data[self._at : end] == memoryview(wanted)
        self._at = end

    @property
    def is_done(self) -> bool:
        """Whether everything was as expected, to the end."""
        return self._fits and self._at == len(self._data)


def _text_of_new_file(loaded: LoadedFile, change: Change) -> str:
    if isinstance(change, WholeText):
        return change.text
    if isinstance(change, SeveralEdits) and change.edits[0].old == "":
        return text_of_creation(change)
    if isinstance(change, StringEdit) and change.old == "":
        return change.new
    raise WorkspaceError(
        f"{loaded.path} does not exist; nothing was written.",
        hint="Check the path, or create the file with Write.",
    )


def _fills_empty_file(change: Change) -> bool:
    if isinstance(change, SeveralEdits):
        return change.edits[0].old == ""
    return isinstance(change, StringEdit) and change.old == ""


def _replacements(
    loaded: LoadedFile, text: str, change: StringEdit | SeveralEdits | CellEdit
) -> list[Replacement]:
    if isinstance(change, CellEdit):
        return edit_cells(text, change, loaded.path.name)
    if not _fills_empty_file(change):
        if isinstance(change, SeveralEdits):
            return find_all_replacements(text, change)
        return find_replacements(text, change)
    if text:
        raise WorkspaceError(
            f"{loaded.path} is not empty, so an empty old_string cannot be replaced in it.",
            hint="Give the text to replace, or use Write to replace the whole file.",
        )
    return [Replacement(0, 0, _text_of_new_file(loaded, change))]
