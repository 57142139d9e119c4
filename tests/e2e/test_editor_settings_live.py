"""Settings that the user changes in the editor while sessions are open: no restart, one test a kind."""

from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from tests.support.stage import Stage, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

QUIET: dict[str, Any] = {"workspaceTrusted": True}


def says(stage: Stage, **settings: Any) -> None:
    """Send the editor's settings as they are now."""
    ours = {"settings": {"pilotfish": {**QUIET, **settings}}}
    stage.client.notify("workspace/didChangeConfiguration", ours)


@pytest_asyncio.fixture(loop_scope="session")
async def set_stage(stage: Stage) -> AsyncIterator[Stage]:
    says(stage)
    yield stage
    says(stage)


def touch(name: str) -> Turn:
    return Turn([ToolUse("Bash", {"command": f"touch {name}"})])


async def test_a_rule_settles_a_question_that_waits(set_stage: Stage) -> None:
    set_stage.play([touch("a"), "Not now."])
    chat = await set_stage.chat()
    prompt = chat.send("Do it")
    await chat.question()
    says(set_stage, permissions={"deny": ["Bash(touch:*)"]})

    assert await prompt.stop_reason() == "end_turn"
    assert "Bash(touch:*)" in text_of(set_stage.results()[0])
    assert not (set_stage.project / "a").exists()


async def test_a_limit_counts_from_the_next_turn_on(set_stage: Stage) -> None:
    set_stage.play(["Hello.", touch("a")])
    chat = await set_stage.chat()
    await chat.ask("Hi")
    says(set_stage, maxTurns=1, permissions={"allow": ["Bash(touch:*)"]})

    assert await chat.ask("Touch it") == "max_turn_requests"


async def test_a_model_counts_from_the_next_session_on(set_stage: Stage) -> None:
    set_stage.play(["One.", "Two."])
    await (await set_stage.chat()).ask("Hi")
    says(set_stage, model={"name": "claude-haiku-4-5"})
    await (await set_stage.chat()).ask("And now?")

    assert set_stage.body(0)["model"] != "claude-haiku-4-5"
    assert set_stage.body(1)["model"] == "claude-haiku-4-5"


async def test_what_is_unset_leaves_the_word_to_the_files(set_stage: Stage) -> None:
    set_stage.write(".pilotfish/settings.local.json", '{"maxTurns": 1}')
    set_stage.play([touch("a"), "Done.", touch("b")])
    says(set_stage, maxTurns=9, permissions={"allow": ["Bash(touch:*)"]})
    chat = await set_stage.chat()
    assert await chat.ask("Touch one") == "end_turn"
    says(set_stage, permissions={"allow": ["Bash(touch:*)"]})

    assert await chat.ask("Touch the other") == "max_turn_requests"
