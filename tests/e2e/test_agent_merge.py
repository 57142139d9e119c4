"""Bringing an agent's work into the main tree: nothing that is there gets lost."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_scripts import agent, cast
from tests.support.chat import Chat
from tests.support.git_folder import add_submodule, git, make_repository
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


async def test_a_tree_goes_once_all_of_it_is_in_the_main_one(stage: Stage, root: Path) -> None:
    chat, agent_id = await worked(
        stage,
        "sed -i 's/line 2/LINE 2/' a.txt && rm gone.txt && git mv mine.txt renamed.txt",
        "echo new > new.txt",
    )
    tree = root / ".pilotfish" / "worktrees" / f"agent-{agent_id}"
    # What the user has done to the same file is no hindrance: the agent's lines are in it.
    (root / "a.txt").write_text(LINES.replace("line 8", "eight"), encoding="utf-8")
    with pytest.raises(Exception, match=r"a\.txt is not the same in"):
        await ask(stage, "prune", chat, agent_id)
    done = await ask(stage, "merge", chat, agent_id)
    assert done["refused"] == []
    assert {Path(one).name for one in done["changed"]} == {
        "a.txt", "gone.txt", "mine.txt", "new.txt", "renamed.txt",
    }  # fmt: skip
    assert (root / "renamed.txt").read_text(encoding="utf-8") == "mine\n"
    assert not (root / "mine.txt").exists()
    listed = await stage.client.request("_pilotfish/agents/list", {"sessionId": chat.id})
    assert [one["agentId"] for one in listed["withWork"]] == [agent_id]
    assert await ask(stage, "prune", chat, agent_id) == {"branch": ""}
    assert not tree.exists()
    assert git(root, "branch", "--list", "worktree/*").strip() == ""
    listed = await stage.client.request("_pilotfish/agents/list", {"sessionId": chat.id})
    assert listed["withWork"] == []
    with pytest.raises(Exception, match="no worktree"):
        await ask(stage, "prune", chat, agent_id)


async def test_commits_that_are_nowhere_else_keep_their_branch(stage: Stage, root: Path) -> None:
    chat, agent_id = await worked(
        stage, "echo x > x.txt && git add -A && git -c user.name=A -c user.email=a@b commit -qm x"
    )
    await ask(stage, "merge", chat, agent_id)
    branch = f"worktree/agent-{agent_id}"
    assert await ask(stage, "prune", chat, agent_id) == {"branch": branch}
    assert git(root, "log", "--format=%s", "-1", branch).strip() == "x"
    assert not (root / ".pilotfish" / "worktrees" / f"agent-{agent_id}").exists()


@pytest.mark.parametrize(
    ("command", "why"),
    [
        ("printf '\\000\\001' > picture.bin", r"picture\.bin is not the same"),
        ("ln -s a.txt link", "link is not the same"),
        ("chmod +x a.txt", r"a\.txt is not the same"),
        ("echo 1 > s.txt && git add s.txt && echo 2 > s.txt", r"staged of s\.txt"),
        ("echo 1 > s.txt && git add s.txt && rm s.txt", r"staged of s\.txt"),
        (
            "git checkout -q --detach && git -c user.name=A -c user.email=a@b commit -q "
            "--allow-empty -m loose && echo x > a.txt",
            "commits that are on no branch",
        ),
    ],
)
async def test_a_tree_with_what_is_nowhere_else_stays(
    stage: Stage, root: Path, command: str, why: str
) -> None:
    chat, agent_id = await worked(stage, command)
    await ask(stage, "merge", chat, agent_id)
    with pytest.raises(Exception, match=why):
        await ask(stage, "prune", chat, agent_id)
    tree = root / ".pilotfish" / "worktrees" / f"agent-{agent_id}"
    assert git(tree, "status", "--porcelain").strip() != ""
    # What the user copies by hand is as good as merged.
    if "picture" in command:
        (root / "picture.bin").write_bytes(b"\0\1")
        assert await ask(stage, "prune", chat, agent_id) == {"branch": ""}


async def test_a_submodule_that_an_agent_filled_keeps_its_tree(stage: Stage, root: Path) -> None:
    add_submodule(root, "lib")
    chat, agent_id = await worked(stage, "echo mine > lib/notes.txt && echo x > new.txt")
    done = await ask(stage, "merge", chat, agent_id)
    assert [Path(one).name for one in done["changed"]] == ["new.txt"]
    with pytest.raises(Exception, match="folder of the submodule lib"):
        await ask(stage, "prune", chat, agent_id)
    tree = root / ".pilotfish" / "worktrees" / f"agent-{agent_id}"
    assert (tree / "lib" / "notes.txt").read_text(encoding="utf-8") == "mine\n"


async def test_a_tree_that_somebody_removed_by_hand_is_no_row_any_more(
    stage: Stage, root: Path
) -> None:
    chat, agent_id = await worked(stage, "echo x > new.txt")
    tree = root / ".pilotfish" / "worktrees" / f"agent-{agent_id}"
    shutil.rmtree(tree)
    for what in ("compare", "merge", "prune"):
        with pytest.raises(Exception, match="no worktree"):
            await ask(stage, what, chat, agent_id)
    listed = await stage.client.request("_pilotfish/agents/list", {"sessionId": chat.id})
    assert listed["withWork"] == []
