"""What agents hear of their own edits from language servers: each of its own, where it works."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from tests.support.agent_scripts import agent, bodies, cast
from tests.support.chat import Chat, Question
from tests.support.git_folder import git, make_repository
from tests.support.stage import Stage, all_text, path_with_own_programs
from tests.support.waiting import until
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

GREET = 'def greet(name: str) -> str:\n    return "hello " + name\n'
CALLER = 'from lib import greet\n\ngreet("x")\n'
BROKEN_CALLER = "main.py:3:1: error: No argument provided for required parameter `loud`"


@pytest_asyncio.fixture(loop_scope="session")
async def stage(tmp_path: Path) -> AsyncIterator[Stage]:
    # A long wait: what is told must not depend on how busy the machine is.
    settings = tmp_path / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        '{"codeIntelligence": {"diagnosticsWaitMs": 30000, "quietLanguages": ["javascript"]}}'
    )
    variables = {"PATH": path_with_own_programs()}
    async with Stage.open(tmp_path, variables=variables) as stage:
        yield stage
        assert stage.fake.problems == []


def reading(*names: str) -> Turn:
    return Turn([ToolUse("Read", {"file_path": name}) for name in names])


def editing(name: str, old: str, new: str) -> ToolUse:
    return ToolUse("Edit", {"file_path": name, "old_string": old, "new_string": new})


def told(stage: Stage, name: str) -> str:
    """Return all that an agent was told up to its newest request."""
    return all_text(bodies(stage, name)[-1])


async def test_agents_that_edit_at_once_hear_each_of_its_own(stage: Stage) -> None:
    for name in ("a.py", "rest.py", "b.py"):
        stage.write(name, "x: int = 0\n")
    calls = [agent("ada: change it", call="toolu_a"), agent("ben: change it", call="toolu_b")]
    stage.play(
        cast(
            [Turn(calls), "Both."],
            ada=[
                reading("a.py", "rest.py"),
                Turn([editing("a.py", "0", "'a'"), editing("rest.py", "0", "1")]),
                "Ada.",
            ],
            ben=[reading("b.py"), Turn([editing("b.py", "0", "'b'")]), "Ben."],
        )
    )
    chat = await stage.chat()
    prompt = chat.send("Let two change it")
    # While ada still edits, ben begins and ends.
    await allow(chat, "a.py")
    await question_about(chat, "rest.py")
    await allow(chat, "b.py")
    await until(lambda: len(bodies(stage, "ben")) == 3)
    await allow(chat, "rest.py")
    assert await prompt.stop_reason() == "end_turn"
    ada, ben = told(stage, "ada"), told(stage, "ben")
    assert ("a.py:1:10: error" in ada, "b.py:1:10: error" in ada) == (True, False)
    assert ("a.py:1:10: error" in ben, "b.py:1:10: error" in ben) == (False, True)


async def question_about(chat: Chat, name: str) -> Question:
    def found() -> Question | None:
        asked = chat.questions()
        return next((one for one in asked if str(chat.cwd / name) in str(one.call)), None)

    return await chat.client.wait_until(found, f"question about {name}")


async def allow(chat: Chat, name: str) -> None:
    (await question_about(chat, name)).answer("allow_once")


@pytest.mark.parametrize("isolation", [{}, {"isolation": "worktree"}], ids=["beside", "apart"])
async def test_an_agent_hears_of_the_caller_that_it_breaks(
    stage: Stage, isolation: dict[str, Any]
) -> None:
    make_repository(stage.project, lib="x")
    for name, text in (("lib.py", GREET), ("main.py", CALLER)):
        stage.write(name, text)
    git(stage.project, "add", "-A")
    git(stage.project, "commit", "-q", "-m", "Python")
    change = Turn([editing("lib.py", "name: str", "name: str, loud: bool")])
    work = [reading("lib.py", "main.py"), change, "I see."]
    stage.play(cast([Turn([agent("ada: change it", **isolation)]), "Done."], ada=work))
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Change it") == "end_turn"
    assert BROKEN_CALLER in told(stage, "ada")
    assert "(fresh, from ty)" in told(stage, "ada")


async def test_a_language_that_is_kept_quiet_is_so_for_agents(stage: Stage) -> None:
    stage.write("a.js", "let x = 0;\n")
    work = [reading("a.js"), Turn([editing("a.js", "0;", "(;")]), "I see."]
    stage.play(cast([Turn([agent("ada: change it")]), "Done."], ada=work))
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Change it") == "end_turn"
    assert "diagnostics are new" not in told(stage, "ada")
