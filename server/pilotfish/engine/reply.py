"""Consuming one reply of the model.

Owns: turning stream events into session events, starting calls as their blocks complete, keeping
what was said when the user stops.
Does not own: retry (``llm.retry``), what follows the reply (``engine.turn``).
"""

from contextlib import aclosing
from dataclasses import dataclass, field
from typing import assert_never

from pilotfish.core.calls import ToolCall
from pilotfish.core.events import BlockFinished, ReplyDiscarded, ReplyFinished
from pilotfish.core.ids import MessageId, new_message_id
from pilotfish.core.messages import AssistantBlock, TextBlock, ToolUseBlock, Usage
from pilotfish.core.passing_events import BlockDelta, RetryScheduled
from pilotfish.core.reasons import ModelStopReason
from pilotfish.engine.call_admission import admit
from pilotfish.engine.state import TurnPorts
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import (
    BlockCompleted,
    DeltaReceived,
    ModelEvent,
    ReplyCompleted,
    ReplyStarted,
    RetryWaiting,
)
from pilotfish.llm.model import ModelRequest
from pilotfish.tooling.scheduler import ToolBatch

MAX_REPLY_CHARS = 16 * 1024 * 1024
"""Longest reply, thirty times what any model may send: a server that streams without end must not
fill the memory."""

_BLOCK_CHARS = 100
"""What a block counts beside its text."""


@dataclass
class Reply:
    """What one model call brought."""

    id: MessageId = field(default_factory=new_message_id)
    model: str = ""
    stop_reason: ModelStopReason | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    calls: int = 0
    """Tool calls in the reply."""
    blocks: int = 0
    ended: bool = False


class ReplyReader:
    """Reads one reply into events and a batch of tool calls."""

    def __init__(self, ports: TurnPorts, batch: ToolBatch) -> None:
        self._ports = ports
        self._batch = batch
        self.reply = Reply()
        self._live_text: dict[int, list[str]] = {}
        """Pieces of text blocks that have not completed, by index."""
        self._size = 0
        """Characters of the reply so far."""
        self._told = False
        """Whether views show something of the reply."""

    async def read(self, request: ModelRequest) -> Reply:
        """Call the model and read its reply to the end.

        Raises:
            ModelError: The call failed; what was said so far is kept.
            CancelledError: The user stopped; what was said so far is kept.
        """
        self.reply.model = request.model
        try:
            async with aclosing(self._ports.model.stream(request)) as events:
                async for event in events:
                    self._take(event)
        except ModelError:
            self._break_off()
            raise
        self._batch.seal()
        return self.reply

    def keep_partial(self) -> None:
        """Keep the text that streamed before a stop, so that the model later knows of it."""
        for index, pieces in sorted(self._live_text.items()):
            text = "".join(pieces)
            if text.strip():
                self._finish_block(index, TextBlock(text=text))
        self._live_text.clear()
        if self.reply.blocks and not self.reply.ended:
            self._finish_reply(None, self.reply.usage)

    def _take(self, event: ModelEvent) -> None:
        match event:
            case RetryWaiting():
                self._ports.tell(
                    RetryScheduled(
                        attempt=event.attempt,
                        max_attempts=event.max_attempts,
                        delay_ms=round(event.delay_s * 1000),
                        message=event.message,
                    )
                )
            case ReplyStarted():
                self.reply.id = event.message_id
                self.reply.model = event.model
                self.reply.usage = event.usage
            case DeltaReceived():
                self._take_delta(event)
            case BlockCompleted():
                self._count(_BLOCK_CHARS)
                self._live_text.pop(event.index, None)
                self._finish_block(event.index, event.block)
            case ReplyCompleted():
                self._finish_reply(event.stop_reason, event.usage)
            case _:
                assert_never(event)

    def _count(self, size: int) -> None:
        self._size += size
        if self._size > MAX_REPLY_CHARS:
            # No part of it either: it would come back with every later request.
            self._live_text.clear()
            raise ModelError(
                "stream_broken",
                f"The reply did not end after {MAX_REPLY_CHARS:,} characters and was given up.",
                hint="Check the server that the base URL names.",
            )

    def _take_delta(self, event: DeltaReceived) -> None:
        self._count(len(event.text))
        if event.kind == "input_json":
            return
        if event.kind == "text":
            self._live_text.setdefault(event.index, []).append(event.text)
        self._told = True
        self._ports.tell(
            BlockDelta(
                message_id=self.reply.id,
                block_index=event.index,
                kind=event.kind,
                text=event.text,
            )
        )

    def _finish_block(self, index: int, block: AssistantBlock) -> None:
        if isinstance(block, ToolUseBlock):
            block = admit(block, self._ports.conversation.knows_call)
        self.reply.blocks += 1
        self._ports.emit(BlockFinished(message_id=self.reply.id, block_index=index, block=block))
        if isinstance(block, ToolUseBlock):
            self.reply.calls += 1
            self._batch.add(
                ToolCall(
                    id=block.id, name=block.name, input=block.input, input_error=block.input_error
                )
            )

    def _finish_reply(self, stop_reason: ModelStopReason | None, usage: Usage) -> None:
        self.reply.stop_reason = stop_reason
        self.reply.usage = usage
        self.reply.cost_usd = self._ports.cost_of(self.reply.model, usage)
        self.reply.ended = True
        self._ports.emit(
            ReplyFinished(
                message_id=self.reply.id,
                model=self.reply.model,
                stop_reason=stop_reason,
                usage=usage,
                cost_usd=self.reply.cost_usd,
            )
        )

    def _break_off(self) -> None:
        """Deal with a reply that failed half-way: what was said stays, for the user and the model.

        Where nothing of it can be kept (reasoning without its signature), views drop what they show.
        """
        if self.reply.ended:
            return
        self.keep_partial()
        if not self.reply.ended and self._told:
            self._ports.emit(ReplyDiscarded(message_id=self.reply.id))
