"""Agents with a working tree of their own: nobody's work gets lost or in anybody's way."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_scripts import NOTED, agent, bodies, cast
from tests.support.chat import Chat
from tests.support.git_folder import add_submodule, git, make_repository
from tests.support.stage import Stage, text_of
from tests.support.waiting import until, until_answer
from tools.fake_model import Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def root(stage: Stage) -> Path:
    make_repository(stage.project, a="one\ntwo\n")
    return stage.project.resolve()


def trees(root: Path) -> list[Path]:
    folder = root / ".pilotfish" / "worktrees"
    return sorted(path for path in folder.glob("agent-*") if path.is_dir())


def isolated(prompt: str, call: str, **more: Any) -> ToolUse:
    return agent(prompt, call=call, isolation="worktree", **more)


def change(new: str) -> list[str | Turn]:
    read = Turn([ToolUse("Read", {"file_path": "a.txt"})])
    edit = ToolUse("Edit", {"file_path": "a.txt", "old_string": "one", "new_string": new})
    return [read, Turn([edit]), f"I made it {new}."]


async def test_two_agents_change_the_same_file_and_both_keep_it(stage: Stage, root: Path) -> None:
    calls = [isolated("ada: change it", "toolu_a"), isolated("ben: change it", "toolu_b")]
    stage.play(cast([Turn(calls), "Both."], ada=change("ada"), ben=change("ben")))
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Let two change it") == "end_turn"
    assert chat.questions() == []
    assert (root / "a.txt").read_text(encoding="utf-8") == "one\ntwo\n"
    assert git(root, "status", "--porcelain") == ""
    texts = sorted((tree / "a.txt").read_text(encoding="utf-8") for tree in trees(root))
    assert texts == ["ada\ntwo\n", "ben\ntwo\n"]
    results = [text_of(one) for one in stage.results()]
    for tree in trees(root):
        [told] = [text for text in results if str(tree) in text]
        assert f"on the branch worktree/{tree.name}" in told


async def test_an_agent_that_changes_nothing_leaves_nothing(stage: Stage, root: Path) -> None:
    look = Turn([ToolUse("Bash", {"command": "pwd"}), ToolUse("Glob", {"pattern": "*.txt"})])
    stage.play(cast([Turn([isolated("ada: look", "toolu_a")]), "Seen."], ada=[look, "Seen it."]))
    chat = await stage.chat()
    assert await chat.ask("Look") == "end_turn"
    where = text_of(bodies(stage, "ada")[1]["messages"][-1]["content"][0])
    assert f"{root}/.pilotfish/worktrees/agent-" in where
    assert trees(root) == []
    assert git(root, "branch", "--list", "worktree/*") == ""
    assert "working tree" not in text_of(stage.results()[0])
    [system] = [str(body["system"]) for body in bodies(stage, "ada")[:1]]
    assert f"Working directory: {root}/.pilotfish/worktrees/agent-" in system


async def test_an_agent_knows_which_folders_git_has_left_empty(stage: Stage, root: Path) -> None:
    add_submodule(root)
    beside = agent("ben: look", call="toolu_b")
    stage.play(
        cast(
            [Turn([isolated("ada: look", "toolu_a"), beside]), "Seen."], ada=["Ada."], ben=["Ben."]
        )
    )
    chat = await stage.chat()
    assert await chat.ask("Look at it") == "end_turn"
    told = "Git leaves the folders of submodules empty in a new worktree: inner."
    assert told in str(bodies(stage, "ada")[0]["system"])
    assert told not in str(bodies(stage, "ben")[0]["system"])


async def test_the_main_tree_asks_and_what_is_forbidden_stays_so(stage: Stage, root: Path) -> None:
    (root / "secret").mkdir()
    (root / "secret" / "key.txt").write_text("hidden-word", encoding="utf-8")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "A secret")
    stage.settings(deny=["Read(./secret/**)"])
    tries = Turn(
        [
            ToolUse("Read", {"file_path": "secret/key.txt"}),
            ToolUse("Read", {"file_path": str(root / "secret" / "key.txt")}),
            ToolUse("Grep", {"pattern": "hidden"}),
        ]
    )
    stage.play(cast([Turn([isolated("ada: pry", "toolu_a")]), "No."], ada=[tries, "No luck."]))
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Pry") == "end_turn"
    results = bodies(stage, "ada")[1]["messages"][-1]["content"]
    assert [bool(one.get("is_error")) for one in results[:2]] == [True, True]
    assert not any("hidden-word" in text_of(one) for one in results)


async def test_the_news_of_a_background_agent_says_what_became_of_its_tree(
    stage: Stage, root: Path
) -> None:
    start = Turn([isolated("ada: change it", "toolu_a", run_in_background=True)])
    stage.play(cast([start, "Started.", "Heard."], ada=change("ada")))
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Start it")
    await chat.wait_for_text("Heard.")
    [tree] = trees(root)
    assert f"<worktree><path>{tree}</path><branch>worktree/{tree.name}</branch>" in str(
        stage.body()["messages"]
    )


@pytest.mark.parametrize("works", [False, True])
async def test_an_agent_moved_to_the_background_has_its_tree_until_its_end(
    stage: Stage, root: Path, works: bool
) -> None:
    held = Turn("I am done.", faults=[Stall(before_headers=True, gate="ada")])
    turns = [*change("ada")[:2], held] if works else [held]
    stage.play(cast([Turn([isolated("ada: work", "toolu_a")]), "Moved.", NOTED], ada=turns))
    chat = await stage.chat(permissionMode="acceptEdits")
    prompt = chat.send("Start it")
    await stage.fake.wait_for_stall("ada")
    params = {"sessionId": chat.id, "toolCallId": "toolu_a"}
    assert await chat.client.request("_pilotfish/agents/background", params) == {"moved": True}
    assert await prompt.stop_reason() == "end_turn"
    [tree] = trees(root)  # whoever moves it does not tidy up
    stage.fake.release("ada")
    await chat.wait_for_text("Noted.")
    told = str(stage.body()["messages"])
    assert told.count("<task-notification>") == 1
    assert (f"<worktree><path>{tree}</path>" in told) == works
    assert trees(root) == ([tree] if works else [])  # the news wait for what became of it


@pytest.mark.parametrize("works", [False, True])
async def test_whoever_worked_in_the_tree_of_another_names_it_no_longer_than_that_one(
    stage: Stage, root: Path, works: bool
) -> None:
    async def places(chat: Chat) -> dict[str, tuple[str, bool] | None]:
        """Return the tree of each listed agent by its name, and whether it is known to hold work."""
        found = await stage.client.request("_pilotfish/agents/list", {"sessionId": chat.id})
        listed = [(one["name"], one["worktree"]) for one in found["agents"]]
        return {name: tree and (tree["path"], tree["changed"]) for name, tree in listed}

    ada = isolated("ada: change it", "toolu_a", run_in_background=True, name="ada")
    ben = agent("ben: look", call="toolu_b", run_in_background=True, name="ben")
    work = change("ada") if works else ["I looked."]
    held = Turn("Grass.", faults=[Stall(before_headers=True, gate="ben")])
    stage.play(cast([Turn([ada]), NOTED], ada=[Turn([ben]), *work, NOTED], ben=[held]))
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Start it")
    await stage.fake.wait_for_stall("ben")
    # So that the news of its end comes after the last answer of the work.
    await until(lambda: len(bodies(stage, "ada")) == 1 + len(work))
    [tree] = trees(root)
    unsure, kept = (str(tree), False), (str(tree), True)
    assert await places(chat) == {"ada": unsure, "ben": unsure}
    stage.fake.release("ben")

    async def is_settled() -> bool:
        end = kept if works else None
        return await places(chat) == {"ada": end, "ben": end}

    await until_answer(is_settled)
    if works:
        for what in ("merge", "prune"):
            one = {"sessionId": chat.id, "agentId": tree.name.removeprefix("agent-")}
            await stage.client.request(f"_pilotfish/agents/{what}", one)
        assert await places(chat) == {"ada": None, "ben": None}
    assert trees(root) == []


async def test_git_that_cannot_make_one_starts_no_agent(stage: Stage, root: Path) -> None:
    git(root, "config", "filter.x.smudge", "cat")
    stage.play([Turn([isolated("ada: look", "toolu_a")]), "No."])
    chat = await stage.chat()
    assert await chat.ask("Look") == "end_turn"
    [result] = stage.results()
    assert result["is_error"]
    assert "filter.x.smudge" in text_of(result)
    assert bodies(stage, "ada: look")[:1] == []
    assert not trees(root)


async def test_an_ended_agent_frees_the_tasks_it_had_taken(stage: Stage, root: Path) -> None:
    take = Turn([ToolUse("TaskUpdate", {"taskId": "1", "status": "in_progress"})])
    stage.play(
        cast(
            [
                Turn([ToolUse("TaskCreate", {"subject": "Do it", "description": "…"})]),
                Turn([agent("ada: take it", call="toolu_a", name="ada")]),
                Turn([ToolUse("TaskList", {})]),
                "Free.",
            ],
            ada=[take, "I give up."],
        )
    )
    chat = await stage.chat()
    await chat.ask("Hand it out")
    taken = text_of(bodies(stage, "ada: take it")[1]["messages"][-1]["content"][0])
    assert "owner: ada" in taken
    assert text_of(stage.results()[0]) == "#1 [pending] Do it"
