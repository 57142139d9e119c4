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
    edited_rule: str | None = None
    """With "always": the rule to save instead of the offered one. It must cover the call and be no
    broader than a dialog may grant; otherwise the call runs once and the user is told why."""


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
