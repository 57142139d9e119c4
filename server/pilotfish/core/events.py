"""What happens in a session.

Owns: the closed union of session events and their envelope.
Does not own: how they are stored (``session.transcript``) or shown (edges).

Two kinds. *Kept* events make up the append-only list with growing ``seq``; the session's whole
state, the model's history included, is rebuilt from them. *Passing* events (``core.passing_events``)
are live news between two kept ones.
"""

from typing import Literal, TypeAlias

from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentSpent,
    AgentStarted,
    AgentTold,
    AgentTreeSettled,
)
from pilotfish.core.background import BackgroundTask, TaskStatus
from pilotfish.core.calls import Location, ToolDisplay, ToolKind, ToolStatus
from pilotfish.core.commands import CommandAnswered, CommandTyped, SkillInvoked
from pilotfish.core.dialogs import Question, Resolution
from pilotfish.core.ids import (
    AgentId,
    CheckpointId,
    MessageId,
    RequestId,
    SessionId,
    TaskId,
    ToolUseId,
    TurnId,
)
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.mentions import Mention
from pilotfish.core.messages import NO_USAGE, Added, AssistantBlock, ImageBlock, TextBlock, Usage
from pilotfish.core.passing_events import PassingEvent
from pilotfish.core.permission import PermissionMode, PermissionRule, Phase
from pilotfish.core.queue_events import PromptMoved, PromptRevised
from pilotfish.core.reasons import ModelStopReason, NoteOrigin, TerminalReason
from pilotfish.core.todos import TodoItem
from pilotfish.core.worktree_events import WorktreeEntered, WorktreeLeft
from pilotfish.util.records import dataclass

TRANSCRIPT_FORMAT = 1
"""Grows when older versions would misread what newer ones write; all smaller ones can be read."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionCreated:
    """First event of every session."""

    session_id: SessionId
    cwd: str
    version: str
    """Version of Pilotfish that wrote the transcript."""
    mode: PermissionMode
    model: str
    forked_from: SessionId | None = None
    allowed_tools: tuple[str, ...] = ()
    """Rules that the client allowed for this session, in the form of the settings."""
    disallowed_tools: tuple[str, ...] = ()
    system_prompt_append: str | None = None
    format: int = TRANSCRIPT_FORMAT
    """Form of the transcript; it is missing in those from before there were several."""
    type: Literal["session_created"] = "session_created"


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptSubmitted:
    """The user sent a prompt; it is in the history from here on."""

    message_id: MessageId
    content: tuple[TextBlock | ImageBlock, ...]
    context: tuple[Added, ...] = ()
    """What the editor added (active file, selection, documents); for the model, not shown."""
    mentions: tuple[Mention, ...] = ()
    """What the prompt points at, for views."""
    type: Literal["prompt_submitted"] = "prompt_submitted"


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptQueued:
    """A prompt arrived during a turn and waits for the next loop boundary."""

    message_id: MessageId
    content: tuple[TextBlock | ImageBlock, ...]
    mentions: tuple[Mention, ...] = ()
    type: Literal["prompt_queued"] = "prompt_queued"


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptDropped:
    """A queued prompt left the queue without reaching the model."""

    message_id: MessageId
    cause: Literal["stopped", "removed", "lost"] = "stopped"
    """The user stopped the turn, or took the prompt back, or the process ended."""
    type: Literal["prompt_dropped"] = "prompt_dropped"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnStarted:
    """The engine began to work on a prompt."""

    turn_id: TurnId
    model: str
    cwd: str = ""
    """The session's folder, once more: the line that says it first may be lost. Empty in older ones."""
    type: Literal["turn_started"] = "turn_started"


@dataclass(frozen=True, kw_only=True, slots=True)
class BlockFinished:
    """One content block of a reply is complete."""

    message_id: MessageId
    block_index: int
    block: AssistantBlock
    type: Literal["block_finished"] = "block_finished"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyFinished:
    """A reply ended; counts are of this one model call."""

    message_id: MessageId
    model: str
    """As the server calls it."""
    stop_reason: ModelStopReason | None
    usage: Usage
    cost_usd: float | None
    """None when the model's price is not known."""
    asked_model: str = ""
    """As the request called it; its reasoning goes back to this model alone."""
    duration_ms: int = 0
    """From the request on, with all attempts and the waits between them."""
    answer_ms: int | None = None
    """Of the attempt that answered, alone. None: an earlier version did not say."""
    first_ms: int | None = None
    """How long that attempt took to begin its answer."""
    type: Literal["reply_finished"] = "reply_finished"


SideCallPurpose: TypeAlias = Literal["title", "commit_message", "aside"]
"""What a side question was for."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SideCallFinished:
    """A small question beside the conversation was answered; the model's history has none of it."""

    purpose: SideCallPurpose
    model: str
    usage: Usage
    cost_usd: float | None
    """None when the model's price is not known."""
    type: Literal["side_call_finished"] = "side_call_finished"


@dataclass(frozen=True, kw_only=True, slots=True)
class ReplyDiscarded:
    """A reply is void: it broke off, or is asked for again. Views remove it, the model forgets it."""

    message_id: MessageId
    model: str = ""
    usage: Usage = NO_USAGE
    """What the server counted for it, unless a ``ReplyFinished`` has said so."""
    cost_usd: float | None = None
    type: Literal["reply_discarded"] = "reply_discarded"


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolStarted:
    """A call passed validation and is being decided on or run."""

    tool_use_id: ToolUseId
    tool: str
    title: str
    kind: ToolKind
    input: JsonObject
    locations: tuple[Location, ...] = ()
    type: Literal["tool_started"] = "tool_started"


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolFinished:
    """A call ended; ``content`` is the result that the model gets."""

    tool_use_id: ToolUseId
    status: ToolStatus
    content: tuple[TextBlock | ImageBlock, ...]
    display: tuple[ToolDisplay, ...] = ()
    duration_ms: int = 0
    type: Literal["tool_finished"] = "tool_finished"


@dataclass(frozen=True, kw_only=True, slots=True)
class ResultShortened:
    """A result gave way to others of its reply; the model gets ``content`` in its place for good."""

    tool_use_id: ToolUseId
    content: tuple[TextBlock | ImageBlock, ...]
    type: Literal["result_shortened"] = "result_shortened"


@dataclass(frozen=True, kw_only=True, slots=True)
class MediaDropped:
    """The model refused pictures or documents, or there are too many; notes take their place."""

    why: str
    """For the model."""
    kept: int | None = None
    """How many of the latest stay. None: only those go that were said last."""
    type: Literal["media_dropped"] = "media_dropped"


@dataclass(frozen=True, kw_only=True, slots=True)
class NoteAdded:
    """A reminder for the model that joins the next user message (diagnostics, mode changes)."""

    text: str
    origin: NoteOrigin
    task_id: TaskId | None = None
    """The background task whose end it tells; None for everything else."""
    agent_id: AgentId | None = None
    """The agent whose end it tells to whoever started it; None for everything else."""
    type: Literal["note_added"] = "note_added"


@dataclass(frozen=True, kw_only=True, slots=True)
class PriceMissing:
    """The session's budget is not kept for a model, whose price nobody knows; for people alone."""

    model: str
    text: str
    """What that means, and the way out."""
    type: Literal["price_missing"] = "price_missing"


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionAsked:
    """A question entered the inbox."""

    question: Question
    type: Literal["question_asked"] = "question_asked"


@dataclass(frozen=True, kw_only=True, slots=True)
class QuestionResolved:
    """A question left the inbox."""

    request_id: RequestId
    answer: Resolution
    feedback: str = ""
    type: Literal["question_resolved"] = "question_resolved"


@dataclass(frozen=True, kw_only=True, slots=True)
class DecisionMade:
    """Audit line: what the permission chain said about a call, and why."""

    tool_use_id: ToolUseId
    tool: str
    behavior: Literal["allow", "deny"]
    phase: Phase
    reason: str
    rule: PermissionRule | None = None
    waited_ms: int = 0
    """How long the user took; 0 when nobody was asked."""
    type: Literal["decision_made"] = "decision_made"


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleGranted:
    """A rule holds for this session from here on: by a dialog's answer, or put in by hand."""

    rule: PermissionRule
    type: Literal["rule_granted"] = "rule_granted"


@dataclass(frozen=True, kw_only=True, slots=True)
class RuleRevoked:
    """A rule that held for this session was taken back."""

    rule: PermissionRule
    type: Literal["rule_revoked"] = "rule_revoked"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModeChanged:
    """The permission mode changed."""

    mode: PermissionMode
    previous: PermissionMode
    cause: Literal["user", "dialog", "tool", "settings", "resume"]
    type: Literal["mode_changed"] = "mode_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanApproved:
    """The user agreed to a plan; what it wants to run needs no further question in this session."""

    plan_path: str
    allowed_prompts: tuple[str, ...] = ()
    type: Literal["plan_approved"] = "plan_approved"


@dataclass(frozen=True, kw_only=True, slots=True)
class ContextCleared:
    """The model forgets the conversation so far; the list of events keeps it for people."""

    kept_from: MessageId | None = None
    """The prompt with which begins what it keeps; None: it keeps nothing."""
    kept_seq: int = 0
    """The event with which the turn of that prompt begins."""
    type: Literal["context_cleared"] = "context_cleared"


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationRewound:
    """The user went back to before a prompt; the model forgets it and what followed."""

    message_id: MessageId
    """The first prompt that is forgotten."""
    type: Literal["conversation_rewound"] = "conversation_rewound"


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelChanged:
    """The session's model changed; takes effect with the next model call."""

    model: str
    type: Literal["model_changed"] = "model_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class EffortChanged:
    """How hard the model is to try was chosen."""

    effort: str
    """``default`` leaves it to the model."""
    type: Literal["effort_changed"] = "effort_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class TodosChanged:
    """The todo list was replaced."""

    todos: tuple[TodoItem, ...]
    type: Literal["todos_changed"] = "todos_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class FileChanged:
    """A tool wrote a file; the text before is in the file history under the checkpoint."""

    path: str
    tool_use_id: ToolUseId
    checkpoint_id: CheckpointId
    added_lines: int
    removed_lines: int
    created: bool
    type: Literal["file_changed"] = "file_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class BackgroundStarted:
    """A command goes on in the background; its call has its result already, or is about to."""

    task: BackgroundTask
    type: Literal["background_started"] = "background_started"


@dataclass(frozen=True, kw_only=True, slots=True)
class BackgroundKept:
    """The user decided whether a background task goes on when its session is closed."""

    task_id: TaskId
    kept: bool
    type: Literal["background_kept"] = "background_kept"


@dataclass(frozen=True, kw_only=True, slots=True)
class BackgroundEnded:
    """A background task came to its end."""

    task_id: TaskId
    status: TaskStatus
    outcome: str
    type: Literal["background_ended"] = "background_ended"


@dataclass(frozen=True, kw_only=True, slots=True)
class BackgroundTold:
    """The model has seen how a background task ended, by asking for it."""

    task_id: TaskId
    type: Literal["background_told"] = "background_told"


@dataclass(frozen=True, kw_only=True, slots=True)
class TitleChanged:
    """The session got a name."""

    title: str
    type: Literal["title_changed"] = "title_changed"


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnEnded:
    """A turn ended; every call of it has a result."""

    turn_id: TurnId
    reason: TerminalReason
    message: str = ""
    """For the user: what went wrong and what to do; empty when nothing did."""
    usage: Usage = NO_USAGE
    cost_usd: float | None = None
    duration_ms: int = 0
    model_calls: int = 0
    type: Literal["turn_ended"] = "turn_ended"


KeptEvent: TypeAlias = (
    SessionCreated
    | PromptSubmitted
    | PromptQueued
    | PromptDropped
    | CommandTyped
    | CommandAnswered
    | PromptRevised
    | PromptMoved
    | SkillInvoked
    | TurnStarted
    | BlockFinished
    | ReplyFinished
    | ReplyDiscarded
    | SideCallFinished
    | ToolStarted
    | ToolFinished
    | ResultShortened
    | MediaDropped
    | NoteAdded
    | PriceMissing
    | QuestionAsked
    | QuestionResolved
    | DecisionMade
    | RuleGranted
    | RuleRevoked
    | ModeChanged
    | PlanApproved
    | ContextCleared
    | ConversationRewound
    | ModelChanged
    | EffortChanged
    | TodosChanged
    | FileChanged
    | BackgroundStarted
    | BackgroundKept
    | BackgroundEnded
    | BackgroundTold
    | AgentStarted
    | AgentBackgrounded
    | AgentSpent
    | AgentEnded
    | AgentTold
    | AgentTreeSettled
    | AgentResumed
    | WorktreeEntered
    | WorktreeLeft
    | TitleChanged
    | TurnEnded
)
SessionEvent: TypeAlias = KeptEvent | PassingEvent


@dataclass(frozen=True, kw_only=True, slots=True)
class EventRecord:
    """An event with its place in the session."""

    seq: int
    """Grows by one with every kept event, from 1; a passing event carries that of the last one."""
    time_ms: int
    """Wall clock, milliseconds since the epoch."""
    event: SessionEvent
    turn_id: TurnId | None = None
    agent_id: AgentId
    parent_tool_use_id: ToolUseId | None = None
