"""What a client that knows nothing of agents sees of those in the background.

Owns: the card of the call that started an agent: it goes on while the agent does, and ends with its
report; whose question it is that such a client shows.
Does not own: agents that a call waits for, whose steps are the call's own output; clients that have a list
of agents (``edges.agent_feeds``).
See also: design 01 §5.3, §6.
"""

from collections.abc import Callable
from typing import Any

from pilotfish.core.events import SessionEvent, ToolFinished
from pilotfish.core.ids import MAIN_AGENT, AgentId
from pilotfish.core.passing_events import AgentsChanged
from pilotfish.edges.questions import QuestionRequest
from pilotfish.session.agent_rows import AgentRow
from pilotfish.session.session import Session
from pilotfish.util.records import dataclass

MAX_REPORT_CHARS = 4_000
"""As much of a report as a card shows."""


@dataclass(frozen=True, slots=True)
class _Card:
    status: str
    text: str


class AgentCards:
    """Of one session, for one client."""

    def __init__(self, session: Session, update: Callable[[dict[str, Any]], None]) -> None:
        """Set it up.

        Args:
            session: The one that the user talks with.
            update: Sends one update of it.
        """
        self._session = session
        self._update = update
        self._shown: dict[AgentId, _Card] = {}

    def hear(self, event: SessionEvent) -> None:
        """Take in what may change a card."""
        match event:
            case AgentsChanged():
                self.sync()
            case ToolFinished(tool_use_id=call):
                # The result of the call stands in the card now, as if all were done.
                for agent, entry in self._session.data.agents.items():
                    if entry.facts.parent_call == call and self._shown.pop(agent, None):
                        self.sync()
            case _:
                pass

    def show_again(self) -> None:
        """Say of all agents how they stand, to a client that was told the conversation anew."""
        self._shown.clear()
        self.sync()

    def sync(self) -> None:
        """Bring the cards up to date; one that says what it said already is left alone."""
        agents = self._session.data.agents
        for agent, entry in agents.items():
            call = entry.facts.parent_call
            if call is None or entry.facts.parent != MAIN_AGENT or not entry.is_background:
                continue  # an agent's agent works inside the other's card
            card = _card_of(self._session.roster.row(agent))
            if self._shown.get(agent) == card:
                continue
            self._shown[agent] = card
            content = [{"type": "content", "content": {"type": "text", "text": card.text}}]
            self._update(
                {
                    "sessionUpdate": "tool_call_update",
                    "toolCallId": call,
                    "status": card.status,
                    "content": content,
                }
            )
        for gone in self._shown.keys() - agents.keys():
            del self._shown[gone]


def named(request: QuestionRequest, agent_name: str) -> QuestionRequest:
    """Return a request in whose title stands which agent asks; that of the main one as it is."""
    call: dict[str, Any] | None = request.params.get("toolCall")
    if not agent_name or call is None:
        return request
    titled = call | {"title": f"{agent_name}: {call['title']}"}
    return QuestionRequest(request.method, request.params | {"toolCall": titled})


def _card_of(row: AgentRow) -> _Card:
    facts, outcome = row.entry.facts, row.entry.outcome
    what = f"{facts.name or facts.agent_type} ({facts.description})"
    if outcome is None:
        doing = f": {row.activity}" if row.activity else "."
        return _Card("in_progress", f"{what} works in the background{doing}")
    ended = {"completed": "has finished", "failed": "failed", "killed": "was stopped"}
    why = f": {outcome.error}" if outcome.error else "."
    text = f"{what} {ended[outcome.status]}{why}"
    if outcome.text:
        text += f"\n\n{outcome.text[:MAX_REPORT_CHARS]}"
    if len(outcome.text) > MAX_REPORT_CHARS:
        text += f"\n… {len(outcome.text) - MAX_REPORT_CHARS} more characters in {facts.output_path}"
    return _Card("completed" if outcome.status == "completed" else "failed", text)
