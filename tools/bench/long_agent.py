"""A session on disk whose agent has said a lot, as if both had been at work before.

Owns: the two transcripts. ``python -m tools.bench.long_agent HOME WORKSPACE`` writes them for tests of
the client.
"""

import sys
from pathlib import Path

from pilotfish.core.agent_events import AgentEnded, AgentStarted, AgentTold
from pilotfish.core.agents import AgentFacts, AgentOutcome
from pilotfish.core.events import (
    EventRecord,
    KeptEvent,
    PromptSubmitted,
    SessionCreated,
    TurnEnded,
    TurnStarted,
)
from pilotfish.core.ids import MAIN_AGENT, AgentId, MessageId, SessionId, TurnId
from pilotfish.core.messages import TextBlock
from pilotfish.session import codec
from pilotfish.session.agent_transcripts import agent_transcript
from pilotfish.session.session_list import slug_of

from tools.bench.read_rounds import read_round

MESSAGES = 5_000

SESSION = SessionId("0a1b2c3d-0000-4000-8000-00000000cafe")
AGENT = AgentId("a5000")

_SAID = "I look. " * 20
_FILE = "    return [part.strip() for part in text.split(',') if part]\n" * 60


def write_session(home: Path, workspace: Path, *, ended: bool = True) -> Path:
    """Write a session in which an agent has 5,000 messages; return the transcript of the agent.

    Args:
        home: The user's.
        workspace: Where the session is at work.
        ended: Whether it has ended before; otherwise it is found to be lost, so that its row is listed.
    """
    path = home / ".pilotfish" / "projects" / slug_of(workspace) / f"{SESSION}.jsonl"
    _write(path, MAIN_AGENT, _main(workspace, ended=ended))
    of_agent = agent_transcript(path, AGENT)
    _write(of_agent, AGENT, _work(workspace, ended=ended))
    return of_agent


def _main(workspace: Path, *, ended: bool) -> list[KeptEvent]:
    facts = AgentFacts(
        agent_id=AGENT, agent_type="general-purpose", description="a long task", prompt="Go",
        name=None, parent=MAIN_AGENT, parent_call=None, depth=1, model="m", color="",
        is_background=True, cwd=str(workspace), started_ms=1,
    )  # fmt: skip
    turn = TurnId("t")
    events: list[KeptEvent] = [
        _created(workspace),
        TurnStarted(turn_id=turn, model="m"),
        PromptSubmitted(
            message_id=MessageId("first"), content=(TextBlock(text="begin a long task"),)
        ),
        AgentStarted(facts=facts),
        TurnEnded(turn_id=turn, reason="completed"),
    ]
    if ended:
        outcome = AgentOutcome(status="completed", text="Done.", ended_ms=2)
        events += [AgentEnded(agent_id=AGENT, outcome=outcome), AgentTold(agent_id=AGENT)]
    return events


def _work(workspace: Path, *, ended: bool) -> list[KeptEvent]:
    turn = TurnId("t")
    begun: list[KeptEvent] = [
        _created(workspace),
        TurnStarted(turn_id=turn, model="m"),
        PromptSubmitted(message_id=MessageId("p"), content=(TextBlock(text="Go"),)),
    ]
    rounds = [
        event for number in range(MESSAGES // 2) for event in read_round(number, _SAID, _FILE)
    ]
    return [*begun, *rounds, *([TurnEnded(turn_id=turn, reason="completed")] if ended else [])]


def _created(workspace: Path) -> SessionCreated:
    return SessionCreated(
        session_id=SESSION, cwd=str(workspace), version="0", mode="default", model="m"
    )


def _write(path: Path, agent: AgentId, events: list[KeptEvent]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for seq, event in enumerate(events, start=1):
            record = EventRecord(seq=seq, time_ms=seq, event=event, agent_id=agent)
            file.write(codec.to_line(record))


if __name__ == "__main__":
    write_session(Path(sys.argv[1]), Path(sys.argv[2]), ended=False)
