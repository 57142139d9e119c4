"""What an edit would do to a file.

Owns: turning a change that was asked for into the exact new text, and into bytes and the ranges of
them that must stay as they were.
Does not own: writing and proving that they did (``workspace.disk``).
"""

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.core.permission import FilePreview
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import text_pieces
from pilotfish.workspace.encoded import EncodedText, KeptBytes, encoded_length
from pilotfish.workspace.file_state import FileStates
from pilotfish.workspace.live_cells import same_cells
from pilotfish.workspace.loaded_file import (
    LoadedFile,
    check_known,
    is_misread,
    is_stale,
    same_lines,
)
from pilotfish.workspace.matching import Replacement, StringEdit, find_replacements
from pilotfish.workspace.notebook import CellEdit, edit_cells
from pilotfish.workspace.several_edits import (
    SeveralEdits,
    find_all_replacements,
    splice,
    text_of_creation,
)
from pilotfish.workspace.text_file import (
    TextFile,
    check_encodable,
    check_unambiguous,
    encode,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class WholeText:
    """Replace the whole text, or create the file. Line endings are written as they are."""

    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RangeEdits:
    """Replace ranges of a text that was looked at when they were worked out.

    The agent need not have read the file: the ranges hold for this very text and no other.
    """

    text: str
    """The whole text that the ranges are of."""
    replacements: tuple[Replacement, ...]
    """In rising order, not overlapping."""


Change: TypeAlias = StringEdit | SeveralEdits | CellEdit | WholeText | RangeEdits


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
    is_known: bool = True
    """Whether the agent knows the file as it is; it knows the new text then, too."""

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


def propose(
    loaded: LoadedFile, change: Change, files: FileStates, known: str | None = None
) -> Proposal:
    """Work out what a change does to a file as it is now.

    ``known`` is a text that may come out of it, and is in memory already.

    Raises:
        WorkspaceError: The file was not read, the text does not match, or nothing would change.
        EditClash: The file changed since it was read.
    """
    _check_notebook(loaded)
    if loaded.text is None:
        return Proposal(
            loaded=loaded, new_text=_text_of_new_file(loaded, change), replacements=None
        )
    if isinstance(change, RangeEdits):
        return _propose_ranges(loaded, change, files)
    if loaded.text or not _fills_empty_file(change):
        check_known(files.get(loaded.real_path), loaded)
    if isinstance(change, WholeText):
        proposal = Proposal(loaded=loaded, new_text=change.text, replacements=None)
    else:
        found = _replacements(loaded, loaded.text, change)
        new_text = splice(loaded.text, found, known)
        proposal = Proposal(loaded=loaded, new_text=new_text, replacements=tuple(found))
    if proposal.new_text == loaded.text:
        raise WorkspaceError(f"{loaded.path} already has exactly this text; nothing was written.")
    return proposal


def _propose_ranges(loaded: LoadedFile, change: RangeEdits, files: FileStates) -> Proposal:
    if loaded.text != change.text:
        raise EditClash(
            f"{loaded.path} changed since the edit was worked out; nothing was written.",
            hint="Ask for it again.",
        )
    state = files.get(loaded.real_path)
    return Proposal(
        loaded=loaded,
        new_text=splice(change.text, change.replacements),
        replacements=change.replacements,
        is_known=state is not None and not state.partial_view and not is_stale(state, loaded),
    )


class EncodedProposal(NamedTuple):
    """A change as bytes."""

    before: EncodedText | None
    """None when the file is new."""
    after: EncodedText
    kept: tuple[KeptBytes, ...]
    """The bytes of the file that are none of the change's business; empty when all are."""


def check_writable(proposal: Proposal) -> TextFile:
    """Make sure that a change can be written; returns whose encoding it is written in.

    Raises:
        WorkspaceError: The encoding cannot hold the new text, or cannot be told well enough, or is
            another one in the editor.
    """
    loaded = proposal.loaded
    name = loaded.path.name
    if is_misread(loaded):
        raise WorkspaceError(
            f"{name} is open in the editor in another encoding than its own: saved there, it would "
            "lose characters; nothing was written.",
            hint="Ask the user to reopen it with its encoding there, or to close it.",
        )
    like = loaded.encoded_like(proposal.new_text)
    added = [proposal.new_text]
    if proposal.replacements is not None and loaded.document is None:
        # What the file holds was read in this encoding.
        added = [each.new for each in proposal.replacements]
    for text in added:
        check_encodable(text, like, name)
    if loaded.text is not None and loaded.document is None:
        check_unambiguous(_added(loaded.text, proposal), like, name)
    return like


def encode_proposal(proposal: Proposal) -> EncodedProposal:
    """Return the file's bytes before and after.

    Raises:
        WorkspaceError: The encoding cannot hold the new text, or cannot be told well enough.
    """
    loaded = proposal.loaded
    like = check_writable(proposal)
    after = EncodedText(proposal.new_text, like.encoding, like.bom)
    if loaded.text is None:
        return EncodedProposal(None, after, ())
    before = encode(loaded.text, like, loaded.path.name)
    kept: tuple[KeptBytes, ...] = ()
    if proposal.replacements is not None and loaded.is_on_disk:
        kept = tuple(_kept_bytes(before, proposal.replacements))
    return EncodedProposal(before, after, kept)


def _kept_bytes(before: EncodedText, replacements: Sequence[Replacement]) -> Iterator[KeptBytes]:
    """Return the ranges of bytes that replacements leave alone, one after the other."""
    size = partial(encoded_length, encoding=before.encoding)
    old = new = len(before.bom)
    yield KeptBytes(0, 0, old)
    at = 0
    for start, end, text in (*replacements, Replacement(len(before.text), len(before.text), "")):
        length = size(text_pieces(before.text, at, start))
        yield KeptBytes(old, new, length)
        old += length + size(text_pieces(before.text, start, end))
        new += length + size((text,))
        at = end


def differences(proposal: Proposal, now: LoadedFile) -> list[str]:
    """Say where the file is not what was proposed: only an editor's save can have done that."""
    notes: list[str] = []
    if now.notebook is not None and now.notebook.editable:
        # How an editor lays out a notebook that it saves is its own affair.
        if not same_cells(proposal.new_text, now.notebook.cells, now.path.name):
            notes.append("The editor changed the notebook's cells further when it saved it.")
    elif now.text is not None and not same_lines(now.text, proposal.new_text):
        notes.append(
            "The editor's text changed further: by a formatter when it saved it, say, or by the user."
        )
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


def _check_notebook(loaded: LoadedFile) -> None:
    if not loaded.has_unsaved_cells or loaded.notebook is None:
        return
    if loaded.notebook.editable and not loaded.unreadable_cells:
        return
    raise EditClash(
        f"{loaded.path} is open in a notebook editor with changes that are not saved; nothing "
        f"was written. {loaded.unreadable_cells}".strip(),
        hint="Ask the user to save it, then read it again and repeat the edit.",
    )


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
