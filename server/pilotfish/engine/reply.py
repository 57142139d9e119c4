"""Consuming one reply of the model.

Owns: turning stream events into session events, starting calls as their blocks complete, voiding
what a broken stream has brought, keeping what was said when the user stops.
Does not own: retry (``llm.retry``), what follows the reply (``engine.turn``).
"""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import field
from typing import assert_never

from pilotfish.core.calls import ToolCall
from pilotfish.core.events import BlockFinished, ReplyDiscarded, ReplyFinished
from pilotfish.core.ids import MessageId, new_message_id
from pilotfish.core.messages import (
    NO_USAGE,
    AssistantBlock,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolUseBlock,
    Usage,
)
from pilotfish.core.passing_events import BlockDelta, RetryScheduled
from pilotfish.core.reasons import ModelStopReason
from pilotfish.engine.call_admission import admit
from pilotfish.engine.state import TurnPorts
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import (
    BlockCompleted,
    DeltaReceived,
    ModelEvent,
    ReplyBroken,
    ReplyCompleted,
    ReplyStarted,
    RetryWaiting,
)
from pilotfish.llm.model import ModelRequest
from pilotfish.tooling.scheduler import ToolBatch
from pilotfish.util.records import dataclass

MAX_REPLY_CHARS = 16 * 1024 * 1024
"""Longest reply, thirty times what any model may send: a server that streams without end must not
fill the memory."""

_BLOCK_CHARS = 100
"""What a block counts beside its text."""

BROKEN_OFF_TEXT = "The reply that held this call broke off; the model was asked again."


@dataclass
class Reply:
    """What one model call brought."""

    id: MessageId = field(default_factory=new_message_id)
    model: str = ""
    """As the server calls it."""
    asked_model: str = ""
    """As the request called it."""
    stop_reason: ModelStopReason | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    calls: int = 0
    """Tool calls in the reply."""
    blocks: int = 0
    thoughts: int = 0
    """Blocks of reasoning among them."""
    ended: bool = False

    @property
    def silent(self) -> bool:
        """Whether it holds nothing for the user: no block at all, or reasoning alone."""
        return self.blocks == self.thoughts


class ReplyReader:
    """Reads one reply into events and a batch of tool calls."""

    def __init__(self, ports: TurnPorts, new_batch: Callable[[], ToolBatch]) -> None:
        self._ports = ports
        self._new_batch = new_batch
        self.batch = new_batch()
        """The calls of the reply."""
        self.reply = Reply()
        self.void_usage = NO_USAGE
        """Counts of attempts that broke off."""
        self.void_cost_usd: float | None = None
        self._live_text: dict[int, list[str]] = {}
        """Pieces of text blocks that have not completed, by index."""
        self._tools: frozenset[str] = frozenset()
        """Names of the tools that the model was offered."""
        self._size = 0
        """Characters of the reply so far."""
        self._started = False
        """Whether the server began to answer."""
        self._asked_s = self._attempt_s = ports.clock.monotonic_s()
        self._first_ms: int | None = None
        """How long the attempt took to begin its answer."""

    async def read(self, request: ModelRequest) -> Reply:
        """Call the model and read its reply to the end. The batch is left open for the caller.

        After a failure or a cancel the caller chooses between ``settle`` and ``discard``.

        Raises:
            ModelError: The call failed.
        """
        self.reply.model = self.reply.asked_model = request.model
        self._tools = frozenset(tool.name for tool in request.tools)
        self._asked_s = self._attempt_s = self._ports.clock.monotonic_s()
        async with aclosing(self._ports.model.stream(request)) as events:
            async for event in events:
                if isinstance(event, ReplyBroken):
                    await self._start_over(request)
                else:
                    self._take(event)
        return self.reply

    def settle(self) -> None:
        """Close a reply that will not go on: what was said stays, for the user and the model.

        Where nothing of it can be kept (reasoning without its signature), views drop what they show.
        """
        for index, pieces in sorted(self._live_text.items()):
            text = "".join(pieces)
            if text.strip():
                self._finish_block(index, TextBlock(text=text))
        self._live_text.clear()
        if self.reply.ended:
            return
        if self.reply.blocks:
            self._finish_reply(None, self.reply.usage)
        else:
            self.discard()

    def discard(self) -> None:
        """Void the reply, as far as there is one."""
        self._live_text.clear()
        if not self._started or self.reply.ended:
            return
        reply = self.reply
        cost = self._ports.cost_of(reply.model, reply.usage)
        self._ports.emit(
            ReplyDiscarded(message_id=reply.id, model=reply.model, usage=reply.usage, cost_usd=cost)
        )
        self.void_usage = self.void_usage + reply.usage
        if cost is not None:
            self.void_cost_usd = (self.void_cost_usd or 0.0) + cost
        self.reply = Reply(ended=True)

    async def _start_over(self, request: ModelRequest) -> None:
        """Void what the broken stream has brought. Nothing with effects has run (``ToolBatch``)."""
        await self.batch.abort(BROKEN_OFF_TEXT)
        self.discard()
        self.batch = self._new_batch()
        self.reply = Reply(model=request.model, asked_model=request.model)
        self._size = 0
        self._started = False
        self._first_ms = None

    def _take(self, event: ModelEvent) -> None:
        match event:
            case RetryWaiting():
                self._attempt_s = self._ports.clock.monotonic_s() + event.delay_s
                self._ports.tell(
                    RetryScheduled(
                        attempt=event.attempt,
                        max_attempts=event.max_attempts,
                        delay_ms=round(event.delay_s * 1000),
                        message=event.message,
                    )
                )
            case ReplyStarted():
                self._started = True
                self._first_ms = self._ms_since(self._attempt_s)
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
            case ReplyBroken():
                pass
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
            block = admit(block, self._ports.conversation.knows_call, self._tools)
        self.reply.blocks += 1
        self.reply.thoughts += isinstance(block, ThinkingBlock | RedactedThinkingBlock)
        self._ports.emit(BlockFinished(message_id=self.reply.id, block_index=index, block=block))
        if isinstance(block, ToolUseBlock):
            self.reply.calls += 1
            self.batch.add(
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
                asked_model=self.reply.asked_model,
                stop_reason=stop_reason,
                usage=usage,
                cost_usd=self.reply.cost_usd,
                duration_ms=self._ms_since(self._asked_s),
                answer_ms=self._ms_since(self._attempt_s),
                first_ms=self._first_ms,
            )
        )

    def _ms_since(self, then_s: float) -> int:
        return max(0, round((self._ports.clock.monotonic_s() - then_s) * 1000))
