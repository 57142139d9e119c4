"""A worktree is not removed from under a chat of another server."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_scripts import agent, cast
from tests.support.chat import Chat
from tests.support.git_folder import make_repository
from tests.support.mortal_server import server
from tests.support.stage import Stage, text_of
from tests.support.wire_client import WireError
from tools.fake_model import FakeModel, ToolUse, Turn


@pytest.fixture
async def fake() -> AsyncGenerator[FakeModel]:
    async with FakeModel() as made:
        yield made


def call(tool: str, **params: Any) -> Turn:
    return Turn([ToolUse("ExecuteTool", {"tool_name": tool, "params": params})])


async def asked(stage: Stage, chat: Chat, turn: Turn, text: str = "Go on") -> str:
    """Have the model make one call; returns what it is told."""
    stage.play([turn, "Done."])
    chat.agree()
    assert await chat.ask(text) == "end_turn"
    return text_of(stage.results(1)[0])


async def test_a_chat_of_another_server_keeps_the_worktree(fake: FakeModel, tmp_path: Path) -> None:
    root = make_repository(tmp_path / "project")
    tree = root / ".pilotfish" / "worktrees" / "fix"
    async with server(fake, tmp_path) as here, server(fake, tmp_path) as there:
        chat, other = await here.chat(), await there.chat()
        await asked(there, other, call("EnterWorktree", name="fix"))
        assert "is used again" in await asked(here, chat, call("EnterWorktree", name="fix"))
        pid = there.client.process.pid
        for discard in (False, True):
            (tree / "new.txt").write_text("x", encoding="utf-8")
            leave = call("ExitWorktree", action="remove", discard_changes=discard)
            told = await asked(here, chat, leave)
            assert f"other conversations work in it ({other.id} in the process {pid})" in told
            assert tree.is_dir()
        (tree / "new.txt").unlink()
        assert not any("Delete" in one.call["title"] for one in chat.questions())

        there.client.process.kill()  # what it has noted is no reason any more
        await there.client.wait_for_exit()
        told = await asked(here, chat, call("ExitWorktree", action="remove"))
        assert "are gone" in told
        assert not tree.exists()


async def test_a_chat_that_is_closed_keeps_it_no_longer(fake: FakeModel, tmp_path: Path) -> None:
    root = make_repository(tmp_path / "project")
    async with server(fake, tmp_path) as here, server(fake, tmp_path) as there:
        chat, other = await here.chat(), await there.chat()
        await asked(there, other, call("EnterWorktree", name="fix"))
        await asked(here, chat, call("EnterWorktree", name="fix"))
        await there.client.request("session/close", {"sessionId": other.id})
        again, _ = await there.reload(other.id)
        leave = call("ExitWorktree", action="remove")
        assert other.id in await asked(here, chat, leave), "taken up again, it is held again"
        await there.client.request("session/close", {"sessionId": again.id})
        assert "are gone" in await asked(here, chat, leave)
        assert not (root / ".pilotfish" / "worktrees" / "fix").exists()


async def test_an_agents_tree_that_is_open_in_another_window_stays(
    fake: FakeModel, tmp_path: Path
) -> None:
    root = make_repository(tmp_path / "project")
    async with server(fake, tmp_path, locale="zh-cn") as here, server(fake, tmp_path) as there:
        start = Turn([agent("ada: work", call="toolu_a", isolation="worktree")])
        work = Turn([ToolUse("Bash", {"command": "echo x > new.txt"})])
        here.play(cast([start, "Done."], ada=[work, "I did."]))
        chat = await here.chat(allowedTools=["Bash"])
        assert await chat.ask("Let it work") == "end_turn"
        [tree] = (root / ".pilotfish" / "worktrees").glob("agent-*")
        params = {"sessionId": chat.id, "agentId": tree.name.removeprefix("agent-")}
        await here.client.request("_pilotfish/agents/merge", params)

        there.project = tree  # a window whose folder is the worktree
        looking = await there.chat()
        with pytest.raises(WireError) as refused:
            await here.client.request("_pilotfish/agents/prune", params)
        pid = there.client.process.pid
        assert f"其他对话正在其中工作（{looking.id}，进程 {pid}）" in str(refused.value)
        assert "请先关闭这些聊天。" in str(refused.value)
        await there.client.request("session/close", {"sessionId": looking.id})
        await here.client.request("_pilotfish/agents/prune", params)
        assert not tree.exists()
