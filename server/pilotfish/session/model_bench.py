"""What a workbench tells of its model, and how a turn is wired to the session that it belongs to.

Owns: the part of ``session.workbench.Workbench`` about the model, and the ports of a turn, which are
the same for the main agent and for sub-agents.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from pilotfish.core.calls import CallScope, ToolProgress
from pilotfish.core.events import PromptSubmitted
from pilotfish.engine.state import TurnIdentity, TurnPorts
from pilotfish.llm.choose import ProviderChoice
from pilotfish.llm.rate_limits import RateLimits
from pilotfish.permissions.witness import Witness
from pilotfish.ports.attachments import AttachmentSource
from pilotfish.session.model_options import ContextWindow, ModelOptions
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.session.tool_chain import ToolChain
from pilotfish.session.turn_model import TurnModel
from pilotfish.tooling.registry import ToolRegistry
from pilotfish.util.records import dataclass


class ModelBench:
    """The part of a workbench that is about its model."""

    _model: TurnModel

    def context_window(self) -> ContextWindow:
        """Return the model's window."""
        return ContextWindow.of(self._model.facts())

    def rate_limits(self) -> RateLimits:
        """Return what is known of the provider's limits."""
        return self._model.limits()

    def model_options(self) -> ModelOptions:
        """Return what can be chosen about the model."""
        return self._model.options()

    def require_model(self, name: str) -> str:
        """Return the id of a model by name or short name."""
        return self._model.require(name)

    def describe_provider(self) -> dict[str, str]:
        """Return kind and description of where the model runs, without secrets."""
        return self._model.choose().for_people()


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnParts:
    """What is an agent's own in a turn of its session."""

    session: Session
    services: Services
    model: TurnModel
    chain: ToolChain
    registry: ToolRegistry
    """The tools that its model is offered."""
    attachments: Sequence[AttachmentSource]
    """What may have something to say after a round of calls."""
    late_news: Sequence[AttachmentSource]
    """What may have something to say when the model believes that it is done."""
    spent: Callable[[], float]
    """Returns what the session has spent, its agents included, in USD."""
    witness: Witness | None = None
    """Who takes note of how calls are decided."""


def turn_ports(
    parts: TurnParts, choice: ProviderChoice, take_queued: Callable[[], list[PromptSubmitted]]
) -> TurnPorts:
    """Return what a turn needs of the session around it."""
    log, model = parts.session.log, parts.model
    return TurnPorts(
        model=model.client(choice),
        runner=parts.chain.runner(parts.registry, parts.witness),
        conversation=log.conversation,
        clock=parts.services.clock,
        emit=log.emit,
        tell=log.tell,
        take_queued=take_queued,
        attachments=parts.attachments,
        late_news=parts.late_news,
        flush=log.flush,
        fit_results=parts.chain.fit_together,
        cost_of=model.cost_of,
        context_tokens=lambda: log.data.last_usage.context_tokens,
        spent=parts.spent,
        substitute=model.substitute(choice),
        no_substitute=model.no_substitute(),
    )


async def tell_news(session: Session, sources: Sequence[AttachmentSource]) -> None:
    """Let the model hear first what has happened since its last turn."""
    for source in sources:
        for note in await source.collect():
            session.log.emit(note)


def call_scope(
    identity: TurnIdentity, cwd: Path, on_progress: Callable[[ToolProgress], None]
) -> CallScope:
    """Return who makes a call of a turn, and where."""
    return CallScope(
        session_id=identity.session_id,
        turn_id=identity.turn_id,
        agent_id=identity.agent_id,
        cwd=cwd,
        on_progress=on_progress,
    )
