"""Decides when the calls of one reply run.

Owns: the order (safe calls together, others alone and in order), early start while the reply
still streams, that a failed command ends those beside it, and the rule that every call ends with exactly one outcome.
Does not own: what runs a call (``ports.tool_runner``), what becomes of the outcome (the engine).
See also: design 06 §2, 07 §5.

A call that may change something starts only when the reply is known to be complete: a reply that
breaks off must not leave half of its effects behind. Safe calls start at once, unless they have
effects all the same: agents run beside each other, but not for a reply that may be void.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from pilotfish.core.calls import (
    CallScope,
    PreparedCall,
    RejectedCall,
    ToolCall,
    ToolKind,
    ToolOutcome,
    text_outcome,
)
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

MAX_PARALLEL = 10
"""Safe calls that run at the same time."""

INTERRUPT_GRACE_S = 0.5
"""How long a stop waits for calls that are not to be broken off; a stopped turn ends within a second."""

INTERRUPTED_TEXT = "The user stopped the turn before this call finished. Its effects are unknown."
NOT_STARTED_TEXT = "The user stopped the turn before this call started. Nothing was run."
AFTER_REFUSAL_TEXT = "Not run: the user refused an earlier call of this reply."
AFTER_SIBLING_TEXT = "Ended before it was done: a command that ran beside it failed."
AFTER_HOOK_TEXT = "Not run: a hook ended the turn with an earlier call of this reply."


@dataclass
class _Entry:
    """One call in the batch."""

    call: ToolCall
    safe: bool
    """Whether it may run beside others."""
    early: bool
    """Whether it may begin before the reply is complete."""
    state: Literal["queued", "executing", "done"] = "queued"
    kind: ToolKind = "other"
    blocks: bool = False
    """Whether it may come to its end when the turn is stopped."""
    began: bool = False
    """Whether it passed all gates: from then on it may have had effects."""
    ending: asyncio.Task[None] | None = None
    """Set when the call has its outcome already, but what ran has yet to end."""
    task: asyncio.Task[None] | None = None

    @property
    def occupies(self) -> bool:
        """Whether something of the call runs."""
        return self.state == "executing" or (self.ending is not None and not self.ending.done())

    outcome: ToolOutcome | None = None


class ToolBatch:
    """The calls of one reply. ``add`` as they complete, ``seal`` at the reply's end, ``drain``."""

    def __init__(
        self,
        runner: ToolRunner,
        scope_for: Callable[[ToolCall], CallScope],
        *,
        on_started: Callable[[PreparedCall], None],
        on_finished: Callable[[ToolCall, ToolOutcome], None],
    ) -> None:
        self._runner = runner
        self._scope_for = scope_for
        self._on_started = on_started
        self._on_finished = on_finished
        self._entries: list[_Entry] = []
        self._tasks = TaskScope("tools")
        self._sealed = False
        self._stopped = False
        self._changed = asyncio.Event()

    def add(self, call: ToolCall) -> None:
        """Take a call; it starts as soon as the rules allow."""
        safe = self._runner.is_concurrency_safe(call)
        early = safe and self._runner.starts_early(call)
        entry = _Entry(call=call, safe=safe, early=early)
        self._entries.append(entry)
        self._admit()

    def seal(self) -> None:
        """Declare the reply complete: calls with effects may start now."""
        self._sealed = True
        self._admit()

    async def drain(self) -> Literal["refused", "hook_stopped"] | None:
        """Wait until every call has its outcome, or one has ended the turn.

        Returns:
            Why the turn ends, or None. When it ends, whatever still ran is ended, too.
        """
        while not self._stopped and any(
            entry.state != "done" or entry.occupies for entry in self._entries
        ):
            self._changed.clear()
            await self._changed.wait()
        if not self._stopped:
            return None
        await self.abort()
        by_hook = any(entry.outcome and entry.outcome.stopped_by_hook for entry in self._entries)
        return "hook_stopped" if by_hook else "refused"

    def calls(self) -> list[ToolCall]:
        """Return the calls in the reply's order."""
        return [entry.call for entry in self._entries]

    def results(self) -> dict[ToolUseId, tuple[TextBlock | ImageBlock, ...]]:
        """Return what the model gets of the calls that have ended."""
        return {
            entry.call.id: entry.outcome.content
            for entry in self._entries
            if entry.outcome is not None
        }

    async def abort(self, why: str = "") -> None:
        """End what runs and give every unfinished call an outcome. Safe to call at any time.

        Args:
            why: What the outcomes say; empty when the user stopped the turn.
        """
        self._stopped = True
        try:
            await self._end_all(with_grace=not why)
        finally:
            await self._tasks.close()
        for entry in self._entries:
            if entry.state != "done":
                text = why or (INTERRUPTED_TEXT if entry.began else NOT_STARTED_TEXT)
                self._finish(entry, text_outcome(text, status="interrupted"))

    async def _end_all(self, *, with_grace: bool) -> None:
        """End what runs, and give the calls that must not be broken off a moment to end themselves."""
        ending: list[asyncio.Task[None]] = []
        for entry in self._entries:
            if entry.state != "executing" or entry.task is None:
                continue
            if with_grace and entry.blocks and entry.began:
                ending.append(entry.task)
            else:
                entry.task.cancel()
        if ending:
            await asyncio.wait(ending, timeout=INTERRUPT_GRACE_S)

    def _admit(self) -> None:
        """Start every call whose turn has come; never let one overtake a waiting exclusive one."""
        if self._stopped:
            return
        for entry in self._entries:
            if entry.state == "done":
                continue
            if entry.state == "queued":
                if not self._may_start(entry):
                    return
                entry.state = "executing"
                entry.task = self._tasks.start(self._execute(entry), name=entry.call.name)
            if not entry.safe:
                return

    def _may_start(self, entry: _Entry) -> bool:
        running = sum(1 for other in self._entries if other.occupies)
        if entry.safe:
            return running < MAX_PARALLEL and (entry.early or self._sealed)
        return running == 0 and self._sealed

    async def _execute(self, entry: _Entry) -> None:
        """Prepare and run one call. A fault of the chain itself is still an outcome."""
        try:
            outcome = await self._outcome(entry)
        except asyncio.CancelledError:
            raise
        except Exception as error:  # a task's root: the pair must be completed whatever happens
            logger.exception("tool chain failed for %s", entry.call.name)
            outcome = text_outcome(
                f"The call failed inside Pilotfish: {type(error).__name__}: {error}",
                status="failed",
            )
        if entry.state == "done":
            return
        self._finish(entry, outcome)
        if entry.kind == "execute" and outcome.status == "failed":
            self._end_siblings()
        if outcome.stops_turn:
            self._refuse_rest(AFTER_HOOK_TEXT if outcome.stopped_by_hook else AFTER_REFUSAL_TEXT)
        self._admit()

    async def _outcome(self, entry: _Entry) -> ToolOutcome:
        call = entry.call
        scope = self._watched(entry)
        prepared = await self._runner.prepare(call, scope)
        if isinstance(prepared, RejectedCall):
            return text_outcome(prepared.message, status="failed")
        entry.kind = prepared.kind
        entry.blocks = prepared.interrupt_behavior == "block"
        self._on_started(prepared)
        return await self._runner.run(prepared, scope)

    def _watched(self, entry: _Entry) -> CallScope:
        """Return the call's scope, with an ear for the moment when it really begins."""
        scope = self._scope_for(entry.call)

        def on_running() -> None:
            entry.began = True
            scope.on_running()

        return replace(scope, on_running=on_running)

    def _end_siblings(self) -> None:
        """End the commands that run beside one that failed: they were meant as one step."""
        for other in self._entries:
            if other.state == "executing" and other.kind == "execute" and other.task is not None:
                self._finish(other, text_outcome(AFTER_SIBLING_TEXT, status="interrupted"))
                other.ending = other.task
                other.task.add_done_callback(lambda _: self._move_on())
                other.task.cancel()

    def _move_on(self) -> None:
        """Let those go on who waited for something to end."""
        self._changed.set()
        self._admit()

    def _refuse_rest(self, why: str) -> None:
        self._stopped = True
        for entry in self._entries:
            if entry.state == "queued":
                self._finish(entry, text_outcome(why, status="denied"))

    def _finish(self, entry: _Entry, outcome: ToolOutcome) -> None:
        entry.state = "done"
        entry.outcome = outcome
        self._on_finished(entry.call, outcome)
        self._changed.set()
