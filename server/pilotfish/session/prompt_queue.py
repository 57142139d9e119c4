"""The prompts that wait for the running turn.

Owns: their order, and what people may do with them before the model sees them.
Does not own: when they are taken (``session.session``), turns.

However many wait, taking one, taking one back and finding one take the same time (design 04 §9, JIRA-003).
Whatever is done names its prompt, so that two clients do not get into each other's way; other words
for a prompt also name the revision that was on the screen.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from pilotfish.core.errors import SessionError
from pilotfish.core.events import PromptDropped, PromptQueued, PromptSubmitted, TurnEnded
from pilotfish.core.ids import MessageId, new_turn_id
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.core.queue_events import PromptMoved, PromptRevised
from pilotfish.util.records import dataclass

MAX_QUEUED_PROMPTS = 1_000
"""Prompts that may wait during a turn; more are refused with a message."""

MAX_WORDS_CHARS = 2_000_000
"""Longest words that a prompt can be given; no model takes more."""

Outcome: TypeAlias = Literal["done", "gone", "changed"]
"""``gone``: the prompt does not wait any more. ``changed``: somebody has revised it meanwhile."""

Content: TypeAlias = tuple[TextBlock | ImageBlock, ...]

Emit: TypeAlias = Callable[[PromptQueued | PromptDropped | PromptRevised | PromptMoved], None]


@dataclass
class WaitingPrompt:
    """A prompt and whoever waits for the end of its turn."""

    prompt: PromptSubmitted
    ended: asyncio.Future[TurnEnded]
    revision: int = 0
    """How often its words were changed."""

    @property
    def id(self) -> MessageId:
        """Its id."""
        return self.prompt.message_id


class PromptQueue:
    """In the order in which the model will meet them."""

    def __init__(self, emit: Emit) -> None:
        """Begin empty; every change goes to ``emit`` as an event."""
        self._emit = emit
        self._waiting: OrderedDict[MessageId, WaitingPrompt] = OrderedDict()

    def __len__(self) -> int:
        return len(self._waiting)

    @property
    def prompts(self) -> Collection[WaitingPrompt]:
        """What waits; read only."""
        return self._waiting.values()

    def find(self, prompt: MessageId) -> WaitingPrompt | None:
        """Return a prompt that waits; None for any other."""
        return self._waiting.get(prompt)

    def add(self, waiting: WaitingPrompt) -> None:
        """Queue a prompt.

        Raises:
            SessionError: Too many wait already.
        """
        if len(self._waiting) >= MAX_QUEUED_PROMPTS:
            raise SessionError(
                f"{MAX_QUEUED_PROMPTS} prompts are waiting already.",
                hint="Wait for the turn to take them, or stop it.",
            )
        self._waiting[waiting.id] = waiting
        content, mentions = waiting.prompt.content, waiting.prompt.mentions
        self._emit(PromptQueued(message_id=waiting.id, content=content, mentions=mentions))

    def take_all(self) -> list[WaitingPrompt]:
        """Take out everything; the model meets it now."""
        taken = list(self._waiting.values())
        self._waiting.clear()
        return taken

    def take_until(self, stops: Callable[[Content], bool]) -> list[WaitingPrompt]:
        """Take out what stands before the first prompt that the model is not to meet now."""
        taken: list[WaitingPrompt] = []
        for waiting in self._waiting.values():
            if stops(waiting.prompt.content):
                break
            taken.append(waiting)
        for waiting in taken:
            del self._waiting[waiting.id]
        return taken

    def take_first(self) -> WaitingPrompt:
        """Take out the first one; there must be one."""
        return self._waiting.popitem(last=False)[1]

    def drop_all(self) -> list[WaitingPrompt]:
        """Take out everything: the user stopped the turn."""
        dropped = self.take_all()
        for waiting in dropped:
            self._emit(PromptDropped(message_id=waiting.id))
        return dropped

    def drop(self, submitted: PromptSubmitted) -> TurnEnded:
        """Take a prompt that the user stopped before it was queued; return the end of its turn."""
        content, mentions = submitted.content, submitted.mentions
        prompt = submitted.message_id
        self._emit(PromptQueued(message_id=prompt, content=content, mentions=mentions))
        self._emit(PromptDropped(message_id=prompt))
        return TurnEnded(turn_id=new_turn_id(), reason="aborted_streaming")

    def revise(self, prompt: MessageId, text: str, revision: int) -> Outcome:
        """Give a prompt other words.

        Args:
            prompt: Which one.
            text: The words; what is attached stays.
            revision: The one that the words are meant to follow.

        Raises:
            SessionError: Nothing would be left of the prompt, or it would be too long.
        """
        waiting = self._waiting.get(prompt)
        if waiting is None:
            return "gone"
        if waiting.revision != revision:
            return "changed"
        waiting.prompt = replace(waiting.prompt, content=with_words(waiting.prompt.content, text))
        waiting.revision += 1
        self._emit(PromptRevised(message_id=prompt, text=text, revision=waiting.revision))
        return "done"

    def remove(self, prompt: MessageId) -> Outcome:
        """Take a prompt back; whoever waits for its turn hears of one that was stopped."""
        waiting = self._waiting.pop(prompt, None)
        if waiting is None:
            return "gone"
        self._emit(PromptDropped(message_id=prompt, cause="removed"))
        if not waiting.ended.done():
            waiting.ended.set_result(TurnEnded(turn_id=new_turn_id(), reason="aborted_streaming"))
        return "done"

    def move(self, prompt: MessageId, before: MessageId | None) -> Outcome:
        """Put a prompt before another one, or at the end."""
        if prompt not in self._waiting or (before is not None and before not in self._waiting):
            return "gone"
        if before == prompt:
            return "done"
        self._waiting.move_to_end(prompt)
        if before is not None:
            self._move_to_end_from(before)
        self._emit(PromptMoved(message_id=prompt, before=before))
        return "done"

    def move_to_front(self, prompt: MessageId) -> Outcome:
        """Make a prompt the next one."""
        if prompt not in self._waiting:
            return "gone"
        first = next(iter(self._waiting))
        return "done" if first == prompt else self.move(prompt, first)

    def _move_to_end_from(self, first: MessageId) -> None:
        """Move a prompt and what follows it, but for the last one, behind that."""
        ids = list(self._waiting)
        for one in ids[ids.index(first) : -1]:
            self._waiting.move_to_end(one)


def words_of(content: Sequence[TextBlock | ImageBlock]) -> str:
    """Return what the user typed: a prompt's first block, unless that is a picture."""
    first = content[0] if content else None
    return first.text if isinstance(first, TextBlock) else ""


def attached_to(content: Content) -> Content:
    """Return what stands beside the words."""
    return content[1:] if content and isinstance(content[0], TextBlock) else content


def with_words(content: Content, text: str) -> Content:
    """Return a prompt with other words and the same attachments.

    Raises:
        SessionError: Nothing would be left of it, or it would be too long.
    """
    attached = attached_to(content)
    if not text.strip() and not attached:
        raise SessionError("The prompt is empty.")
    if len(text) > MAX_WORDS_CHARS:
        raise SessionError(
            f"The prompt has {len(text):,} characters, more than {MAX_WORDS_CHARS:,}.",
            hint="Put the text into a file and mention it.",
        )
    return (TextBlock(text=text), *attached)
