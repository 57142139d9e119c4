"""What a client is sent of a session's agents.

Owns: following the agents whose events the client is to see, and only these.
Does not own: which ones they are (``session.agent_roster``), the list (``edges.agent_wire``).
"""

from collections.abc import Callable
from typing import Any

from pilotfish.core.ids import AgentId, ToolUseId
from pilotfish.edges.snapshots import live_records
from pilotfish.edges.update_stream import UpdateStream
from pilotfish.edges.updates import UpdateMapper
from pilotfish.session.session import Session
from pilotfish.session.session_view import SessionView
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class _Feed:
    """An agent that is followed."""

    agent: SessionView
    stream: UpdateStream
    stop_listening: Callable[[], None]


class AgentFeeds:
    """Of one session, for one client."""

    def __init__(self, session: Session, send: Callable[[dict[str, Any]], None]) -> None:
        """Set it up.

        Args:
            session: The one that the user talks with.
            send: Takes the parameters of one ``session/update``.
        """
        self._session = session
        self._send = send
        self._feeds: dict[AgentId, _Feed] = {}
        self._viewed: frozenset[AgentId] = frozenset()

    def __len__(self) -> int:
        return len(self._feeds)

    def sync(self) -> None:
        """Follow whoever is to be shown now, and nobody else."""
        roster = self._session.roster
        shown = roster.shown()
        newly_viewed = frozenset(roster.viewed) - self._viewed
        self._viewed = frozenset(roster.viewed)
        for agent, feed in tuple(self._feeds.items()):
            if agent not in shown or roster.live(agent) is not feed.agent:
                self._leave(agent)
        for agent in shown - self._feeds.keys():
            live = roster.live(agent)
            if live is not None:
                self._follow(agent, live)
                if (
                    agent not in newly_viewed
                ):  # whoever looks gets a snapshot; a card has nothing yet
                    self._catch_up(agent, roster.followed_since(agent))

    def close(self) -> None:
        """Follow nobody any more."""
        for agent in tuple(self._feeds):
            self._leave(agent)

    def _follow(self, agent: AgentId, live: SessionView) -> None:
        stream = UpdateStream(UpdateMapper(self._session.id, self._card_of(agent)), self._send)
        stop = live.log.listen(stream.hear)
        self._feeds[agent] = _Feed(agent=live, stream=stream, stop_listening=stop)

    def _card_of(self, agent: AgentId) -> ToolUseId | None:
        """Return the call in whose card an agent's work belongs; None in the background."""
        entry = self._session.roster.row(agent).entry
        return None if entry.is_background else entry.facts.parent_call

    def _catch_up(self, agent: AgentId, since: int) -> None:
        """Send what has happened after an event, and what is in no event yet."""
        feed = self._feeds[agent]
        for record in (*feed.agent.log.held_after(since), *live_records(feed.agent, agent)):
            feed.stream.send(record)

    def _leave(self, agent: AgentId) -> None:
        feed = self._feeds.pop(agent)
        feed.stop_listening()
        feed.stream.flush()
