"""Sessions: options of ``session/new``, what an update carries, snapshot, state, status."""

from typing import Any, Literal

from pydantic import Field

from pilotfish.core.permission import PermissionMode
from pilotfish.core.reasons import NoteOrigin, TerminalReason
from pilotfish.wire.base import WireModel
from pilotfish.wire.queue import QueuedPrompt, QueueMeta
from pilotfish.wire.tasks import TaskMeta

AgentStatus = Literal["running", "completed", "failed", "stopped"]
"""All but ``running`` are final, until a message makes the agent go on."""


class NewSessionMeta(WireModel):
    """``_meta.pilotfish`` of ``session/new``."""

    permission_mode: PermissionMode | None = None
    allowed_tools: list[str] = Field(default_factory=list)
    disallowed_tools: list[str] = Field(default_factory=list)
    model: str | None = None
    effort: str | None = None
    """How hard the model should try; None leaves it to the settings."""
    system_prompt_append: str | None = None


class ForkMeta(NewSessionMeta):
    """``_meta.pilotfish`` of ``session/fork``."""

    before_message_id: str | None = None
    """The first prompt that the copy has not; without it the copy has all whole turns."""


class CloseMeta(WireModel):
    """``_meta.pilotfish`` of ``session/close``."""

    when_quiet: bool = False
    """Nobody looks at the session any more: it is closed as soon as nothing of it runs or waits, and
    not at all when it is loaded or resumed before that. Without it the session ends at once."""


class UpdateMeta(WireModel):
    """``_meta.pilotfish`` of ``session/update``."""

    seq: int
    """Place in the session's event list; live pieces carry that of the last kept event."""
    agent_id: str
    turn_id: str | None = None
    parent_tool_call_id: str | None = None
    message_id: str | None = None
    block_index: int | None = None
    final: bool = False
    """True on the empty chunk that says a streamed block is complete."""
    kind: Literal[
        "prompt",
        "queued",
        "queue",
        "text",
        "thinking",
        "discarded",
        "tool",
        "output",
        "retry",
        "note",
        "notice",
        "turn_started",
        "turn_ended",
        "file_changed",
        "decision",
        "context_cleared",
        "rewound",
        "task",
        "agent",
        "other",
    ] = "other"
    """What the update stands for, where ACP's own word does not say it."""
    tool_name: str | None = None
    tool_status: Literal["completed", "failed", "denied", "interrupted"] | None = None
    """Finer than ACP's status, which has only completed and failed."""
    duration_ms: int | None = None
    output_cut: bool | None = None
    """Whether the text of a finished call is a part of its output; ``_pilotfish/session/output`` has all."""
    note: str | None = None
    """Text that the model got as a reminder (new diagnostics, a changed mode); where the kind is
    ``notice``, text for people alone."""
    note_origin: NoteOrigin | None = None
    retry: "RetryMeta | None" = None
    turn: "TurnMeta | None" = None
    file: "FileMeta | None" = None
    decision: "DecisionMeta | None" = None
    task: TaskMeta | None = None
    agent: "AgentMeta | None" = None
    command: str | None = None
    """The command that a prompt is, with which the model has nothing to do, or whose answer a text is."""
    queue: QueueMeta | None = None
    dropped: Literal["stopped", "removed", "lost"] | None = None
    """Why a queued prompt left the queue unseen, where the kind is ``discarded``."""


class AgentMeta(WireModel):
    """What became of an agent, in an update of the kind ``agent`` in its parent's transcript."""

    agent_id: str
    agent_type: str
    description: str
    change: Literal["started", "backgrounded", "resumed", "ended"]
    status: AgentStatus
    is_background: bool = False
    """Whether nobody waited for it from the start on; only when it started."""
    outcome: str = ""
    """How it ended, in a few words; empty while it runs."""


class RetryMeta(WireModel):
    """The model did not answer; the next attempt comes after the delay."""

    attempt: int
    max_attempts: int
    delay_ms: int
    message: str


class TurnMeta(WireModel):
    """How a turn ended."""

    reason: TerminalReason
    message: str = ""
    """What went wrong and what to do; empty when nothing did."""
    duration_ms: int = 0
    model_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float | None = None


class FileMeta(WireModel):
    """A file that a tool wrote."""

    path: str
    checkpoint_id: str
    added_lines: int
    removed_lines: int
    created: bool


class DecisionMeta(WireModel):
    """What the permission chain said about a call."""

    tool_call_id: str
    behavior: Literal["allow", "deny"]
    phase: str
    reason: str


class SnapshotParams(WireModel):
    """``_pilotfish/session/snapshot``: everything a fresh view needs, or what came after a seq."""

    session_id: str
    since_seq: int = 0


class HistoryParams(WireModel):
    """``_pilotfish/session/history``: the part of a long session that came before an event."""

    session_id: str
    before_seq: int
    agent_id: str | None = None
    """Set for the transcript of one of its agents; ``beforeSeq`` is then the agent's."""


class HistoryResponse(WireModel):
    """Older events."""

    updates: list[dict[str, Any]]
    """Parameters of ``session/update`` notifications, oldest first."""
    first_seq: int
    has_earlier: bool


class TodoEntry(WireModel):
    """One line of the todo list."""

    content: str
    status: Literal["pending", "in_progress", "completed"]
    active_form: str
    task_id: str | None = None
    """Its number, where the list is one of tasks."""
    owner: str | None = None
    """The agent that does it."""
    blocked_by: list[str] = Field(default_factory=list[str])
    """Numbers of the unfinished tasks that it waits for."""


class UsageMeta(WireModel):
    """Token counts by kind."""

    input_tokens: int
    """Read anew, neither from a cache nor into one."""
    cache_read_tokens: int
    cache_write_tokens: int
    output_tokens: int


class ModelUseMeta(WireModel):
    """What one model was used for in a session."""

    model: str
    calls: int
    usage: UsageMeta
    cost_usd: float | None
    """Of the calls with a known price; None when there is none."""
    unpriced_calls: int
    """Calls that cost something nobody knows."""


class PlaceMeta(WireModel):
    """The worktree that a session works in."""

    path: str
    branch: str


class WorkedMeta(WireModel):
    """How long a session has worked, in milliseconds."""

    turns_ms: int = 0
    """All its turns."""
    models_ms: int = 0
    """Answers of models, those to agents included, with retries and the waits between them."""
    answers_ms: int = 0
    """The same without retries."""
    tools_ms: int = 0
    """Its calls of tools; calls that ran side by side count each."""


class StatusData(WireModel):
    """``_pilotfish/status``: what a status line shows."""

    session_id: str
    model: str
    mode: PermissionMode
    context_tokens: int
    context_window: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    """Of all calls with a known price; None when there is none."""
    unpriced_calls: int = 0
    """Calls that are not in ``costUsd``, because nobody knows their price."""
    context_known: bool = True
    """False when the size of the window is an assumption."""
    last: UsageMeta | None = None
    """Of the latest reply; None before the first."""
    line: str = ""
    """The user's own status line; may hold colours as terminals write them."""
    models: list[ModelUseMeta] = Field(default_factory=list[ModelUseMeta])
    """By model, in the order in which they were first used."""
    worked: WorkedMeta | None = None
    worktree: PlaceMeta | None = None
    """Where the session works instead of in its own folder; None: it works there."""


class AttachmentLimits(WireModel):
    """What may be attached to a prompt, so that a client can say it before anything is sent."""

    blob_chars: int
    """Base64 characters of one picture or document."""
    message_chars: int
    """Base64 characters of all of them: a message to the server holds little more."""
    text_chars: int
    """Characters of one text."""
    pictures: int
    documents: int


class ProviderParams(WireModel):
    """``_pilotfish/provider``: where the model of new sessions runs. Holds no secret."""

    kind: str
    """``demo`` where nothing is configured."""
    model: str
    description: str
    problem: str = ""
    """Why it cannot work, and what to do; empty when nothing speaks against it."""
    config_options: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    """What can be chosen for a new session, as in the answer to ``session/new``."""
    limits: AttachmentLimits
    mode: str = "default"
    """The permission mode that a new session begins in, in the first folder of the workspace."""
    tasks: list[str] = Field(default_factory=list[str])
    """What the demo plays in that folder, in the words that it knows; empty for a model."""


class OpenQuestion(WireModel):
    """A question in the inbox. ``request`` is what its method carries."""

    request_id: str
    session_id: str
    agent_id: str
    created_at_ms: int
    method: Literal["session/request_permission", "elicitation/create"]
    request: dict[str, Any]


class SnapshotResponse(WireModel):
    """The state of a session."""

    session_id: str
    title: str
    cwd: str
    seq: int
    state: Literal["idle", "running", "requires_action"]
    waiting_for: str
    turn_running: bool = False
    """Whether a turn of this conversation runs: an open question may be one of its agents'."""
    updates: list[dict[str, Any]]
    """Parameters of ``session/update`` notifications, oldest first; of many, the latest."""
    first_seq: int = 1
    """Place of the first of these events; after a seq that is not the one before, build anew."""
    has_earlier: bool = False
    """Whether events that were asked for came before these: ``_pilotfish/session/history``."""
    todos: list[TodoEntry]
    questions: list[OpenQuestion]
    queue: list[QueuedPrompt] = Field(default_factory=list[QueuedPrompt])
    """What waits for the running turn, in order."""
    status: StatusData
    can_resume: bool
    """True when the last turn was cut off by the end of the process."""


class StateParams(WireModel):
    """``_pilotfish/session/state``: what a session is doing."""

    session_id: str
    state: Literal["idle", "running", "requires_action"]
    waiting_for: str = ""
    turn_running: bool = False
    """Whether a turn of this conversation runs: an open question may be one of its agents'."""
    queued_prompts: int = 0
