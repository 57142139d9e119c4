"""Questions and answers."""

from typing import Any, Literal

from pilotfish.core.permission import PermissionMode, RiskTier, RuleDestination
from pilotfish.wire.base import WireModel
from pilotfish.wire.session import OpenQuestion


class SuggestionMeta(WireModel):
    """A lasting grant that the dialog may offer."""

    label: str
    rule: str | None = None
    """The exact rule that would be saved."""
    mode: PermissionMode | None = None
    destinations: list[RuleDestination]


class PermissionMeta(WireModel):
    """``_meta.pilotfish`` of ``session/request_permission``."""

    request_id: str
    agent_id: str
    reason: str
    risk: RiskTier
    suggestions: list[SuggestionMeta]
    hide_always: bool
    preflight: list[str]
    """Diagnostics that the edit would add, one line each."""
    created_at_ms: int


class AnswerMeta(WireModel):
    """``_meta.pilotfish`` of the answer to ``session/request_permission``."""

    feedback: str | None = None
    """With a rejection: text for the model; the turn goes on."""
    updated_input: dict[str, Any] | None = None
    edited_text: str | None = None
    """The whole new text of the file when the user changed the proposal in the diff."""
    suggestion_index: int = 0
    destination: RuleDestination = "session"


class InboxListParams(WireModel):
    """``_pilotfish/inbox/list``: open questions of one session, or of all."""

    session_id: str | None = None


class InboxListResponse(WireModel):
    """All open questions, oldest first."""

    questions: list[OpenQuestion]


class InboxAnswerParams(WireModel):
    """``_pilotfish/inbox/answer``; answering twice is harmless."""

    request_id: str
    option_id: Literal["allow_once", "allow_always", "reject_once"]
    answer: AnswerMeta = AnswerMeta()


class InboxAnswerResponse(WireModel):
    """Whether the answer was used; false when the question was closed before."""

    accepted: bool


class RuleEntry(WireModel):
    """A rule and where it comes from."""

    rule: str
    behavior: Literal["allow", "ask", "deny"]
    source: str


class ProblemEntry(WireModel):
    """Something in a settings file that does not work."""

    path: str
    line: int
    message: str


class PermissionsListParams(WireModel):
    """``_pilotfish/permissions/list``."""

    session_id: str


class PermissionsListResponse(WireModel):
    """The rules in force for a session."""

    mode: PermissionMode
    rules: list[RuleEntry]
    problems: list[ProblemEntry]


class PermissionsExplainParams(WireModel):
    """``_pilotfish/permissions/explain``: what would be decided about a call, and why."""

    session_id: str
    tool: str
    input: dict[str, Any]


class TraceEntry(WireModel):
    """One phase of a decision."""

    phase: str
    outcome: Literal["allow", "ask", "deny", "pass"]
    detail: str


class PermissionsExplainResponse(WireModel):
    """A decision with its trace."""

    behavior: Literal["allow", "ask", "deny"]
    phase: str
    reason: str
    trace: list[TraceEntry]
