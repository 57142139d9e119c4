"""Scripts for a model that starts agents.

Owns: the call of Agent, and answers that belong to one agent, told apart by the task that it was given.
"""

from pathlib import Path
from typing import Any

from pilotfish.core.events import EventRecord
from pilotfish.session.transcript_reader import read_records

from tests.support.stage import Stage
from tests.support.wire_client import Json
from tools.fake_model import ToolUse, Turn
from tools.fake_model.scenario import Scenario, Script
from tools.fake_model.turns import When


def agent(
    prompt: str, kind: str = "general-purpose", *, call: str = "toolu_agent", **more: Any
) -> ToolUse:
    """Return a call that starts an agent."""
    given = {"description": "a small task", "prompt": prompt, "subagent_type": kind, **more}
    return ToolUse("Agent", given, id=call)


def cast(main: list[str | Turn], **agents: list[str | Turn]) -> Scenario:
    """Return a scenario: what the main model says, and what each agent says.

    An agent is known by its name here, which has to be in the prompt that it is given.
    """
    scripts = [
        Script(when=When(first_user_text=name), turns=turns) for name, turns in agents.items()
    ]
    return Scenario(main, scripts=scripts)


def bodies(stage: Stage, word: str) -> list[Json]:
    """Return the requests of the conversation that begins with a word, oldest first."""
    found: list[Json] = [dict(request.body) for request in stage.fake.requests]
    return [body for body in found if word in str(body["messages"][0]["content"])]


def agent_files(stage: Stage, session_id: str) -> list[Path]:
    """Return the transcripts of a session's agents."""
    folder = stage.home / ".pilotfish" / "projects"
    return sorted(folder.glob(f"*/{session_id}/agent-*.jsonl"))


def session_events(stage: Stage, session_id: str) -> list[EventRecord]:
    """Return what is in a session's transcript."""
    [path] = (stage.home / ".pilotfish" / "projects").glob(f"*/{session_id}.jsonl")
    return list(read_records(path))
