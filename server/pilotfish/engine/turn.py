"""The loop of one turn.

Owns: model call, tools, next model call, until there is a reason to end; and that every way out
leaves the conversation valid.
Does not own: reading a reply (``engine.reply``), running calls (``tooling.scheduler``), storage,
queueing and modes (``session``).
See also: design 02 §9, 07 §3.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from pilotfish.core.calls import CallScope, PreparedCall, ToolCall, ToolOutcome, ToolProgress
from pilotfish.core.errors import PilotfishError
from pilotfish.core.events import NoteAdded, ResultShortened, ToolFinished, ToolStarted
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import ToolUseBlock
from pilotfish.core.passing_events import ToolOutput
from pilotfish.core.reasons import TerminalReason
from pilotfish.engine.reply import Reply, ReplyReader
from pilotfish.engine.scope import ScopeSource
from pilotfish.engine.state import TurnEnd, TurnIdentity, TurnPorts, TurnSettings
from pilotfish.llm.errors import ModelError
from pilotfish.llm.model import ModelRequest
from pilotfish.ports.attachments import AttachmentSource
from pilotfish.tooling.scheduler import ToolBatch

MAX_PAUSES = 5
"""``pause_turn`` replies that one turn continues from (design 07 §9.10)."""

_EMPTY_AFTER_TOOLS = "Your last reply was empty. Sum up for the user, or go on with the task."


class Turn:
    """One turn of one agent. Use once."""

    def __init__(
        self,
        identity: TurnIdentity,
        settings: TurnSettings,
        ports: TurnPorts,
        scope: ScopeSource,
    ) -> None:
        self._identity = identity
        self._settings = settings
        self._ports = ports
        self._scope = scope
        self._total = TurnEnd(reason="completed")
        self._started: dict[ToolUseId, float] = {}
        self._pauses = 0
        self._nudged = False

    async def run(self, unanswered: tuple[ToolUseBlock, ...] = ()) -> TurnEnd:
        """Work until there is a reason to end.

        Args:
            unanswered: Calls of the last reply that wait for the user since an earlier process;
                they go through the chain again before the model is called.

        Returns:
            The reason and the sums. Cancellation does not escape: it is the reason.
        """
        if unanswered:
            ended = await self._finish_calls(unanswered)
            if ended is not None:
                return self._end(ended)
        while True:
            ended = await self._step()
            if ended is not None:
                return ended

    async def _step(self) -> TurnEnd | None:
        """Make one model call and run its tools; None means: go on."""
        limit = self._limit_reached()
        if limit is not None:
            return limit
        batch = self._new_batch()
        reader = ReplyReader(self._ports, batch)
        try:
            await self._ports.flush()
            reply = await reader.read(self._request())
        except PilotfishError as error:
            await batch.abort()
            self._count(reader.reply)
            return self._end_of_error(error)
        except asyncio.CancelledError:
            reader.keep_partial()
            await batch.abort()
            self._count(reader.reply)
            return self._end("aborted_streaming")
        self._count(reply)
        if reply.calls == 0:
            return await self._end_or_go_on(reply)
        return await self._after_calls(batch)

    async def _after_calls(self, batch: ToolBatch) -> TurnEnd | None:
        try:
            refused = await batch.drain()
            if refused:
                return self._end("refused")
            await self._shorten(batch)
            await self._tell(self._ports.attachments)
        except asyncio.CancelledError:
            await batch.abort()
            return self._end("aborted_tools")
        self._take_queued()
        return None

    async def _finish_calls(self, calls: tuple[ToolUseBlock, ...]) -> TerminalReason | None:
        """Run the calls of an earlier process that nobody answered for."""
        batch = self._new_batch()
        for block in calls:
            batch.add(
                ToolCall(
                    id=block.id, name=block.name, input=block.input, input_error=block.input_error
                )
            )
        batch.seal()
        ended = await self._after_calls(batch)
        return None if ended is None else ended.reason

    async def _end_or_go_on(self, reply: Reply) -> TurnEnd | None:
        """End the turn with the model's words, unless its edits have broken something meanwhile."""
        ended = self._after_words(reply)
        if ended is None or ended.reason != "completed":
            return ended
        try:
            news = await self._tell(self._ports.late_news)
        except asyncio.CancelledError:
            return self._end("aborted_streaming")
        return None if news else ended

    def _after_words(self, reply: Reply) -> TurnEnd | None:
        """Decide what a reply without tool calls means."""
        cut = self._end_of_cut_reply(reply)
        if cut is not None:
            return cut
        if reply.stop_reason == "pause_turn" and self._pauses < MAX_PAUSES and reply.blocks:
            self._pauses += 1
            return None
        if self._take_queued():
            return None
        if reply.blocks == 0 and not self._nudged and self._total.model_calls > 1:
            self._nudged = True
            self._ports.emit(NoteAdded(text=_EMPTY_AFTER_TOOLS, origin="recovery"))
            return None
        return self._end("completed")

    def _end_of_cut_reply(self, reply: Reply) -> TurnEnd | None:
        """Return how the turn ends when the model could not finish; None when it did."""
        match reply.stop_reason:
            case "refusal":
                return self._end("refusal", "The model declined to answer this request.")
            case "max_tokens":
                return self._end(
                    "output_limit",
                    f"The reply reached the output limit of {self._settings.max_tokens:,} tokens "
                    "and was cut. Ask to continue, or raise the setting model.maxTokens.",
                )
            case "model_context_window_exceeded":
                return self._end(
                    "prompt_too_long",
                    "The conversation no longer fits into the model's window. Start a new chat.",
                )
            case _:
                return None

    def _limit_reached(self) -> TurnEnd | None:
        settings, total = self._settings, self._total
        if total.model_calls >= settings.max_model_calls:
            return self._end(
                "max_turns",
                f"Stopped after {total.model_calls} model calls, the limit of one turn "
                "(maxTurns). Send a message to go on.",
            )
        budget = settings.max_budget_usd
        if budget is not None and (total.cost_usd or 0.0) > budget:
            return self._end("max_budget", f"Stopped: the turn cost more than ${budget:.2f}.")
        return None

    def _request(self) -> ModelRequest:
        return ModelRequest(
            model=self._settings.model,
            system=self._settings.system,
            tools=self._settings.tools,
            messages=self._ports.conversation.messages(),
            max_tokens=self._settings.max_tokens,
            thinking_budget_tokens=self._settings.thinking_budget_tokens,
        )

    async def _shorten(self, batch: ToolBatch) -> None:
        """Replace the longest results when all of them together are too much."""
        fitted = await self._ports.fit_results(batch.results())
        for call, content in fitted.items():
            self._ports.emit(ResultShortened(tool_use_id=call, content=content))

    async def _tell(self, sources: Sequence[AttachmentSource]) -> bool:
        """Let the model hear what there is to hear with its next call; says whether there is any."""
        told = False
        for source in sources:
            for note in await source.collect():
                self._ports.emit(note)
                told = True
        return told

    def _take_queued(self) -> bool:
        prompts = self._ports.take_queued()
        for prompt in prompts:
            self._ports.emit(prompt)
        return bool(prompts)

    def _new_batch(self) -> ToolBatch:
        return ToolBatch(
            self._ports.runner,
            self._scope_for,
            on_started=self._on_started,
            on_finished=self._on_finished,
        )

    def _scope_for(self, call: ToolCall) -> CallScope:
        def on_progress(progress: ToolProgress) -> None:
            self._ports.tell(ToolOutput(tool_use_id=call.id, text=progress.text))

        def on_running() -> None:
            self._started[call.id] = self._ports.clock.monotonic_s()

        return replace(self._scope(self._identity, on_progress), on_running=on_running)

    def _on_started(self, call: PreparedCall) -> None:
        self._ports.emit(
            ToolStarted(
                tool_use_id=call.call.id,
                tool=call.tool,
                title=call.title,
                kind=call.kind,
                input=call.call.input,
                locations=call.locations,
            )
        )

    def _on_finished(self, call: ToolCall, outcome: ToolOutcome) -> None:
        began = self._started.pop(call.id, None)
        elapsed = 0.0 if began is None else self._ports.clock.monotonic_s() - began
        self._ports.emit(
            ToolFinished(
                tool_use_id=call.id,
                status=outcome.status,
                content=outcome.content,
                display=outcome.display,
                duration_ms=round(elapsed * 1000),
            )
        )

    def _count(self, reply: Reply) -> None:
        cost = self._total.cost_usd
        if reply.cost_usd is not None:
            cost = (cost or 0.0) + reply.cost_usd
        self._total = replace(
            self._total,
            usage=self._total.usage + reply.usage,
            cost_usd=cost,
            model_calls=self._total.model_calls + 1,
        )

    def _end(self, reason: TerminalReason, message: str = "") -> TurnEnd:
        return replace(self._total, reason=reason, message=message)

    def _end_of_error(self, error: PilotfishError) -> TurnEnd:
        too_long = isinstance(error, ModelError) and error.kind == "prompt_too_long"
        reason: TerminalReason = "prompt_too_long" if too_long else "model_error"
        return self._end(reason, str(error))
