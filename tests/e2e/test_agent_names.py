"""Names of agents: the latest one of a name has it, and whoever gave it is told."""

import pytest

from tests.e2e.test_background_agents import begun, ended_turns, held, result_of
from tests.support.agent_scripts import NOTED, agent, agent_files, bodies, cast
from tests.support.stage import Stage
from tests.support.waiting import until
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def write(text: str) -> Turn:
    message = {"to": "scout", "message": text, "summary": "one thing more"}
    return Turn([ToolUse("SendMessage", message, id="toolu_write")])


async def test_the_latest_agent_of_a_name_has_it_and_the_model_is_told_of_the_other(
    stage: Stage,
) -> None:
    first = agent("alpha: look", call="toolu_alpha", name="scout")
    second = agent("beta: look", call="toolu_beta", name="scout")
    main = [Turn([first]), Turn([second]), write("Which one are you?"), NOTED]
    stage.play(cast(main, alpha=["I am alpha."], beta=["I am beta.", "Still beta."]))
    chat = await stage.chat()
    assert await chat.ask("Look around") == "end_turn"
    await until(lambda: len(bodies(stage, "beta")) == 2)
    assert "Which one are you?" in str(bodies(stage, "beta")[-1]["messages"][-1])
    alpha, beta = (
        next(
            path.stem.removeprefix("agent-")
            for path in agent_files(stage, chat.id)
            if word in path.read_text()
        )
        for word in ("alpha: look", "beta: look")
    )
    assert "scout meant" not in result_of(stage, "toolu_alpha")
    assert f"[scout meant the agent {alpha} before and means {beta} now" in result_of(
        stage, "toolu_beta"
    )


async def test_a_name_that_is_the_id_of_another_agent_is_told_to_mean_that_one(
    stage: Stage,
) -> None:
    stage.play(cast([Turn([begun()]), NOTED], scout=[held("There is a pond.")]))
    chat = await stage.chat()
    await chat.ask("Look around")
    stage.fake.release()
    await ended_turns(chat, 2)
    [path] = agent_files(stage, chat.id)
    taken = path.stem.removeprefix("agent-")
    one = agent("beta: look", call="toolu_beta", name=taken)
    stage.play(cast([Turn([one]), NOTED], beta=["I am beta."]))
    await chat.ask("And again")
    told = result_of(stage, "toolu_beta")
    assert f"[{taken} means the agent {taken}; write to this one by its id" in told


async def test_the_name_of_the_main_conversation_is_refused(stage: Stage) -> None:
    one = agent("beta: look", call="toolu_beta", name="main")
    stage.play(cast([Turn([one]), "So be it."]))
    chat = await stage.chat()
    await chat.ask("Look around")
    assert "main is the conversation itself" in result_of(stage, "toolu_beta")
    assert bodies(stage, "beta") == []
