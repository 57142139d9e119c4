"""The loop of one turn.

Owns: model call, tools, next model call, until there is a reason to end; and that every way out
leaves the conversation valid.
Does not own: reading a reply (``engine.reply``), what follows one (``engine.recovery``), running
calls (``tooling.scheduler``), storage, queueing and modes (``session``).
See also: design 02 §9, 07 §3.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from pilotfish.core.calls import CallScope, PreparedCall, ToolCall, ToolOutcome, ToolProgress
from pilotfish.core.errors import PilotfishError
from pilotfish.core.events import (
    MediaDropped,
    NoteAdded,
    ReplyDiscarded,
    ResultShortened,
    ToolFinished,
    ToolStarted,
)
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import ToolUseBlock
from pilotfish.core.passing_events import ToolOutput, UserWarned
from pilotfish.core.reasons import TerminalReason
from pilotfish.engine.call_watch import CallWatch
from pilotfish.engine.media import TOO_MANY_MEDIA
from pilotfish.engine.recovery import (
    CALL_CUT_SHORT,
    End,
    Finished,
    GoOn,
    MakeRoom,
    Next,
    after_error,
    after_words,
    full_window,
    go_on,
)
from pilotfish.engine.reply import Reply, ReplyReader
from pilotfish.engine.scope import ScopeSource
from pilotfish.engine.state import (
    LoopState,
    Substitute,
    TurnEnd,
    TurnIdentity,
    TurnPorts,
    TurnSettings,
)
from pilotfish.llm.errors import ModelError
from pilotfish.llm.model import ModelRequest
from pilotfish.ports.attachments import AttachmentSource
from pilotfish.tooling.scheduler import ToolBatch

REFUSED_TEXT = "Not run: the model declined the request in the same reply."
CALL_FAILED_TEXT = "Not run: the reply that held this call was never finished."
NO_ROOM_IN_RESERVE = (
    "The fallback model {} cannot take over: the conversation does not fit into its window."
)


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
        self._state = LoopState()
        self._total = TurnEnd(reason="completed")
        self._started: dict[ToolUseId, float] = {}
        self._watch = CallWatch()

    @property
    def state(self) -> LoopState:
        """Where the loop is."""
        return self._state

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
                return ended
        while True:
            ended = await self._step()
            if ended is not None:
                return ended

    async def _step(self) -> TurnEnd | None:
        """Make one model call and run its tools; None means: go on."""
        ended = self._limit_reached()
        reader = ReplyReader(self._ports_now(), self._new_batch)
        try:
            ended = ended or await self._prepare()
            if ended is not None:
                return ended
            reply = await reader.read(self._request())
        except PilotfishError as error:
            return await self._after_failure(error, reader)
        except asyncio.CancelledError:
            reader.settle()
            await reader.batch.abort()
            self._count(reader)
            return self._end("aborted_streaming")
        self._count(reader)
        return await self._after_reply(reader.batch, reply)

    async def _prepare(self) -> TurnEnd | None:
        """Do what comes before each model call: shorten, check the window, make durable."""
        if self._ports.compactor is not None:
            await self._ports.compactor.before_call()
        kept = self._ports.conversation.media_to_keep()
        if kept is not None:
            self._ports.emit(MediaDropped(why=TOO_MANY_MEDIA, kept=kept))
            self._ports.tell(UserWarned(text=TOO_MANY_MEDIA))
        full = full_window(self._settings, self._settings_now(), self._ports.context_tokens())
        if full:
            return self._end("blocking_limit", full)
        await self._ports.flush()
        return None

    async def _after_failure(self, error: PilotfishError, reader: ReplyReader) -> TurnEnd | None:
        """Deal with a model call that failed for good."""
        await reader.batch.abort(CALL_FAILED_TEXT)
        other = self._ports.substitute if self._state.substituted else self._reserve()
        step: Next = End(reason="model_error", message=str(error))
        if isinstance(error, ModelError):
            step = after_error(
                self._state,
                error,
                model=self._settings.model,
                substitute=other.name if other else None,
                no_substitute=self._why_no_reserve(),
            )
        if isinstance(step, GoOn):
            reader.discard()
        else:
            reader.settle()
        self._count(reader)
        if isinstance(step, End) and step.reason == "image_error":
            self._ports.emit(MediaDropped(why=str(error)))
        try:
            return await self._follow(step)
        except asyncio.CancelledError:
            return self._end("aborted_streaming")

    async def _after_reply(self, batch: ToolBatch, reply: Reply) -> TurnEnd | None:
        """Run the calls of a whole reply, or see what its words mean."""
        if reply.calls and reply.stop_reason != "refusal":
            batch.seal()
            return await self._after_calls(batch, was_cut=reply.stop_reason == "max_tokens")
        try:
            await batch.abort(REFUSED_TEXT)
            return await self._follow(await self._after_words(reply))
        except asyncio.CancelledError:
            return self._end("aborted_streaming")

    async def _after_words(self, reply: Reply) -> Next:
        """Decide what follows a reply that asks for nothing."""
        step = after_words(
            self._state, reply, self._settings_now(), first_call=self._total.model_calls == 1
        )
        if isinstance(step, MakeRoom) or (isinstance(step, GoOn) and step.voids_reply):
            self._ports.emit(ReplyDiscarded(message_id=reply.id))
        return await self._at_the_end(step) if isinstance(step, Finished) else step

    async def _at_the_end(self, finished: Finished) -> Next:
        """End where nobody has anything to add: the user, hooks, what its edits have broken."""
        if self._take_queued():
            return go_on(self._state, "queued_prompts")
        if self._ports.stop_hooks is not None:
            verdict = await self._ports.stop_hooks.look(already_held_back=self._state.held_back)
            if verdict.ends_turn:
                return End(reason="stop_hook_prevented", message=verdict.reason)
            if verdict.objections:
                return go_on(self._state, "stop_hook_blocking", "\n".join(verdict.objections))
        if await self._tell(self._ports.late_news):
            return go_on(self._state, "late_news")
        return finished

    async def _follow(self, step: Next) -> TurnEnd | None:
        """Do what was decided; None means: go on."""
        if isinstance(step, MakeRoom):
            compactor = self._ports.compactor
            shorter = compactor is not None and await compactor.make_room()
            step = go_on(self._state, "reactive_compact_retry") if shorter else step.otherwise
        if isinstance(step, End):
            return self._end(step.reason, step.message)
        if isinstance(step, Finished):
            return self._end("completed", step.message)
        self._state = step.state
        if step.note:
            self._ports.emit(NoteAdded(text=step.note, origin=step.note_origin))
        return None

    async def _after_calls(self, batch: ToolBatch, *, was_cut: bool = False) -> TurnEnd | None:
        try:
            stopped = await batch.drain()
            if stopped is not None:
                return self._end(stopped)
            await self._shorten(batch)
            notes = self._watch.after(batch.calls(), batch.results())
            if self._watch.verdict:
                return self._end("repetition", self._watch.verdict)
            for note in [CALL_CUT_SHORT, *notes] if was_cut else notes:
                self._ports.emit(NoteAdded(text=note, origin="recovery"))
            await self._tell(self._ports.attachments)
        except asyncio.CancelledError:
            await batch.abort()
            return self._end("aborted_tools")
        self._take_queued()
        return await self._follow(go_on(self._state, "next_turn"))

    async def _finish_calls(self, calls: tuple[ToolUseBlock, ...]) -> TurnEnd | None:
        """Run the calls of an earlier process that nobody answered for."""
        batch = self._new_batch()
        for block in calls:
            batch.add(
                ToolCall(
                    id=block.id, name=block.name, input=block.input, input_error=block.input_error
                )
            )
        batch.seal()
        return await self._after_calls(batch)

    def _limit_reached(self) -> TurnEnd | None:
        settings, total = self._settings, self._total
        if total.model_calls >= settings.max_model_calls:
            return self._end(
                "max_turns",
                f"Stopped after {total.model_calls} model calls, the limit of one turn "
                "(maxTurns). Send a message to go on.",
            )
        budget, spent = settings.max_budget_usd, self._ports.spent()
        if budget is not None and spent >= budget:
            return self._end(
                "max_budget",
                f"Stopped: the session has spent ${spent:.2f}, agents included; its budget is "
                f"${budget:.2f} (maxBudgetUsd). Raise it to go on.",
            )
        return None

    def _reserve(self) -> Substitute | None:
        """Return the model that may still take over: one that has room for the conversation."""
        other = self._ports.substitute
        if other is None or self._state.substituted:
            return None
        return other if other.has_room_for(self._ports.context_tokens()) else None

    def _why_no_reserve(self) -> str:
        other = self._ports.substitute
        if other is None or self._state.substituted or self._reserve() is not None:
            return self._ports.no_substitute
        return NO_ROOM_IN_RESERVE.format(other.name)

    def _ports_now(self) -> TurnPorts:
        """Return the ports, with the model that answers now."""
        other = self._ports.substitute
        if other is None or not self._state.substituted:
            return self._ports
        return replace(self._ports, model=other.model)

    def _settings_now(self) -> TurnSettings:
        """Return the settings for the model that answers now."""
        other = self._ports.substitute
        if other is None or not self._state.substituted:
            return self._settings
        return replace(
            self._settings,
            model=other.name,
            max_tokens=other.max_tokens,
            escalated_max_tokens=other.escalated_max_tokens,
            max_context_tokens=other.max_context_tokens,
        )

    def _request(self) -> ModelRequest:
        settings = self._settings_now()
        return ModelRequest(
            model=settings.model,
            system=settings.system,
            tools=settings.tools,
            messages=self._ports.conversation.messages(settings.model),
            max_tokens=settings.escalated_max_tokens
            if self._state.escalated
            else settings.max_tokens,
            thinking_budget_tokens=settings.thinking_budget_tokens,
            effort=settings.effort,
            has_substitute=self._reserve() is not None,
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
            self._ports.tell(
                ToolOutput(
                    tool_use_id=call.id, text=progress.text, terminal_id=progress.terminal_id
                )
            )

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

    def _count(self, reader: ReplyReader) -> None:
        """Add up what a model call has used, attempts that broke off included."""
        costs = (self._total.cost_usd, reader.void_cost_usd, reader.reply.cost_usd)
        known = [cost for cost in costs if cost is not None]
        self._total = replace(
            self._total,
            usage=self._total.usage + reader.void_usage + reader.reply.usage,
            cost_usd=sum(known) if known else None,
            model_calls=self._total.model_calls + 1,
        )

    def _end(self, reason: TerminalReason, message: str = "") -> TurnEnd:
        return replace(self._total, reason=reason, message=message)
