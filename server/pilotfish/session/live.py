"""What is going on right now and is in no kept event yet.

Owns: the text of blocks that still stream and the latest output of running calls, so that a view
that opens in the middle of a turn sees them.
"""

from pilotfish.core.events import (
    BlockFinished,
    ReplyDiscarded,
    SessionEvent,
    ToolFinished,
    TurnEnded,
)
from pilotfish.core.ids import MessageId, ToolUseId
from pilotfish.core.messages import TextBlock
from pilotfish.core.passing_events import BlockDelta, PassingEvent, ToolOutput

_BlockKey = tuple[MessageId, int]


class LiveView:
    """Folds passing events; whatever a kept event makes final is dropped."""

    def __init__(self) -> None:
        self._blocks: dict[_BlockKey, tuple[BlockDelta, list[str]]] = {}
        self._outputs: dict[ToolUseId, ToolOutput] = {}

    def apply(self, event: SessionEvent) -> None:
        """Take one event into account."""
        match event:
            case BlockDelta():
                key = (event.message_id, event.block_index)
                self._blocks.setdefault(key, (event, []))[1].append(event.text)
            case BlockFinished(message_id=message, block_index=index):
                self._blocks.pop((message, index), None)
            case ToolOutput(tool_use_id=call):
                self._outputs[call] = event
            case ToolFinished(tool_use_id=call):
                self._outputs.pop(call, None)
            case ReplyDiscarded() | TurnEnded():
                self._blocks.clear()
            case _:
                pass

    def events(self) -> list[PassingEvent]:
        """Return passing events that bring a fresh view up to date."""
        blocks: list[PassingEvent] = [
            BlockDelta(
                message_id=first.message_id,
                block_index=first.block_index,
                kind=first.kind,
                text="".join(pieces),
            )
            for first, pieces in self._blocks.values()
        ]
        return [*blocks, *self._outputs.values()]

    def unfinished(self) -> list[BlockFinished]:
        """Return what was said and not to its end, as events to keep when nobody will finish it.

        Reasoning is not among it: no model takes it back without its signature.
        """
        return [
            BlockFinished(message_id=message, block_index=index, block=TextBlock(text=text))
            for (message, index), (first, pieces) in self._blocks.items()
            if first.kind == "text" and (text := "".join(pieces)).strip()
        ]
