"""Asking a conversation's model beside the conversation.

An internal fork begins with exactly what the conversation's own next request begins with (system
prompt, tools, model, thinking, messages), so that the model's cache holds, and goes its own way from
there. It is the same loop as any turn's, over a copy of the conversation.

Owns: the copy, the limits, and that nothing of the parent changes but its bill: no event of a fork
reaches the parent's list, and its tools are refused unless the caller brings a runner of its own.
Does not own: what is asked and who hears the answer (``session.aside``).
See also: design 01 §9.3.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from pilotfish.core.errors import SessionError
from pilotfish.core.events import (
    KeptEvent,
    PromptSubmitted,
    ReplyDiscarded,
    ReplyFinished,
    SideCallFinished,
    SideCallPurpose,
)
from pilotfish.core.ids import MessageId, ToolUseId, new_message_id, new_turn_id
from pilotfish.core.messages import TextBlock, Usage
from pilotfish.core.passing_events import BlockDelta, PassingEvent
from pilotfish.engine.conversation import Conversation, as_reminder
from pilotfish.engine.scope import ScopeSource
from pilotfish.engine.state import (
    ResultContent,
    TurnEnd,
    TurnIdentity,
    TurnPorts,
    TurnSettings,
)
from pilotfish.engine.turn import Turn
from pilotfish.llm.model import Model
from pilotfish.ports.clock import ClockPort
from pilotfish.ports.tool_runner import ToolRunner
from pilotfish.session.log import EventLog
from pilotfish.tooling.refusing import RefusingRunner
from pilotfish.util.records import dataclass
from pilotfish.util.tasks import TaskScope

MAX_FORKS = 4
"""Forks of one conversation that may run at once; more are refused with a message."""

MAX_MODEL_CALLS = 3
"""Model calls of one fork: a model that asks for tools all the same is told, and can answer then."""

NO_TOOLS = "Tools cannot be used here. Answer from what you know, and say what you do not know."

UNFINISHED_CALL = "This call has not finished yet."
"""Stands for the result of a call that runs while a fork begins."""

CostOf = Callable[[str, Usage], float | None]

OnText = Callable[[int, str], None]
"""Takes streamed text, and where in the answer it belongs, in characters: what was there from that place
on is void."""


@dataclass(frozen=True, kw_only=True)
class ForkBase:
    """What a conversation asks its model with, now."""

    model: Model
    settings: TurnSettings
    scope: ScopeSource
    spent: Callable[[], float]
    """Returns what the session has spent, its agents included, in USD: it has one budget for everything."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ForkTask:
    """One thing to find out."""

    purpose: SideCallPurpose
    note: str
    """For the model: what this is, and how to answer."""
    text: str
    limit_s: float
    """Longest wait for the whole answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ForkAnswer:
    """What the model said. ``text`` is trimmed and never empty."""

    text: str
    model: str
    cost_usd: float | None
    """None when the model's price is not known."""


class InternalForks:
    """Runs forks of one conversation."""

    def __init__(
        self,
        log: EventLog,
        bill: Callable[[KeptEvent], None],
        cost_of: CostOf,
        base: Callable[[], Awaitable[ForkBase]],
        clock: ClockPort,
    ) -> None:
        """Set it up.

        Args:
            log: The conversation.
            bill: Takes the events that say what a fork has cost.
            cost_of: Returns the price of a call.
            base: Returns what the conversation's next request would be made with.
            clock: For the times.
        """
        self._log = log
        self._bill = bill
        self._cost_of = cost_of
        self._base = base
        self._clock = clock
        self._tasks = TaskScope("forks")

    def __len__(self) -> int:
        return len(self._tasks)

    async def run(
        self, task: ForkTask, on_text: OnText | None = None, runner: ToolRunner | None = None
    ) -> ForkAnswer:
        """Ask, and return the answer. A cancelled wait ends the fork.

        Args:
            task: What to find out.
            on_text: Hears the answer as it streams.
            runner: What runs the model's calls, behind whatever permits them; None refuses them all.

        Raises:
            PilotfishError: There is no answer; says why.
        """
        if len(self._tasks) >= MAX_FORKS:
            raise SessionError(
                f"{MAX_FORKS} side questions are being answered already.",
                hint="Wait for one, or cancel it.",
            )
        base = await self._base()
        fork = _Fork(self._log.conversation, task, on_text, self._bill)
        turn = Turn(
            TurnIdentity(
                session_id=self._log.data.session_id,
                turn_id=new_turn_id(),
                agent_id=self._log.agent_id,
            ),
            replace(base.settings, max_model_calls=MAX_MODEL_CALLS),
            self._ports(base, fork, runner or RefusingRunner(NO_TOOLS)),
            base.scope,
        )
        work = self._tasks.start(turn.run(), name=task.purpose, awaited=True)
        try:
            _, late = await asyncio.wait([work], timeout=task.limit_s)
        finally:
            if not work.done():
                work.cancel()
                await asyncio.wait([work])
        if late:
            raise SessionError(
                f"The model did not answer within {task.limit_s:.0f} seconds.", hint="Ask again."
            )
        if work.cancelled():
            raise SessionError("The session was closed.")
        return fork.answer(work.result())

    async def close(self) -> None:
        """End all that run."""
        await self._tasks.close()

    def _ports(self, base: ForkBase, fork: "_Fork", runner: ToolRunner) -> TurnPorts:
        return TurnPorts(
            model=base.model,
            runner=runner,
            conversation=fork.conversation,
            clock=self._clock,
            emit=fork.take,
            tell=fork.hear,
            take_queued=list,
            attachments=(),
            late_news=(),
            flush=_nothing,
            fit_results=_as_they_are,
            cost_of=self._cost_of,
            context_tokens=lambda: self._log.data.last_usage.context_tokens,
            spent=base.spent,
        )


class _Fork:
    """One fork: its copy of the conversation, and what it says."""

    def __init__(
        self,
        parent: Conversation,
        task: ForkTask,
        on_text: OnText | None,
        bill: Callable[[KeptEvent], None],
    ) -> None:
        self.conversation: Conversation = parent.branch(UNFINISHED_CALL)
        self._purpose: SideCallPurpose = task.purpose
        self._bill = bill
        self._on_text = on_text
        self._place: tuple[MessageId, int] | None = None
        """The reply and block that streams."""
        self._length = 0
        """Characters of the reply so far."""
        self._answered_by = ""
        self._cost: float | None = None
        self.take(
            PromptSubmitted(
                message_id=new_message_id(),
                content=(TextBlock(text=task.text),),
                context=(TextBlock(text=as_reminder(task.note)),),
            )
        )

    def take(self, event: KeptEvent) -> None:
        """Take an event of the fork's own; the parent hears of the cost alone."""
        self.conversation.apply(event)
        if isinstance(event, ReplyFinished) or (isinstance(event, ReplyDiscarded) and event.model):
            self._pay(event)

    def hear(self, event: PassingEvent) -> None:
        """Pass on text as it streams."""
        if self._on_text is None or not isinstance(event, BlockDelta) or event.kind != "text":
            return
        place = (event.message_id, event.block_index)
        text = event.text
        if self._place is None or self._place[0] != event.message_id:
            self._length = 0
        elif self._place != place and self._length:
            text = "\n\n" + text
        self._place = place
        self._on_text(self._length, text)
        self._length += len(text)

    def answer(self, end: TurnEnd) -> ForkAnswer:
        """Return what came of it."""
        text = self.conversation.last_text().strip()
        if end.reason == "max_turns":
            raise SessionError("The model asked for tools instead of giving an answer.")
        if end.reason not in ("completed", "output_limit") or not text:
            raise SessionError(end.message or "The model gave no answer.")
        return ForkAnswer(text=text, model=self._answered_by, cost_usd=self._cost)

    def _pay(self, reply: ReplyFinished | ReplyDiscarded) -> None:
        self._answered_by = reply.model
        if reply.cost_usd is not None:
            self._cost = (self._cost or 0.0) + reply.cost_usd
        self._bill(
            SideCallFinished(
                purpose=self._purpose,
                model=reply.model,
                usage=reply.usage,
                cost_usd=reply.cost_usd,
            )
        )


async def _nothing() -> None:
    """A fork is not stored."""


async def _as_they_are(
    _results: Mapping[ToolUseId, ResultContent],
) -> Mapping[ToolUseId, ResultContent]:
    """Leave results alone: refusals are short, and whoever brings a runner keeps them so."""
    return {}
