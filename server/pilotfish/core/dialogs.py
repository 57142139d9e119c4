"""Questions to the user that are no permission questions, and what all questions have in common.

Owns: the model's own questions (AskUserQuestion), the review of a plan (ExitPlanMode), their answers.
Does not own: permission questions (``core.permission``), storage (``session.inbox``), display (edges).
See also: design 05 §9.2, §9.3.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from pilotfish.core.ids import AgentId, RequestId, SessionId, ToolUseId
from pilotfish.core.permission import (
    AnswerKind,
    PermissionAnswer,
    PermissionMode,
    PermissionQuestion,
)
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """One answer that is offered."""

    label: str
    """One to five words; unique within its question."""
    description: str
    preview: str = ""
    """Something to compare the choices by: a mock-up, a snippet. Markdown; may be empty."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ChoiceQuestion:
    """One question with the answers that are offered; the user may give another one."""

    question: str
    """Whole sentence; unique within its form."""
    header: str
    """A word or two for a chip."""
    choices: tuple[Choice, ...]
    multi_select: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class UserQuestion:
    """What the model asks the user."""

    request_id: RequestId
    session_id: SessionId
    agent_id: AgentId
    tool_use_id: ToolUseId
    title: str
    questions: tuple[ChoiceQuestion, ...]
    created_at_ms: int = 0
    type: Literal["user"] = "user"


@dataclass(frozen=True, kw_only=True, slots=True)
class UserAnswer:
    """What the user said, or that nothing was said."""

    kind: Literal["answered", "declined", "withdrawn"]
    selections: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """From a question's text to the labels that were chosen, and what was typed instead."""
    feedback: str = ""
    """With ``declined``: what the user said instead of answering."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanQuestion:
    """A plan that waits for the user's consent."""

    request_id: RequestId
    session_id: SessionId
    agent_id: AgentId
    tool_use_id: ToolUseId
    title: str
    plan_path: str
    """Absolute; the user may edit the file before answering."""
    plan: str
    """Markdown, as it stood when the question was put."""
    allowed_prompts: tuple[str, ...] = ()
    """What the plan wants to run without further questions, in words."""
    next_mode: PermissionMode = "default"
    """The mode that work goes on in when the user names no other."""
    created_at_ms: int = 0
    type: Literal["plan"] = "plan"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanComment:
    """What the user says about some lines of a plan."""

    text: str
    quote: str
    """The lines as the user saw them."""
    line: int = 0
    """Number of the first of them, from 1; 0 when it is not known."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanAnswer:
    """What the user said of a plan.

    ``start`` goes on in this conversation; ``clear_and_start`` begins a new one with the plan alone;
    ``keep_planning`` refuses. Feedback and comments go to the model with either.
    """

    kind: Literal["start", "clear_and_start", "keep_planning", "withdrawn"]
    feedback: str = ""
    target_mode: PermissionMode | None = None
    edited_plan: str | None = None
    """The whole plan when the user changed it in the dialog."""
    comments: tuple[PlanComment, ...] = ()
    """In the order of the lines that they are about."""


Question: TypeAlias = PermissionQuestion | UserQuestion | PlanQuestion
Answer: TypeAlias = PermissionAnswer | UserAnswer | PlanAnswer

Resolution: TypeAlias = (
    AnswerKind | Literal["answered", "declined", "start", "clear_and_start", "keep_planning"]
)
"""How a question ended, for the record."""
