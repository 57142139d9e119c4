"""What the editor tells the server, and what the server asks of it."""

from typing import Any, Literal

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


class SaveParams(WireModel):
    """``_pilotfish/editor/save``: save an open document."""

    uri: str


class SaveResponse(WireModel):
    """Whether the document is saved now."""

    saved: bool
    message: str = ""


class DiagnosticsParams(WireModel):
    """``_pilotfish/editor/diagnostics``: what the editor's language servers find.

    With ``since`` the answer waits until every document named was judged after that revision and
    nothing has changed for ``quietMs``, at most ``limitMs``; without, it comes at once.
    """

    uris: list[str] = Field(default_factory=list)
    """Documents to be judged; the editor opens those that are not open, without showing them."""
    since: int | None = None
    quiet_ms: int = 0
    limit_ms: int = 0


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
    diagnostics: list[DiagnosticEntry]


class DiagnosticsResponse(WireModel):
    """Every document with problems, and those that were asked for."""

    revision: int
    """Grows with every change of any document's diagnostics."""
    files: list[DocumentDiagnostics]


class AgentsListParams(WireModel):
    """``_pilotfish/agents/list``."""

    session_id: str | None = None


class AgentEntry(WireModel):
    """A background agent as the tree shows it."""

    agent_id: str
    session_id: str
    agent_type: str
    description: str
    status: str
    started_at_ms: int
    tokens: int


class AgentsListResponse(WireModel):
    """All background agents."""

    agents: list[AgentEntry]


class StatsResponse(WireModel):
    """``_pilotfish/testing/stats``; only with ``--testing``."""

    pid: int
    memory_bytes: int
    pending_tasks: int
    open_documents: int
    sessions: int
    children: list[dict[str, Any]]
