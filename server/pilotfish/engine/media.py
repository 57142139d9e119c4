"""Pictures and documents in the conversation: what requests may hold, and what stands for the rest.

Owns: the limits of a request, and taking media out of messages. Pure.
Does not own: making single ones small enough (``workspace.pictures``, ``session.prompt_intake``).
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from pilotfish.core.events import MediaDropped
from pilotfish.core.messages import (
    AssistantBlock,
    DocumentBlock,
    ImageBlock,
    Message,
    TextBlock,
    ToolResultBlock,
    UserBlock,
    UserMessage,
)

MAX_MEDIA = 90
"""Most pictures and documents of one request; APIs take a hundred."""

MAX_MEDIA_CHARS = 20_000_000
"""Most base64 of one request; APIs take requests of 20 to 32 MB, the words included."""

MEDIA_REFUSED_TEXT = "(A picture was here. The model's server did not take it: {why})"
"""Takes the place of what would make every further request fail."""

MEDIA_CUT_TEXT = "(A picture or document was here. {why})"
"""Takes the place of older ones."""

TOO_MANY_MEDIA = (
    "The conversation holds more pictures and documents than a request may; the older ones were "
    "left out. Read or attach again what is still needed."
)

_BlockT = TypeVar("_BlockT", bound=UserBlock)


def is_media(block: UserBlock | AssistantBlock) -> bool:
    """Tell whether a block is a picture or a document."""
    return isinstance(block, ImageBlock | DocumentBlock)


def media_to_keep(messages: Sequence[Message]) -> int | None:
    """Return how many of the latest may stay; None where all may.

    When something has to go, half of what fits goes with it: the beginning of the next requests then
    stays the same for a while, which their cache needs.
    """
    sizes = [
        len(block.data)
        for message in messages
        for block in _flat(message)
        if isinstance(block, ImageBlock | DocumentBlock)
    ]
    if len(sizes) <= MAX_MEDIA and sum(sizes) <= MAX_MEDIA_CHARS:
        return None
    kept, chars = 0, 0
    for size in reversed(sizes):
        chars += size
        # The last one always fits: what comes in is smaller than this.
        if kept and (kept >= MAX_MEDIA // 2 or chars > MAX_MEDIA_CHARS // 2):
            break
        kept += 1
    return kept


def without_media(messages: Sequence[Message], event: MediaDropped) -> list[Message]:
    """Return the messages with notes in place of what was dropped; untouched ones stay the same."""
    changed = list(messages)
    kept = 0 if event.kept is None else event.kept
    text = MEDIA_REFUSED_TEXT if event.kept is None else MEDIA_CUT_TEXT
    note = TextBlock(text=text.format(why=event.why))
    for index in range(len(changed) - 1, -1, -1):
        message = changed[index]
        count = sum(map(is_media, _flat(message)))
        if count == 0:
            continue
        if kept < count and isinstance(message, UserMessage):
            changed[index] = _without_first(message, count - kept, note)
            if event.kept is None:
                break
        kept = max(kept - count, 0)
    return changed


def _flat(message: Message) -> list[UserBlock | AssistantBlock]:
    """Return a message's blocks, those inside results included."""
    blocks: list[UserBlock | AssistantBlock] = []
    for block in message.content:
        blocks += block.content if isinstance(block, ToolResultBlock) else (block,)
    return blocks


def _without_first(message: UserMessage, count: int, note: TextBlock) -> UserMessage:
    left = count

    def replaced(block: _BlockT) -> _BlockT | TextBlock:
        nonlocal left
        if left == 0 or not isinstance(block, ImageBlock | DocumentBlock):
            return block
        left -= 1
        return note

    content: list[UserBlock] = []
    for block in message.content:
        if isinstance(block, ToolResultBlock):
            parts = tuple(replaced(part) for part in block.content)
            content.append(replace(block, content=parts))
        else:
            content.append(replaced(block))
    return UserMessage(content=tuple(content))
