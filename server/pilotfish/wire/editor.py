"""What the editor tells the server, and what the server asks of it."""

from typing import Annotated, Literal

from pydantic import Field

from pilotfish.wire.base import WireModel


class EditorRange(WireModel):
    """A range as LSP has it: 0-based lines, UTF-16 characters."""

    start_line: int
    start_character: int
    end_line: int
    end_character: int


class EditorContextParams(WireModel):
    """``_pilotfish/editor/context``: where the user is; a debounced notification."""

    active_uri: str | None = None
    selection: EditorRange | None = None
    selected_text: str | None = None
    """At most 10,000 characters."""
    open_uris: list[str] = Field(default_factory=list)


class LanguagesParams(WireModel):
    """``_pilotfish/editor/languages``: languages that nobody else serves in the editor."""

    languages: list[Annotated[str, Field(max_length=100)]] = Field(max_length=1_000)
    """The editor's names of them. Replaces what was told before."""


class ServesParams(WireModel):
    """``_pilotfish/editor/serves``: whether somebody else in the editor looks at a document."""

    uri: str
    """The editor opens the document when it is not open, without showing it."""


class ServesResponse(WireModel):
    """The answer."""

    served: bool


class SaveParams(WireModel):
    """``_pilotfish/editor/save``: save an open document."""

    uri: str


class SaveResponse(WireModel):
    """Whether the document is saved now."""

    saved: bool
    message: str = ""


class NotebookCellContent(WireModel):
    """A new cell of a notebook, without outputs."""

    kind: Literal["code", "markdown", "raw"]
    source: str
    id: str | None = None
    """As it shall be in the file; None for formats without."""


class NotebookEditParams(WireModel):
    """``_pilotfish/editor/cells``: put cells in place of others, as one step of undo."""

    uri: str
    expected: list[str]
    """The sources that the cells must have; else nothing is changed. A version would not do: with
    every output of a cell that runs it grows."""
    start: int
    """Index of the first cell that goes, or before which new ones are put."""
    deleted: int
    cells: list[NotebookCellContent]
    language: str = ""
    """Of the code in the new cells; empty: that of the notebook's other cells."""
    label: str = ""


class NotebookEditResponse(WireModel):
    """Whether the cells are changed now."""

    applied: bool
    message: str = ""


class DiagnosticsParams(WireModel):
    """``_pilotfish/editor/diagnostics``: what the editor's language servers find.

    With ``since`` the answer waits until every document named was judged after that revision and
    nothing has changed for ``quietMs``, at most ``limitMs``, and not for those that are watched longer
    than their servers take lately. Without, it comes at once, and nothing is opened.
    """

    uris: list[str] = Field(default_factory=list)
    """Documents to be judged; with ``since`` the editor opens those that are not open, without showing
    them."""
    since: int | None = None
    quiet_ms: int = 0
    limit_ms: int = 0
    only: bool = False
    """Whether to tell of the documents named alone."""


class DiagnosticEntry(WireModel):
    """An error or warning. 0-based line, UTF-16 character."""

    severity: Literal["error", "warning"]
    line: int
    character: int
    message: str
    source: str = ""
    code: str = ""


class DocumentDiagnostics(WireModel):
    """What is known of a document."""

    uri: str
    published: bool = False
    """Whether it was judged after ``since``."""
    unseen: bool = False
    """Whether nobody is known to have judged it by ``since``, as one that was opened later: what is found
    in it may be older. Without ``since``: by now."""
    watched: bool | None = None
    """Whether language servers are known to look at it all the time, as they do at documents in tabs: their
    silence then means that nothing has changed. Null: not known."""
    diagnostics: list[DiagnosticEntry]


class DiagnosticsResponse(WireModel):
    """Every document with problems, and those that were asked for."""

    revision: int
    """Grows with every change of any document's diagnostics."""
    files: list[DocumentDiagnostics]
    cut: bool = False
    """Whether there are too many to tell them all: whole documents are left out, none of those that were
    asked for."""


class PlaceParams(WireModel):
    """A place in a document that something is asked about. 0-based line, UTF-16 character."""

    uri: str
    """The editor opens the document when it is not open, without showing it."""
    line: int
    character: int
    limit: int
    """Most results; the editor leaves out the rest."""
    limit_ms: int
    """How long the editor may take, waiting for a language server that it starts included."""


class LocateParams(PlaceParams):
    """``_pilotfish/editor/locate``: places that belong to the symbol at a place."""

    kind: Literal["definition", "references", "implementation", "type_definition"]


class LocationEntry(WireModel):
    """A range of a document."""

    uri: str
    range: EditorRange


class LocateResponse(WireModel):
    """Places; ``known`` is false when no language server had anything to say."""

    known: bool
    locations: list[LocationEntry] = Field(default_factory=list[LocationEntry])


class HoverResponse(WireModel):
    """``_pilotfish/editor/hover``: signature and documentation, as Markdown."""

    known: bool
    text: str = ""


class SymbolsParams(WireModel):
    """``_pilotfish/editor/symbols``: of a document, or of the project by a part of their name."""

    uri: str | None = None
    query: str | None = None
    """Used without ``uri``."""
    limit: int
    limit_ms: int


class SymbolEntry(WireModel):
    """Something with a name."""

    name: str
    kind: int
    """As LSP numbers them: 1 is a file, 26 a type parameter."""
    detail: str = ""
    container: str = ""
    uri: str
    range: EditorRange
    """The whole of it."""
    name_range: EditorRange
    depth: int = 0
    """In a document: how deep it lies within the entries before it."""


class SymbolsResponse(WireModel):
    """Symbols; those of a document in the order of the text, each before its parts."""

    known: bool
    symbols: list[SymbolEntry] = Field(default_factory=list[SymbolEntry])


class HierarchyParams(PlaceParams):
    """``_pilotfish/editor/hierarchy``: who calls the function at a place, or what it calls."""

    direction: Literal["incoming", "outgoing"]


class CallEntry(WireModel):
    """Who calls, or what is called."""

    symbol: SymbolEntry
    sites: list[EditorRange]
    """Where the calls stand, in the caller's document."""


class HierarchyResponse(WireModel):
    """One level of calls."""

    known: bool
    calls: list[CallEntry] = Field(default_factory=list[CallEntry])


class RenameParams(PlaceParams):
    """``_pilotfish/editor/rename``: what a rename would change. The editor changes nothing."""

    new_name: str


class RangeChange(WireModel):
    """A range and what to put there."""

    range: EditorRange
    new_text: str


class DocumentChange(WireModel):
    """What a rename changes in one document."""

    uri: str
    changes: list[RangeChange]


class RenameResponse(WireModel):
    """The changes; none and ``known`` when the symbol cannot be renamed."""

    known: bool
    documents: list[DocumentChange] = Field(default_factory=list[DocumentChange])
    other_operations: bool = False
    """Whether it would also create, move or delete files, which is left out here."""
