"""Scripts for a model that starts agents.

Owns: the call of Agent, and answers that belong to one agent, told apart by the task that it was given.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pilotfish.core.events import EventRecord, SessionEvent
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.session.state import SessionData
from pilotfish.session.transcript_reader import read_records

from tests.support.chat import Chat
from tests.support.engine_stage import EngineStage
from tests.support.stage import Stage
from tests.support.waiting import until
from tests.support.wire_client import Json
from tools.fake_model import ToolUse, Turn
from tools.fake_model.scenario import Scenario, Script
from tools.fake_model.turns import When

NOTED = Turn("Noted.", repeat="forever")
"""What the main model says from then on: the end of each agent may wake it, now or in a moment."""


def agent(
    prompt: str, kind: str = "general-purpose", *, call: str = "toolu_agent", **more: Any
) -> ToolUse:
    """Return a call that starts an agent."""
    given = {"description": "a small task", "prompt": prompt, "subagent_type": kind, **more}
    return ToolUse("Agent", given, id=call)


def cast(main: Sequence[str | Turn], **agents: Sequence[str | Turn]) -> Scenario:
    """Return a scenario: what the main model says, and what each agent says.

    An agent is known by its name here, which has to be in the prompt that it is given.
    """
    scripts = [
        Script(when=When(first_user_text=name), turns=turns) for name, turns in agents.items()
    ]
    return Scenario(main, scripts=scripts)


def bodies(stage: Stage | EngineStage, word: str) -> list[Json]:
    """Return the requests of the conversation that begins with a word, oldest first."""
    found: list[Json] = [dict(request.body) for request in stage.fake.requests]
    return [
        body
        for body in found
        if body.get("messages") and word in str(body["messages"][0]["content"])
    ]


def results_of(stage: Stage, word: str) -> list[Json]:
    """Return the tool results in the newest request of the conversation that begins with a word."""
    content = bodies(stage, word)[-1]["messages"][-1]["content"]
    return [one for one in content if one["type"] == "tool_result"]


def agent_files(stage: Stage, session_id: str) -> list[Path]:
    """Return the transcripts of a session's agents."""
    folder = stage.home / ".pilotfish" / "projects"
    return sorted(folder.glob(f"*/{session_id}/agent-*.jsonl"))


async def events_of(stage: Stage, chat: Chat) -> list[SessionEvent]:
    """Return what has happened in a session, from its transcript."""
    await stage.client.request("session/list", {})  # which has everything written first
    [path] = (stage.home / ".pilotfish" / "projects").glob(f"*/{chat.id}.jsonl")
    return [record.event for record in read_records(path)]


def session_data(events: Sequence[SessionEvent]) -> SessionData:
    """Return the state that some events come to."""
    data = SessionData()
    for seq, event in enumerate(events, start=1):
        data.apply(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT))
    return data


async def number_in(path: Path) -> int:
    """Return the number that a command writes into a file."""
    text = ""

    def is_written() -> bool:
        nonlocal text
        text = path.read_text(encoding="utf-8").strip() if path.exists() else ""
        return text != ""

    await until(is_written)
    return int(text)


def bash(command: str, **more: bool) -> ToolUse:
    """Return a call of a command."""
    return ToolUse("Bash", {"command": command, **more}, id=f"toolu_{abs(hash(command)) % 10**8}")
