"""Questions and answers."""

from typing import Any, Literal

from pydantic import Field

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


class PlanMeta(WireModel):
    """A plan that waits for the user's consent."""

    path: str
    """The plan file; the user may edit it before answering."""
    content: str
    """Markdown, as it stood when the question was put."""
    allowed_prompts: list[str]
    """What carrying it out would run without further questions."""
    next_mode: PermissionMode
    """The mode that work goes on in when the answer names no other."""


class PermissionMeta(WireModel):
    """``_meta.pilotfish`` of ``session/request_permission``."""

    request_id: str
    agent_id: str
    agent_name: str = ""
    """What people call the agent that asks; empty when it is the conversation itself."""
    session_title: str = ""
    """The name of its session, as it was when the question was put; may be empty."""
    tool_name: str = ""
    """The tool that would be called."""
    reason: str
    risk: RiskTier
    suggestions: list[SuggestionMeta]
    hide_always: bool
    preflight: list[str]
    """Diagnostics that the edit would add, one line each; the first of them."""
    preflight_added: int = 0
    """How many it would add."""
    preflight_fixed: int = 0
    """How many would be gone."""
    plan: PlanMeta | None = None
    """Set when the question is the review of a plan; its options are then the plan's."""
    created_at_ms: int


class PlanCommentMeta(WireModel):
    """What the user says about some lines of a plan."""

    text: str
    quote: str
    """The lines as the user saw them."""
    line: int = Field(default=0, ge=0)
    """Number of the first of them, from 1; 0 when it is not known."""


class AnswerMeta(WireModel):
    """``_meta.pilotfish`` of the answer to ``session/request_permission``."""

    feedback: str | None = None
    """Text for the model: with a rejection, after which the turn goes on, and with any answer to a
    plan."""
    updated_input: dict[str, Any] | None = None
    edited_text: str | None = None
    """The whole new text of the file when the user changed the proposal in the diff."""
    suggestion_index: int = 0
    destination: RuleDestination = "session"
    edited_rule: str | None = None
    """With "always": the rule to save instead of the offered one. It must cover the call and be no
    broader than a dialog may grant; otherwise the call runs once and the user is told why."""
    target_mode: PermissionMode | None = None
    """For a plan: the mode to go on in."""
    edited_plan: str | None = None
    """For a plan: the whole text when the user changed it elsewhere than in its file."""
    plan_comments: list[PlanCommentMeta] = Field(default_factory=list[PlanCommentMeta])
    """For a plan: what is said about its lines, in their order."""


class ChoiceMeta(WireModel):
    """An answer that is offered."""

    label: str
    description: str
    preview: str
    """Markdown to compare the choices by; may be empty."""


class ChoiceQuestionMeta(WireModel):
    """A question with answers to choose from."""

    id: str
    """Key of the answer in the form's content; what the user types goes under ``<id>_other``."""
    question: str
    header: str
    multi_select: bool
    choices: list[ChoiceMeta]


class ElicitationMeta(WireModel):
    """``_meta.pilotfish`` of ``elicitation/create``: more than JSON Schema can say."""

    request_id: str
    agent_id: str
    agent_name: str = ""
    """As in ``PermissionMeta``."""
    session_title: str = ""
    """As in ``PermissionMeta``."""
    questions: list[ChoiceQuestionMeta]
    created_at_ms: int


class FormAnswerMeta(WireModel):
    """``_meta.pilotfish`` of the answer to ``elicitation/create``."""

    feedback: str | None = None
    """With ``decline``: what the user says instead of answering."""


class FormMeta(WireModel):
    """The part of ``_meta`` that is ours."""

    pilotfish: FormAnswerMeta | None = None


class FormAnswer(WireModel):
    """The answer to a form, as ``elicitation/create`` is answered."""

    action: Literal["accept", "decline", "cancel"]
    content: dict[str, str | list[str]] | None = None
    field_meta: FormMeta | None = Field(default=None, alias="_meta")


class InboxListParams(WireModel):
    """``_pilotfish/inbox/list``: open questions of one session, or of all."""

    session_id: str | None = None
    stored_in: str | None = None
    """A project's folder: its sessions that are not open are looked through as well."""


class StoredQuestion(WireModel):
    """A question that waits in a session which is not open: it can be answered when it is."""

    session_id: str
    session_title: str
    tool_call_id: str
    """The call that it is about: asked again, it has another ``requestId``."""
    title: str
    created_at_ms: int


class InboxListResponse(WireModel):
    """All open questions, oldest first."""

    questions: list[OpenQuestion]
    stored: list[StoredQuestion] = Field(default_factory=list[StoredQuestion])
    """Those of sessions that are not open anywhere; only where ``storedIn`` asks for them."""


class InboxAnswerParams(WireModel):
    """``_pilotfish/inbox/answer``; answering twice is harmless."""

    request_id: str
    option_id: (
        Literal[
            "allow_once",
            "allow_always",
            "reject_once",
            "start_editing",
            "start_accept_edits",
            "clear_context_and_start",
            "keep_planning",
        ]
        | None
    ) = None
    """One of the options of the question; not for forms."""
    answer: AnswerMeta = AnswerMeta()
    form: FormAnswer | None = None
    """For questions of the method ``elicitation/create``."""


class InboxAnswerResponse(WireModel):
    """Whether the answer was used; false when the question was closed before."""

    accepted: bool
