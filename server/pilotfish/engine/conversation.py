"""The conversation as the model sees it, folded from the session's events.

Owns: the rules that make every request valid: roles alternate, every call has exactly one result
in the very next user message, results come first, no empty text.
Does not own: the events (``core.events``), the providers' shapes (``llm``).

The fold is incremental: a kept event is applied once, and a request costs no copy of the history.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import field, replace

from pilotfish.core.commands import CommandAnswered, SkillInvoked
from pilotfish.core.events import (
    BlockFinished,
    ContextCleared,
    ConversationRewound,
    MediaDropped,
    NoteAdded,
    PromptSubmitted,
    ReplyDiscarded,
    ReplyFinished,
    ResultShortened,
    SessionEvent,
    ToolFinished,
)
from pilotfish.core.ids import MessageId, ToolUseId
from pilotfish.core.messages import (
    AssistantBlock,
    AssistantMessage,
    Message,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserBlock,
    UserMessage,
)
from pilotfish.core.reasons import ModelStopReason
from pilotfish.engine.media import is_media, media_to_keep, without_media
from pilotfish.util.records import dataclass

LOST_RESULT_TEXT = "The result of this call was lost: Pilotfish ended before it finished."
"""Stands in for a result that no event holds, so that no request can have an unpaired call."""


_REMINDER_TAG = re.compile(r"<(?=\s*+/?\s*+system-reminder)", re.IGNORECASE)


@dataclass
class _OpenReply:
    """Blocks of a reply that has not ended."""

    id: MessageId
    blocks: list[AssistantBlock] = field(default_factory=list[AssistantBlock])


@dataclass(frozen=True, kw_only=True, slots=True)
class _Mark:
    """The conversation just before a prompt."""

    count: int
    last: Message | None
    """A user message that has had no reply may grow later, so the last one is kept as it was."""
    calls: dict[ToolUseId, ToolResultBlock | None]
    said: tuple[UserBlock, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class ConversationState:
    """A conversation between two replies, for whoever has to go on from there elsewhere."""

    messages: tuple[Message, ...] = ()
    results: dict[ToolUseId, ToolResultBlock | None] = field(
        default_factory=dict[ToolUseId, ToolResultBlock | None]
    )
    """Of the last reply's calls, in its order; None where there is none yet."""
    said: tuple[UserBlock, ...] = ()
    """What follows the results."""


class Conversation:
    """Folds events into messages."""

    def __init__(self) -> None:
        self._messages: list[Message] = []
        self._reply: _OpenReply | None = None
        self._calls: dict[ToolUseId, ToolResultBlock | None] = {}
        """Calls of the last reply, in its order, with their results as they come."""
        self._known: set[ToolUseId] = set()
        """Every call so far, also of replies that were discarded."""
        self._said: list[UserBlock] = []
        """What follows the results in the next user message."""
        self._marks: dict[MessageId, _Mark] = {}
        self._media_came = False
        """Whether a picture or document was said since somebody looked."""
        self._model = ""
        """The model whose reasoning the messages hold; empty before the first request."""

    def apply(self, event: SessionEvent) -> None:
        """Take one event into account; events that are not about the conversation pass."""
        match event:
            case PromptSubmitted():
                self._close_reply(None)
                self._mark(event.message_id)
                self._said.extend(event.context)
                self._said.extend(block for block in event.content if not _is_blank(block))
                self._media_came |= any(map(is_media, (*event.content, *event.context)))
            case NoteAdded() | CommandAnswered() | SkillInvoked():
                self._add_text(_words_of(event))
            case BlockFinished():
                self._add_block(event)
            case ReplyFinished():
                self._close_reply(event.stop_reason, event.asked_model)
            case ReplyDiscarded():
                self._discard_reply(event.message_id)
            case ToolFinished():
                self._add_result(event)
            case ResultShortened():
                self._shorten(event)
            case MediaDropped():
                # It follows a request, or comes just before one: what was said belongs to it.
                self._messages = without_media(self.messages(), event)
            case ContextCleared() | ConversationRewound():
                self._forget(event)
            case _:
                pass

    def knows_call(self, call: ToolUseId) -> bool:
        """Tell whether there was a call of that id."""
        return call in self._known

    def note_call(self, call: ToolUseId) -> None:
        """Take into account that there was a call of that id, in what the model has forgotten."""
        self._known.add(call)

    def can_go_back_to(self, prompt: MessageId) -> bool:
        """Tell whether the model still knows a prompt, so that it can be forgotten."""
        return prompt in self._marks

    def unanswered(self) -> tuple[ToolUseBlock, ...]:
        """Return the calls of the last reply that have no result yet, in order."""
        if self._reply is not None:
            return ()
        missing = {call for call, result in self._calls.items() if result is None}
        if not missing or not self._messages:
            return ()
        last = self._messages[-1]
        return tuple(
            block
            for block in last.content
            if isinstance(block, ToolUseBlock) and block.id in missing
        )

    def has_news(self) -> bool:
        """Tell whether the user's side has said something that the model has not answered."""
        return bool(self._said or self._calls) or (
            bool(self._messages) and self._messages[-1].role == "user"
        )

    def messages(self, model: str = "") -> Sequence[Message]:
        """Return the messages of the next request.

        What the user's side said since the last reply becomes one user message here; calls whose
        result was lost get a stand-in. The returned sequence is the live one: do not keep it.

        Args:
            model: Who is asked, as requests call it. Reasoning of other models is left out from
                here on: no model takes another's. Empty when that does not matter.
        """
        if model and model != self._model:
            self._model = model
            self._messages = [_without_foreign(message, model) for message in self._messages]
        self._close_reply(None)
        content: list[UserBlock] = [
            result or _lost_result(call) for call, result in self._calls.items()
        ]
        content.extend(self._said)
        self._calls = {}
        self._said = []
        if content:
            last = self._messages[-1] if self._messages else None
            if isinstance(last, UserMessage):
                self._messages[-1] = UserMessage(content=(*last.content, *content))
            else:
                self._messages.append(UserMessage(content=tuple(content)))
        return self._messages

    def branch(self, unfinished: str) -> "Conversation":
        """Return a conversation that begins as this one is now and goes its own way.

        A reply that is being received is left out.

        Args:
            unfinished: The result of each call that has none yet.
        """
        other = Conversation()
        other._messages = list(self._messages)
        other._known = set(self._known)
        other._said = list(self._said)
        other._model = self._model
        if self._reply is None:  # else these are results of its calls
            other._calls = {
                call: result or _result_of(call, unfinished) for call, result in self._calls.items()
            }
        return other

    def state(self) -> ConversationState:
        """Return what a conversation like this one can be made of; between two replies."""
        return ConversationState(
            messages=tuple(self._messages), results=dict(self._calls), said=tuple(self._said)
        )

    @staticmethod
    def of(state: ConversationState) -> "Conversation":
        """Return a conversation that goes on from a state; it cannot go back to before it."""
        other = Conversation()
        other._messages = list(state.messages)
        other._calls = dict(state.results)
        other._said = list(state.said)
        other._known = {
            block.id
            for message in state.messages
            for block in message.content
            if isinstance(block, ToolUseBlock)
        }
        return other

    def media_to_keep(self) -> int | None:
        """Return how many of the latest pictures and documents the next request may hold.

        None where it may hold all there are.
        """
        if not self._media_came:
            return None
        self._media_came = False
        return media_to_keep(self.messages())

    def last_text(self) -> str:
        """Return the text of the last reply; empty when there is none."""
        for message in reversed(self._messages):
            if isinstance(message, AssistantMessage):
                return "\n\n".join(
                    block.text for block in message.content if isinstance(block, TextBlock)
                )
        return ""

    def last_words(self) -> str:
        """Return the latest text of a reply, be it that of an earlier one; empty when all are silent."""
        for message in reversed(self._messages):
            if isinstance(message, AssistantMessage):
                texts = [b.text for b in message.content if isinstance(b, TextBlock)]
                if texts:
                    return "\n\n".join(texts)
        return ""

    def _add_text(self, text: str) -> None:
        if text:
            self._said.append(TextBlock(text=text))

    def _add_block(self, event: BlockFinished) -> None:
        if self._reply is None or self._reply.id != event.message_id:
            self._close_reply(None)
            self._settle()
            self._reply = _OpenReply(id=event.message_id)
        if isinstance(event.block, ToolUseBlock):
            self._known.add(event.block.id)
        if not _is_blank(event.block):
            self._reply.blocks.append(event.block)

    def _forget(self, event: ContextCleared | ConversationRewound) -> None:
        """Begin anew, or be as before a prompt.

        Results that are still to come belong to no call any more and are dropped.
        """
        self._media_came = True
        if isinstance(event, ConversationRewound):
            self._go_back(event.message_id)
            return
        if event.kept_from is not None:
            self._forget_before(event.kept_from)
            return
        self._messages = []
        self._reply = None
        self._calls = {}
        self._said = []
        self._marks = {}

    def _mark(self, prompt: MessageId) -> None:
        self._marks[prompt] = _Mark(
            count=len(self._messages),
            last=self._messages[-1] if self._messages else None,
            calls=dict(self._calls),
            said=tuple(self._said),
        )

    def _go_back(self, prompt: MessageId) -> None:
        """Be as before a prompt; an unknown one changes nothing."""
        mark = self._marks.get(prompt)
        if mark is None:
            return
        del self._messages[mark.count :]
        if mark.last is not None:
            self._messages[-1] = mark.last
        self._reply = None
        self._calls = dict(mark.calls)
        self._said = list(mark.said)
        later = list(self._marks)
        for each in later[later.index(prompt) :]:
            del self._marks[each]

    def _forget_before(self, prompt: MessageId) -> None:
        """Begin with a prompt; an unknown one changes nothing."""
        first = self._marks.get(prompt)
        if first is None:
            return
        start, surplus = first.count, len(first.calls) + len(first.said)
        if isinstance(first.last, UserMessage):
            # The prompt joined a message that had no reply.
            start -= 1
            surplus += len(first.last.content)
        if start < len(self._messages) and surplus:
            joined = self._messages[start]
            self._messages[start] = UserMessage(content=_said_by_user(joined)[surplus:])
        elif surplus:
            self._said = self._said[len(first.said) :]
            self._calls = {}
        del self._messages[:start]
        order = list(self._marks)
        for each in order[: order.index(prompt)]:
            del self._marks[each]
        for each, mark in self._marks.items():
            last = mark.last
            if surplus and last is not None and mark.count == start + 1 and each != prompt:
                last = UserMessage(content=_said_by_user(last)[surplus:])
            self._marks[each] = replace(mark, count=max(mark.count - start, 0), last=last)
        self._marks[prompt] = _Mark(count=0, last=None, calls={}, said=())

    def _settle(self) -> None:
        """Turn what the user's side said into its message before a reply follows it."""
        if self._calls or self._said:
            self.messages()

    def _discard_reply(self, reply: MessageId) -> None:
        """Forget a reply: the one that is being received, or the last one."""
        if self._reply is not None and self._reply.id == reply:
            void, self._reply = self._reply.blocks, None
        elif self._messages and not self._said and _is_reply(self._messages[-1], reply):
            void = list(self._messages.pop().content)
        else:
            return
        for block in void:
            if isinstance(block, ToolUseBlock):
                self._calls.pop(block.id, None)

    def _close_reply(self, stop_reason: ModelStopReason | None, asked_model: str = "") -> None:
        reply, self._reply = self._reply, None
        if reply is None or not reply.blocks:
            return
        last = self._messages[-1] if self._messages else None
        if isinstance(last, AssistantMessage):
            # A reply that the model paused and then went on with is one message.
            blocks = (*last.content, *reply.blocks)
            self._messages[-1] = AssistantMessage(
                id=last.id,
                content=blocks,
                stop_reason=stop_reason,
                asked_model=last.asked_model or asked_model,
            )
        else:
            blocks = tuple(reply.blocks)
            self._messages.append(
                AssistantMessage(
                    id=reply.id, content=blocks, stop_reason=stop_reason, asked_model=asked_model
                )
            )
        self._calls = {
            block.id: self._calls.get(block.id)
            for block in blocks
            if isinstance(block, ToolUseBlock)
        }

    def _add_result(self, event: ToolFinished) -> None:
        """Keep a result; it may come while the reply that holds the call still streams."""
        in_reply = self._reply is not None and any(
            isinstance(block, ToolUseBlock) and block.id == event.tool_use_id
            for block in self._reply.blocks
        )
        if event.tool_use_id in self._calls or in_reply:
            self._media_came |= any(map(is_media, event.content))
            self._calls[event.tool_use_id] = ToolResultBlock(
                tool_use_id=event.tool_use_id,
                content=event.content,
                is_error=event.status != "completed",
            )

    def _shorten(self, event: ResultShortened) -> None:
        result = self._calls.get(event.tool_use_id)
        if result is not None:
            self._calls[event.tool_use_id] = replace(result, content=event.content)


def _words_of(event: NoteAdded | CommandAnswered | SkillInvoked) -> str:
    """Return what the model gets of what was added beside a prompt; empty for nothing."""
    match event:
        case NoteAdded(text=text):
            return as_reminder(text)
        case SkillInvoked(text=text):
            return text
        case CommandAnswered(for_model=True, command=command, text=text):
            # What an agent or a program has said must not forge the tag.
            said = html.escape(text, quote=False)
            return f'<command-output command="/{command}">\n{said}\n</command-output>'
        case _:
            return ""


def as_reminder(text: str) -> str:
    """Wrap a note so that the model can tell it from the user's own words.

    A note may quote a file, a diagnostic or a terminal: none of them can end it, or begin another one.
    """
    return f"<system-reminder>\n{_REMINDER_TAG.sub('&lt;', text)}\n</system-reminder>"


def _without_foreign(message: Message, model: str) -> Message:
    """Return a message without the reasoning of another model; the same where there is none."""
    if isinstance(message, UserMessage) or message.asked_model in ("", model):
        return message
    kept = tuple(
        block
        for block in message.content
        if not isinstance(block, ThinkingBlock | RedactedThinkingBlock)
    )
    return message if len(kept) == len(message.content) else replace(message, content=kept)


def _said_by_user(message: Message) -> tuple[UserBlock, ...]:
    return message.content if isinstance(message, UserMessage) else ()


def _is_reply(message: Message, reply: MessageId) -> bool:
    return isinstance(message, AssistantMessage) and message.id == reply


def _is_blank(block: UserBlock | AssistantBlock) -> bool:
    return isinstance(block, TextBlock) and not block.text.strip()


def _lost_result(call: ToolUseId) -> ToolResultBlock:
    return _result_of(call, LOST_RESULT_TEXT)


def _result_of(call: ToolUseId, text: str) -> ToolResultBlock:
    """Return the result of a call that has none of its own."""
    return ToolResultBlock(tool_use_id=call, content=(TextBlock(text=text),), is_error=True)
