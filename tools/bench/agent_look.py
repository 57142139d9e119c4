"""Looking into an agent that has said a lot: from the click to what the view gets.

Owns: a session whose agent has a transcript of 5,000 messages, and the row about it.
"""

import asyncio
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

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
from tools.bench.rows import Row
from tools.bench.server import server

MESSAGES = 5_000
RUNS = 15

_SESSION = SessionId("0a1b2c3d-0000-4000-8000-00000000cafe")
_AGENT = AgentId("a5000")
_SAID = "I look. " * 20
_FILE = "    return [part.strip() for part in text.split(',') if part]\n" * 60


def _write(path: Path, agent: AgentId, events: list[KeptEvent]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        for seq, event in enumerate(events, start=1):
            record = EventRecord(seq=seq, time_ms=seq, event=event, agent_id=agent)
            file.write(codec.to_line(record))


def _generate(path: Path, cwd: Path) -> None:
    created = SessionCreated(
        session_id=_SESSION, cwd=str(cwd), version="0", mode="default", model="m"
    )
    prompt = PromptSubmitted(message_id=MessageId("p"), content=(TextBlock(text="Go"),))
    facts = AgentFacts(
        agent_id=_AGENT, agent_type="general-purpose", description="a long task", prompt="Go",
        name=None, parent=MAIN_AGENT, parent_call=None, depth=1, model="m", color="",
        is_background=True, cwd=str(cwd), started_ms=1,
    )  # fmt: skip
    outcome = AgentOutcome(status="completed", text="Done.", ended_ms=2)
    ended = AgentEnded(agent_id=_AGENT, outcome=outcome)
    _write(
        path, MAIN_AGENT, [created, AgentStarted(facts=facts), ended, AgentTold(agent_id=_AGENT)]
    )
    begun = TurnStarted(turn_id=TurnId("t"), model="m")
    work = [event for number in range(MESSAGES // 2) for event in read_round(number, _SAID, _FILE)]
    end = TurnEnded(turn_id=TurnId("t"), reason="completed")
    _write(agent_transcript(path, _AGENT), _AGENT, [created, begun, prompt, *work, end])


async def look_into_a_long_agent() -> Row:
    """From ``_pilotfish/agents/view`` to its answer, again and again."""
    times: list[float] = []
    answer: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        workspace = Path(folder)
        path = workspace / ".pilotfish" / "projects" / slug_of(workspace) / f"{_SESSION}.jsonl"
        _generate(path, workspace)
        size = agent_transcript(path, _AGENT).stat().st_size / 1e6
        async with server("http://127.0.0.1:9", workspace, workspace) as client:
            params: dict[str, Any] = {"sessionId": _SESSION, "cwd": folder, "mcpServers": []}
            await client.request("session/resume", params)
            await client.settle()
            wanted = {"sessionId": _SESSION, "agentId": _AGENT, "viewer": "bench"}
            for _ in range(RUNS):
                began = time.perf_counter()
                answer = await client.request("_pilotfish/agents/view", wanted)
                times.append((time.perf_counter() - began) * 1000)
        updates: list[object] = answer["snapshot"]["updates"]
    return Row(
        name=f"a look into an agent with {MESSAGES:,} messages ({size:.0f} MB)",
        value=f"{median(times):.0f} ms, {times[0]:.0f} ms the first time",
        aim="≤ 300 ms, until it is on screen",
        note=f"median of {RUNS}, up to {max(times):.0f}; {len(updates)} updates",
    )


MEASURES = (look_into_a_long_agent,)


if __name__ == "__main__":
    for measure in MEASURES:
        print(asyncio.run(measure()))
