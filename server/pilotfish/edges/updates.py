"""Session events as ``session/update`` parameters.

Owns: the one mapping from our events to the Agent Client Protocol's updates, used by every edge:
live on the wire, in snapshots, and as lines of ``stream-json``.
Does not own: when and to whom they are sent.

Plain dictionaries, since importing the protocol's models costs a third of a second; tests check
every shape against them. Each kept event gives at least one update, so that a client sees every
``seq``.
"""

from collections.abc import Iterator
from typing import Any, assert_never

from pilotfish.core.agent_events import (
    AgentBackgrounded,
    AgentEnded,
    AgentResumed,
    AgentSpent,
    AgentStarted,
    AgentTold,
    AgentTreeSettled,
)
from pilotfish.core.calls import DiffDisplay, Location, TextDisplay, ToolDisplay
from pilotfish.core.commands import CommandAnswered, CommandTyped, SkillInvoked
from pilotfish.core.events import (
    BackgroundEnded,
    BackgroundKept,
    BackgroundStarted,
    BackgroundTold,
    BlockFinished,
    ContextCleared,
    ConversationRewound,
    DecisionMade,
    EffortChanged,
    EventRecord,
    FileChanged,
    MediaDropped,
    ModeChanged,
    ModelChanged,
    NoteAdded,
    PlanApproved,
    PriceMissing,
    PromptDropped,
    PromptQueued,
    PromptSubmitted,
    QuestionAsked,
    QuestionResolved,
    ReplyDiscarded,
    ReplyFinished,
    ResultShortened,
    RuleGranted,
    RuleRevoked,
    SessionCreated,
    SessionEvent,
    SideCallFinished,
    TitleChanged,
    TodosChanged,
    ToolFinished,
    ToolStarted,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MessageId, SessionId, ToolUseId
from pilotfish.core.messages import (
    ImageBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
)
from pilotfish.core.passing_events import (
    AgentsChanged,
    BlockDelta,
    CommandsChanged,
    RetryScheduled,
    ReviewChanged,
    StateChanged,
    StatusLineChanged,
    ToolOutput,
    UserWarned,
)
from pilotfish.core.queue_events import PromptMoved, PromptRevised
from pilotfish.core.worktree_events import WorktreeEntered, WorktreeLeft
from pilotfish.edges.agent_updates import AgentUpdates
from pilotfish.edges.content import mention_to_acp
from pilotfish.edges.todos import plan_entries
from pilotfish.util.text_span import opening, shortened
from pilotfish.util.visible import visible
from pilotfish.wire.queue import QueueMeta
from pilotfish.wire.session import DecisionMeta, FileMeta, RetryMeta, TurnMeta, UpdateMeta
from pilotfish.wire.tasks import TaskMeta

Params = dict[str, Any]
"""Parameters of one ``session/update`` notification."""

_Piece = tuple[dict[str, Any], dict[str, Any]]
"""An update and what goes into its ``_meta.pilotfish`` beside the envelope."""

NOTICED_WAIT_MS = 4_000
"""A shorter wait for the model is over before anybody wonders."""


class UpdateMapper:
    """Maps the events of one session for one client.

    It remembers which blocks were streamed, since their text must not be sent a second time.
    """

    def __init__(self, session_id: SessionId, card: ToolUseId | None = None) -> None:
        """Set it up.

        Args:
            session_id: The session that the client knows.
            card: The call that all of these events are a part of; None for those that stand alone.
        """
        self._session_id = session_id
        self._card = card
        self._streamed: set[tuple[MessageId, int]] = set()
        self._agents = AgentUpdates()

    def map(self, record: EventRecord) -> list[Params]:
        """Return the notifications of one event, in order; empty for state changes."""
        return [self._wrap(record, update, meta) for update, meta in self._pieces(record)]

    def _wrap(self, record: EventRecord, update: dict[str, Any], extra: dict[str, Any]) -> Params:
        meta = UpdateMeta(
            seq=record.seq,
            agent_id=record.agent_id,
            turn_id=record.turn_id,
            parent_tool_call_id=record.parent_tool_use_id or self._card,
            **extra,
        )
        return {
            "sessionId": self._session_id,
            "update": update,
            "_meta": {"pilotfish": meta.model_dump(by_alias=True, exclude_none=True)},
        }

    def _pieces(self, record: EventRecord) -> Iterator[_Piece]:
        match record.event:
            case PromptSubmitted() | PromptQueued() | CommandTyped() as event:
                yield from _prompt(event)
            case CommandAnswered(message_id=message_id, text=text, command=command):
                update, meta = _chunk("text", message_id, 0, text, final=True)
                yield update, meta | {"command": command}
            case PromptRevised() | PromptMoved() as event:
                yield _queue(event)
            case BlockDelta() as event:
                self._streamed.add((event.message_id, event.block_index))
                yield _chunk(event.kind, event.message_id, event.block_index, event.text)
            case BlockFinished() as event:
                yield self._block(event)
            case ReplyDiscarded(message_id=message_id) as event:
                # Another attempt may have the same id, and its text has not been sent.
                self._streamed = {key for key in self._streamed if key[0] != message_id}
                yield _plain(event)
            case ToolStarted() | ToolFinished() | ToolOutput() as event:
                yield _tool(event)
            case (
                StateChanged()
                | ReviewChanged()
                | AgentsChanged()
                | CommandsChanged()
                | UserWarned()
                | StatusLineChanged()
            ):
                return
            case AgentStarted() | AgentBackgrounded() | AgentResumed() | AgentEnded() as event:
                yield _info("agent", agent=self._agents.meta_of(event))
            case event:
                yield _plain(event)

    def _block(self, event: BlockFinished) -> _Piece:
        key = (event.message_id, event.block_index)
        streamed = key in self._streamed
        self._streamed.discard(key)
        match event.block:
            case TextBlock(text=text):
                return _chunk("text", *key, "" if streamed else text, final=True)
            case ThinkingBlock(text=text):
                return _chunk("thinking", *key, "" if streamed else text, final=True)
            case RedactedThinkingBlock():
                return _info("other")
            case ToolUseBlock() as block:
                update = {
                    "sessionUpdate": "tool_call",
                    "toolCallId": block.id,
                    "title": _first_title(block),
                    "status": "pending",
                    "rawInput": block.input,
                }
                meta = {"kind": "tool", "tool_name": block.name, "message_id": event.message_id}
                return update, meta | {"block_index": event.block_index}
            case _:
                assert_never(event.block)


_SAYS_WHAT = ("file_path", "notebook_path", "pattern", "url")
"""Arguments that say what a call is about, whatever the tool."""
_MAX_TITLE_CHARS = 200


def _first_title(block: ToolUseBlock) -> str:
    """Return what a call is called until its tool names it: one that is refused before keeps it."""
    said = (block.input.get(key) for key in _SAYS_WHAT)
    about = next((one for one in said if isinstance(one, str) and one.strip()), block.name)
    return shortened(visible(opening(about, _MAX_TITLE_CHARS + 1)), _MAX_TITLE_CHARS)


def _prompt(event: PromptSubmitted | PromptQueued | CommandTyped) -> Iterator[_Piece]:
    kind = "queued" if isinstance(event, PromptQueued) else "prompt"
    for index, block in enumerate(event.content):
        update = {
            "sessionUpdate": "user_message_chunk",
            "messageId": event.message_id,
            "content": content_to_acp(block),
        }
        meta = {"kind": kind, "message_id": event.message_id, "block_index": index}
        if isinstance(event, CommandTyped):
            meta["command"] = event.command
        yield update, meta
    mentions = () if isinstance(event, CommandTyped) else event.mentions
    for index, mention in enumerate(mentions, start=len(event.content)):
        update = {
            "sessionUpdate": "user_message_chunk",
            "messageId": event.message_id,
            "content": mention_to_acp(mention),
        }
        yield update, {"kind": kind, "message_id": event.message_id, "block_index": index}


def _chunk(
    kind: str, message_id: MessageId, index: int, text: str, *, final: bool = False
) -> _Piece:
    update = {
        "sessionUpdate": "agent_message_chunk" if kind == "text" else "agent_thought_chunk",
        "messageId": message_id,
        "content": {"type": "text", "text": text},
    }
    return update, {"kind": kind, "message_id": message_id, "block_index": index, "final": final}


def _info(kind: str, update: dict[str, Any] | None = None, **meta: Any) -> _Piece:
    return {"sessionUpdate": "session_info_update", **(update or {})}, {"kind": kind, **meta}


def _tool(event: ToolStarted | ToolFinished | ToolOutput) -> _Piece:
    update: dict[str, Any] = {
        "sessionUpdate": "tool_call_update",
        "toolCallId": event.tool_use_id,
    }
    match event:
        case ToolStarted():
            update |= {
                "status": "in_progress",
                "title": event.title,
                "kind": event.kind,
                "rawInput": event.input,
                "locations": [_location(place) for place in event.locations],
            }
            return update, {"kind": "tool", "tool_name": event.tool}
        case ToolFinished():
            update["status"] = "completed" if event.status == "completed" else "failed"
            update["content"] = _tool_content(event)
            meta = {
                "kind": "tool",
                "tool_status": event.status,
                "duration_ms": event.duration_ms,
            }
            is_cut = any(isinstance(one, TextDisplay) and one.is_cut for one in event.display)
            return update, meta | ({"output_cut": True} if is_cut else {})
        case ToolOutput():
            terminal = {"type": "terminal", "terminalId": event.terminal_id}
            update["content"] = [terminal if event.terminal_id else _text_content(event.text)]
            return update, {"kind": "output"}
        case _:
            assert_never(event)


def _tool_content(event: ToolFinished) -> list[dict[str, Any]]:
    if event.display:
        return [display_to_acp(display) for display in event.display]
    return [{"type": "content", "content": content_to_acp(block)} for block in event.content]


def _plain(event: Any) -> _Piece:
    """Map the events that ACP has a word for."""
    match event:
        case ReplyDiscarded(message_id=message_id):
            update, meta = _chunk("text", message_id, 0, "")
            return update, meta | {"kind": "discarded"}
        case PromptDropped(message_id=message_id, cause=cause):
            update = {
                "sessionUpdate": "user_message_chunk",
                "messageId": message_id,
                "content": {"type": "text", "text": ""},
            }
            return update, {"kind": "discarded", "message_id": message_id, "dropped": cause}
        case ModeChanged(mode=mode):
            return {"sessionUpdate": "current_mode_update", "currentModeId": mode}, {}
        case TodosChanged(todos=todos):
            return {"sessionUpdate": "plan", "entries": plan_entries(todos)}, {}
        case TitleChanged(title=title):
            return _info("other", {"title": title})
        case _:
            return _fact(event)


def _queue(event: PromptRevised | PromptMoved) -> _Piece:
    if isinstance(event, PromptMoved):
        moved = QueueMeta(message_id=event.message_id, change="moved", before=event.before)
        return _info("queue", queue=moved)
    revised = QueueMeta(
        message_id=event.message_id, change="revised", text=event.text, revision=event.revision
    )
    return _info("queue", queue=revised)


def _fact(event: Any) -> _Piece:
    """Map what ACP has no word for: the facts travel in ``_meta.pilotfish``."""
    match event:
        case TurnStarted():
            return _info("turn_started")
        case TurnEnded():
            return _info("turn_ended", turn=_turn_meta(event))
        case NoteAdded() | PriceMissing() | RetryScheduled() | FileChanged() | DecisionMade():
            return _record(event)
        case BackgroundStarted() | BackgroundKept() | BackgroundEnded() | BackgroundTold():
            return _task(event)
        case ContextCleared() | ConversationRewound():
            return _forgotten(event)
        case (
            SessionCreated()
            | ReplyFinished()
            | SideCallFinished()
            | QuestionAsked()
            | QuestionResolved()
            | RuleGranted()
            | RuleRevoked()
            | PlanApproved()
            | ModelChanged()
            | EffortChanged()
            | ResultShortened()
            | MediaDropped()
            | AgentSpent()
            | AgentTold()
            | AgentTreeSettled()
            | WorktreeEntered()
            | WorktreeLeft()
            | SkillInvoked()
        ):
            return _info("other")
        case _:
            raise AssertionError(f"no update for {event}")


def _task(
    event: BackgroundStarted | BackgroundKept | BackgroundEnded | BackgroundTold,
) -> _Piece:
    if isinstance(event, BackgroundTold):
        return _info("other")
    if isinstance(event, BackgroundEnded):
        ended = TaskMeta(task_id=event.task_id, status=event.status, outcome=event.outcome)
        return _info("task", task=ended)
    if isinstance(event, BackgroundKept):
        return _info(
            "task", task=TaskMeta(task_id=event.task_id, status="running", kept=event.kept)
        )
    task = event.task
    begun = TaskMeta(
        task_id=task.task_id,
        status=task.status,
        title=task.title,
        tool_call_id=task.tool_use_id,
        output_path=task.output_path,
    )
    return _info("task", task=begun)


def _forgotten(event: ContextCleared | ConversationRewound) -> _Piece:
    if isinstance(event, ContextCleared):
        # Where the model keeps the latest, people see no difference.
        return _info("context_cleared" if event.kept_from is None else "other")
    return _info("rewound", message_id=event.message_id)


def _record(
    event: NoteAdded | PriceMissing | RetryScheduled | FileChanged | DecisionMade,
) -> _Piece:
    match event:
        case PriceMissing(text=text):
            return _info("notice", note=text)
        case NoteAdded(text=text, origin=origin):
            return _info("note", note=text, note_origin=origin)
        case RetryScheduled():
            retry = RetryMeta(
                attempt=event.attempt,
                max_attempts=event.max_attempts,
                delay_ms=event.delay_ms,
                message=event.message,
            )
            return _info("retry", retry=retry)
        case FileChanged():
            changed = FileMeta(
                path=event.path,
                checkpoint_id=event.checkpoint_id,
                added_lines=event.added_lines,
                removed_lines=event.removed_lines,
                created=event.created,
            )
            return _info("file_changed", file=changed)
        case DecisionMade():
            decision = DecisionMeta(
                tool_call_id=event.tool_use_id,
                behavior=event.behavior,
                phase=event.phase,
                reason=event.reason,
            )
            return _info("decision", decision=decision)
        case _:
            assert_never(event)


def _turn_meta(event: TurnEnded) -> TurnMeta:
    return TurnMeta(
        reason=event.reason,
        message=event.message,
        duration_ms=event.duration_ms,
        model_calls=event.model_calls,
        input_tokens=event.usage.input_tokens
        + event.usage.cache_read_tokens
        + event.usage.cache_write_tokens,
        output_tokens=event.usage.output_tokens,
        cost_usd=event.cost_usd,
    )


def notice_of(event: SessionEvent) -> str:
    """Return what people must hear of an event that no update of ACP tells; empty when nothing."""
    match event:
        case UserWarned(text=text) | PriceMissing(text=text) | TurnEnded(message=text):
            return text
        case NoteAdded(origin="fallback", text=text):
            return text
        case RetryScheduled() if event.delay_ms >= NOTICED_WAIT_MS:
            return f"{event.message} Trying again in {event.delay_ms / 1000:.0f} s."
        case _:
            return ""


def content_to_acp(block: TextBlock | ImageBlock) -> dict[str, Any]:
    """Return a content block as the protocol has it."""
    match block:
        case TextBlock(text=text):
            return {"type": "text", "text": text}
        case ImageBlock(media_type=media_type, data=data):
            return {"type": "image", "mimeType": media_type, "data": data}
        case _:
            assert_never(block)


def display_to_acp(display: ToolDisplay) -> dict[str, Any]:
    """Return tool content as the protocol has it."""
    match display:
        case DiffDisplay():
            return diff_to_acp(display.path, display.old_text, display.new_text)
        case TextDisplay(text=text):
            return _text_content(text)
        case _:
            assert_never(display)


def diff_to_acp(path: str, old_text: str | None, new_text: str) -> dict[str, Any]:
    """Return a change to one file; ``oldText`` is absent for a new file."""
    diff: dict[str, Any] = {"type": "diff", "path": path, "newText": new_text}
    return diff if old_text is None else diff | {"oldText": old_text}


def _text_content(text: str) -> dict[str, Any]:
    return {"type": "content", "content": {"type": "text", "text": text}}


def _location(place: Location) -> dict[str, Any]:
    return {"path": place.path} if place.line is None else {"path": place.path, "line": place.line}
