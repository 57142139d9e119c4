"""Bringing an agent's work into the main tree: nothing that is there gets lost."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_scripts import agent, cast
from tests.support.chat import Chat
from tests.support.git_folder import git, make_repository
from tests.support.stage import Stage, all_text
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

LINES = "".join(f"line {number}\n" for number in range(1, 10))


@pytest.fixture
def root(stage: Stage) -> Path:
    make_repository(stage.project, a=LINES, gone="old\n", mine="mine\n")
    return stage.project.resolve()


async def worked(stage: Stage, *commands: str, after: tuple[str, ...] = ()) -> tuple[Chat, str]:
    """Have an agent run commands in a worktree of its own; returns the chat and the agent's id."""
    shell = [ToolUse("Bash", {"command": command}) for command in commands]
    start = Turn([agent("ada: work", call="toolu_a", isolation="worktree")])
    stage.play(cast([start, "Done.", *after], ada=[Turn(shell), "I did."]))
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("Let it work") == "end_turn"
    [tree] = (stage.project / ".pilotfish" / "worktrees").glob("agent-*")
    return chat, tree.name.removeprefix("agent-")


async def ask(stage: Stage, what: str, chat: Chat, agent_id: str) -> dict[str, Any]:
    params = {"sessionId": chat.id, "agentId": agent_id}
    return await stage.client.request(f"_pilotfish/agents/{what}", params)


async def test_each_kind_of_change_is_told_and_merged(stage: Stage, root: Path) -> None:
    chat, agent_id = await worked(
        stage,
        "sed -i 's/line 2/LINE 2/' a.txt && git add -A && git -c user.name=A -c user.email=a@b "
        "commit -qm 'a commit'",
        "rm gone.txt",
        "echo theirs > mine.txt",
        "mkdir -p sub && printf '#!/bin/sh\\n' > sub/run.sh && chmod +x sub/run.sh",
        "ln -s a.txt link && printf '\\000\\001' > picture.bin",
        after=("Yes.",),
    )
    # What the user has done meanwhile, none of it committed.
    (root / "a.txt").write_text(LINES.replace("line 8", "eight"), encoding="utf-8")
    (root / "mine.txt").write_text("my own\n", encoding="utf-8")
    found = await ask(stage, "compare", chat, agent_id)
    assert found["branch"] == f"worktree/agent-{agent_id}"
    actions = {
        Path(one["path"]).relative_to(root).as_posix(): one["action"] for one in found["files"]
    }
    assert actions == {
        "a.txt": "merge",
        "gone.txt": "delete",
        "link": "conflict",
        "mine.txt": "conflict",
        "picture.bin": "conflict",
        "sub/run.sh": "create",
    }
    assert (root / "gone.txt").exists()
    done = await ask(stage, "merge", chat, agent_id)
    assert (root / "a.txt").read_text(encoding="utf-8") == LINES.replace("line 8", "eight").replace(
        "line 2", "LINE 2"
    )
    assert not (root / "gone.txt").exists()
    assert (root / "mine.txt").read_text(encoding="utf-8") == "my own\n"
    assert (root / "sub" / "run.sh").stat().st_mode & 0o111
    refused = {Path(one["path"]).name: one["reason"] for one in done["refused"]}
    assert set(refused) == {"mine.txt", "link", "picture.bin"}
    assert "same lines" in refused["mine.txt"]
    # Git's own state is as it was, and a second time there is nothing left to do.
    assert git(root, "log", "--oneline").count("\n") == 0
    again = await ask(stage, "merge", chat, agent_id)
    assert again["changed"] == []
    await chat.ask("What now?")
    assert f"brought the changes of the agent {agent_id} into this tree" in all_text(stage.body())


async def test_a_link_in_the_main_tree_leads_no_write_out_of_it(
    stage: Stage, root: Path, tmp_path: Path
) -> None:
    chat, agent_id = await worked(stage, "mkdir out && echo evil > out/x.txt")
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "out").symlink_to(outside)
    done = await ask(stage, "merge", chat, agent_id)
    assert done["changed"] == []
    assert "leads it out" in done["refused"][0]["reason"]
    assert list(outside.iterdir()) == []


async def test_what_cannot_be_merged_says_why(stage: Stage, root: Path) -> None:
    chat, agent_id = await worked(stage, "echo x > new.txt")
    for wrong, why in (("nobody", "no agent"), (agent_id, "no worktree")):
        if wrong == agent_id:
            git(root, "worktree", "remove", "--force", f".pilotfish/worktrees/agent-{agent_id}")
        with pytest.raises(Exception, match=why):
            await ask(stage, "compare", chat, wrong)
