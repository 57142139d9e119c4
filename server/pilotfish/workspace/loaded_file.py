"""A file as an edit sees it, and whether the agent may edit it.

Owns: buffer or disk, must-read and staleness (design 06 §5.1).
Does not own: matching (``workspace.matching``), writing (``workspace.edit_pipeline``).
"""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.ports.editor import EditorPort, OpenDocument, OpenNotebook
from pilotfish.util.records import dataclass
from pilotfish.workspace.editor_reading import shows
from pilotfish.workspace.encoded import EncodedText
from pilotfish.workspace.file_state import FileState, Origin, hash_text
from pilotfish.workspace.live_cells import same_cells, text_with_cells
from pilotfish.workspace.snippets import snippet
from pilotfish.workspace.text_file import (
    MAX_TEXT_BYTES,
    NotTextError,
    TextFile,
    check_encodable,
    encode,
    load_text_file,
    read_bytes,
)

NOTEBOOK_SUFFIX = ".ipynb"

_UNREADABLE = "\N{REPLACEMENT CHARACTER}"


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedFile:
    """A file's text from where it is true: the open document, else the disk."""

    path: Path
    """As asked for, absolute."""
    real_path: Path
    """After symlinks."""
    text: str | None
    """None when the file does not exist and is not open."""
    disk: TextFile | None
    """The file on disk; None when there is none (or none that can be decoded)."""
    document: OpenDocument | None
    """The open document, whose text is ``text`` then."""
    notebook: OpenNotebook | None = None
    """The cells, when it is open in an editor of cells; ``text`` is what saving them would give."""
    has_unsaved_cells: bool = False
    """Whether the cells differ from those on disk."""
    is_unread: bool = False
    """Whether there is a file on disk that is no text, or in no encoding that can be told."""
    is_read_otherwise: bool = False
    """Whether the open document is what an editor reads in the file, in another encoding than we."""
    unreadable_cells: str = ""
    """Why ``text`` is that of the disk although the cells differ; empty when it is not so."""

    @property
    def is_on_disk(self) -> bool:
        """Whether it is the disk that is written, not what an editor holds."""
        return self.document is None and not (self.notebook and self.notebook.editable)

    @property
    def is_unsaved(self) -> bool:
        """Whether an open document holds changes that are not on disk."""
        if self.document is None:
            return False
        # Editors make line endings uniform when they open a file; that is no change by the user.
        if self.disk is not None and same_lines(self.disk.text, self.document.text):
            return False
        return not self.is_read_otherwise

    def encoded_like(self, new_text: str) -> TextFile:
        """Return whose encoding and mark the bytes before and after a change are made with.

        How an open document is encoded is the editor's choice, which it does not tell: what the
        file on disk cannot hold is counted as UTF-8 then.
        """
        plain = TextFile(text="", encoding="utf-8")
        if self.disk is None or self.document is None:
            return self.disk or plain
        try:
            for text in (self.document.text, new_text):
                check_encodable(text, self.disk, self.path.name)
        except WorkspaceError:
            return plain
        return self.disk

    def state(self, origin: Origin, *, full: bool = True) -> FileState:
        """Return what is to be remembered of the file as it is now."""
        text = self.text or ""
        return FileState(
            origin=origin,
            full=full,
            content_hash=hash_text(text),
            mtime_ns=None if self.disk is None else self.disk.mtime_ns,
            version=None if self.document is None else self.document.version,
            text=text if full else None,
        )


def resolve_links(path: Path) -> Path:
    """Return the real file of a path, existing or not. Blocking.

    Raises:
        WorkspaceError: Symlinks go round in a circle, or a folder cannot be looked into.
    """
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:
        raise WorkspaceError(f"{path} cannot be resolved: {error}.") from error


def load_file(
    path: Path,
    editor_document: OpenDocument | None,
    notebook: OpenNotebook | None = None,
    known: Iterable[str] = (),
    max_bytes: int = MAX_TEXT_BYTES,
) -> LoadedFile:
    """Load a file. Blocking; call in a thread.

    Args:
        path: The file.
        editor_document: It, if it is open.
        notebook: It, if it is open in an editor of cells.
        known: Texts that it may hold, which are in memory already.
        max_bytes: Largest file on disk that is loaded.

    Raises:
        NotTextError: The file is binary or cannot be decoded without loss, and is not open.
        TooLargeError: It is larger than allowed.
        WorkspaceError: It cannot be read.
    """
    real_path = resolve_links(path)
    if editor_document is not None:
        known = (editor_document.text, *known)
    try:
        disk = load_text_file(path, known, max_bytes)
        is_unread = False
    except FileNotFoundError:
        disk, is_unread = None, False
    except NotTextError:
        if editor_document is None:
            raise
        disk, is_unread = None, True
    if editor_document is not None:
        text = editor_document.text
    else:
        text = None if disk is None else disk.text
    loaded = LoadedFile(
        path=path,
        real_path=real_path,
        text=text,
        disk=disk,
        document=editor_document,
        notebook=notebook,
        is_unread=is_unread,
        is_read_otherwise=_is_read_otherwise(editor_document, disk, path, is_unread=is_unread),
    )
    return loaded if notebook is None else _with_cells(loaded, notebook, known)


def _is_read_otherwise(
    document: OpenDocument | None, disk: TextFile | None, path: Path, *, is_unread: bool
) -> bool:
    if document is None or (disk is None and not is_unread):
        return False
    if disk is not None and (disk.encoding == "utf-8" or same_lines(disk.text, document.text)):
        return False
    try:
        data, _ = read_bytes(path)
    except FileNotFoundError:
        return False
    return shows(document.text, data)


def _with_cells(loaded: LoadedFile, notebook: OpenNotebook, known: Iterable[str]) -> LoadedFile:
    """Take the cells for the truth."""
    name = loaded.path.name
    if same_cells(loaded.text or "", notebook.cells, name):
        return loaded
    try:
        text = text_with_cells(loaded.text or "", notebook.cells, name)
    except WorkspaceError as error:
        return replace(loaded, has_unsaved_cells=True, unreadable_cells=str(error))
    same = next((each for each in known if each == text), text)
    return replace(loaded, text=same, has_unsaved_cells=True)


def find_document(editor: EditorPort, path: Path) -> OpenDocument | None:
    """Return the open document of a path, whichever of its names the editor uses.

    None for a notebook that is open in an editor of cells: these are the truth then, even where its
    text is open, too.
    """
    if find_notebook(editor, path) is not None:
        return None
    document = editor.document(path)
    if document is not None:
        return document
    try:
        return editor.document(path.resolve()) if path.is_symlink() else None
    except (OSError, RuntimeError):
        return None  # it cannot even be looked up, which whoever opens it will say


def find_notebook(editor: EditorPort, path: Path) -> OpenNotebook | None:
    """Return the notebook of a path if it is open in an editor of cells."""
    return editor.notebook(path) if path.suffix.lower() == NOTEBOOK_SUFFIX else None


def is_stale(state: FileState, loaded: LoadedFile) -> bool:
    """Tell whether a file is not what it was when it was seen."""
    if loaded.text is None:
        return True
    if state.text is loaded.text:
        return False
    if state.content_hash is not None and state.content_hash != hash_text(loaded.text):
        return True
    if state.content_hash is not None and state.full:
        return False  # same text; a moved time stamp alone means nothing
    if loaded.document is not None and state.version is not None:
        return state.version != loaded.document.version
    mtime_ns = None if loaded.disk is None else loaded.disk.mtime_ns
    return state.mtime_ns is not None and state.mtime_ns != mtime_ns


def current_content(loaded: LoadedFile) -> EncodedText | None:
    """Return what the disk would hold if the text were saved now; None without a file."""
    if loaded.text is None:
        return None
    return encode(loaded.text, loaded.encoded_like(loaded.text), loaded.path.name)


def check_known(state: FileState | None, loaded: LoadedFile) -> None:
    """Make sure that the agent has seen the file as it is now.

    Raises:
        WorkspaceError: It was never read.
        EditClash: It changed since.
    """
    if state is None or state.partial_view:
        raise WorkspaceError(
            f"{loaded.path} was not read yet; nothing was written.",
            hint="Read it first, then edit it.",
        )
    if not is_stale(state, loaded):
        return
    changes = ""
    if state.text is not None and loaded.text is not None:
        shown = snippet(state.text, loaded.text)
        changes = f" It now reads, around what changed:\n{shown}" if shown else ""
    raise EditClash(
        f"{loaded.path} changed since you read it; nothing was written.",
        hint="Read it again, then repeat the edit on the new text." + changes,
    )


def same_lines(one: str, other: str) -> bool:
    """Compare two texts apart from the kind of their line endings."""
    return one == other or _to_lf(one) == _to_lf(other)


def _to_lf(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r" in text else text


def was_typed_in(shown: str, loaded: LoadedFile) -> bool:
    """Tell whether a document that was just opened holds another text than its file.

    In line ends, and in bytes that are no UTF-8, editors may differ from us without any change.
    """
    is_plain = loaded.disk is not None and loaded.disk.encoding == "utf-8"
    return is_plain and _one_kind_of_ends(shown) != _one_kind_of_ends(loaded.text or "")


def is_misread(loaded: LoadedFile) -> bool:
    """Tell whether an editor shows signs for what it could not read: saved, these would stay."""
    if loaded.document is None or _UNREADABLE not in loaded.document.text:
        return False
    disk = loaded.disk
    if disk is None:
        return loaded.is_unread
    return disk.encoding != "utf-8" and _UNREADABLE not in disk.text


def _one_kind_of_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
