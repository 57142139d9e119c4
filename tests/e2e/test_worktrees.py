"""A session in a worktree: every tool, every rule and the prompt follow, and no work is lost."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_scripts import agent, cast, results_of
from tests.support.chat import Chat
from tests.support.git_folder import add_submodule, commit, git, make_repository
from tests.support.stage import Stage, all_text, text_of
from tests.support.waiting import until
from tests.support.wire_client import Json
from tools.fake_model import Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def execute(tool: str, params: dict[str, Any]) -> ToolUse:
    return ToolUse("ExecuteTool", {"tool_name": tool, "params": params})


def enter(name: str = "fix") -> Turn:
    return Turn([execute("EnterWorktree", {"name": name})])


def leave(action: str, **more: Any) -> Turn:
    return Turn([execute("ExitWorktree", {"action": action, **more})])


@pytest.fixture
def root(stage: Stage) -> Path:
    make_repository(stage.project, a="one\n", b="two\n")
    return stage.project.resolve()


def tree_of(root: Path, name: str = "fix") -> Path:
    return root / ".pilotfish" / "worktrees" / name


async def entered(stage: Stage, *after: Turn | str, mode: str = "acceptEdits") -> Chat:
    """Begin a session, enter the worktree ``fix`` with the user's consent, and go on with a script."""
    stage.play([enter(), "In."])
    chat = await stage.chat(permissionMode=mode)
    prompt = chat.send("Work in a worktree")
    question = await chat.question()
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    stage.play(list(after))
    return chat


def outputs(stage: Stage, count: int) -> list[str]:
    """Return the texts of the results of the first ``count`` model calls that had some."""
    return [text_of(one) for number in range(1, count + 1) for one in stage.results(number)]


async def test_whoever_enters_is_told_of_empty_submodules(stage: Stage, root: Path) -> None:
    add_submodule(root)
    stage.play([enter(), "In."])
    chat = await stage.chat()
    prompt = chat.send("Work in a worktree")
    (await chat.question()).answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert "submodules empty in a new worktree: inner." in outputs(stage, 1)[0]


def statuses(chat: Chat) -> list[Json]:
    """Return what the status line was told of a chat."""
    told = (one for one in chat.client.notifications if one["method"] == "_pilotfish/status")
    return [one["params"] for one in told if one["params"]["sessionId"] == chat.id]


async def test_all_tools_start_in_the_worktree_and_the_main_tree_stays(
    stage: Stage, root: Path
) -> None:
    chat = await entered(
        stage,
        Turn([ToolUse("Bash", {"command": "pwd"}), ToolUse("Glob", {"pattern": "*.txt"})]),
        Turn(
            [
                ToolUse("Grep", {"pattern": "one", "output_mode": "files_with_matches"}),
                ToolUse("Read", {"file_path": "a.txt"}),
            ]
        ),
        Turn([ToolUse("Edit", {"file_path": "a.txt", "old_string": "one", "new_string": "1"})]),
        Turn([ToolUse("Write", {"file_path": "c.py", "content": "def found():\n    pass\n"})]),
        Turn([ToolUse("LSP", {"operation": "document_symbols", "file_path": "c.py"})]),
        "Done.",
    )
    assert await chat.ask("Change it") == "end_turn"
    tree = tree_of(root)
    where, globbed = (text_of(one) for one in stage.results(1))
    assert where.strip().splitlines()[0] == str(tree)
    assert "a.txt" in globbed
    assert "b.txt" in globbed
    grepped, read = (text_of(one) for one in stage.results(2))
    assert "a.txt" in grepped
    assert "one" in read
    assert "found" in text_of(stage.results(5)[0])
    assert (tree / "a.txt").read_text(encoding="utf-8") == "1\n"
    assert (tree / "c.py").is_file()
    assert git(root, "status", "--porcelain") == ""
    assert (root / "a.txt").read_text(encoding="utf-8") == "one\n"
    # Nobody was asked about edits inside it.
    assert len(chat.questions()) == 1


async def test_the_users_own_line_knows_the_worktree_and_the_branch_that_was_left(
    stage: Stage, root: Path
) -> None:
    git(root, "checkout", "-q", "-b", "feature/one")
    script = "python3 -c 'import json, sys; print(json.dumps(json.load(sys.stdin)[\"worktree\"]))'"
    folder = stage.home / ".pilotfish"
    folder.mkdir(exist_ok=True)
    line = {"statusLine": {"type": "command", "command": script}}
    (folder / "settings.json").write_text(json.dumps(line), encoding="utf-8")
    chat = await entered(stage)
    expected = {
        "name": "fix",
        "path": str(tree_of(root)),
        "branch": "worktree/fix",
        "original_cwd": str(root),
        "original_branch": "feature/one",
    }
    await until(lambda: statuses(chat)[-1]["line"] == json.dumps(expected))


async def test_questions_about_code_are_answered_from_the_worktree(
    stage: Stage, root: Path
) -> None:
    (root / "code.py").write_text("def lighthouse():\n    return 1\n", encoding="utf-8")
    commit(root)
    symbols = ToolUse("LSP", {"operation": "workspace_symbols", "query": "lighthouse"})
    stage.play([Turn([symbols]), "There."])
    chat = await stage.chat()
    await chat.ask("Where is it?")
    assert "code.py" in text_of(stage.results()[0])
    chat = await entered(stage, Turn([symbols]), "Here.")
    await chat.ask("And here?")
    answer = text_of(stage.results()[0])
    assert "code.py" in answer
    assert str(root / "code.py") not in answer


async def test_the_prompt_names_the_folder_of_the_worktree(stage: Stage, root: Path) -> None:
    chat = await entered(stage, "Yes.", leave("keep"), "Out.", "Yes.")
    await chat.ask("Where are we?")
    system = json.dumps(stage.body()["system"])
    assert f"Working directory: {tree_of(root)}" in system
    place = {"path": str(tree_of(root)), "branch": "worktree/fix"}
    assert statuses(chat)[-1]["worktree"] == place
    await chat.ask("Leave")
    await until(lambda: statuses(chat)[-1]["worktree"] is None)
    await chat.ask("And now?")
    system = json.dumps(stage.body()["system"])
    assert f"Working directory: {root}\\n" in system


async def test_the_main_tree_is_outside_and_asks(stage: Stage, root: Path) -> None:
    chat = await entered(
        stage,
        Turn([ToolUse("Write", {"file_path": str(root / "new.txt"), "content": "x"})]),
    )
    prompt = chat.send("Write to the main tree")
    question = await chat.question(2)
    assert question.call["title"].endswith("new.txt")
    question.answer("reject_once")
    await prompt.stop_reason()
    assert not (root / "new.txt").exists()


async def test_what_is_forbidden_in_the_project_is_so_in_both_trees(
    stage: Stage, root: Path
) -> None:
    (root / "secret").mkdir()
    (root / "secret" / "key.txt").write_text("hidden-word", encoding="utf-8")
    commit(root)
    stage.settings(deny=["Read(./secret/**)"])
    chat = await entered(
        stage,
        Turn(
            [
                ToolUse("Read", {"file_path": "secret/key.txt"}),
                ToolUse("Read", {"file_path": str(root / "secret" / "key.txt")}),
                ToolUse("Grep", {"pattern": "hidden-word"}),
            ]
        ),
        "Refused.",
    )
    await chat.ask("Read the key")
    results = stage.results()
    assert [bool(one.get("is_error")) for one in results[:2]] == [True, True]
    assert "key.txt" not in text_of(results[2])


async def test_a_clean_worktree_goes_without_a_question(stage: Stage, root: Path) -> None:
    chat = await entered(stage, leave("remove"), "Out.")
    assert await chat.ask("Leave") == "end_turn"
    assert len(chat.questions()) == 1
    assert not tree_of(root).exists()
    assert git(root, "branch", "--list", "worktree/*") == ""
    assert f"The current folder is {root} again" in text_of(stage.results()[0])


async def test_work_is_not_removed_unasked_and_the_question_says_what_is_lost(
    stage: Stage, root: Path
) -> None:
    chat = await entered(
        stage,
        Turn([ToolUse("Write", {"file_path": "new.txt", "content": "x"})]),
        leave("remove"),
        leave("remove", discard_changes=True),
        "Out.",
    )
    prompt = chat.send("Leave")
    question = await chat.question(2)
    assert question.call["title"] == "Delete the worktree fix for good: 1 uncommitted file"
    assert tree_of(root).is_dir()
    refused = text_of(stage.results(2)[0])
    assert "is not removed: 1 uncommitted file" in refused
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert not tree_of(root).exists()


@pytest.mark.parametrize("discard", [False, True])
async def test_a_worktree_is_not_removed_from_under_an_agent(
    stage: Stage, root: Path, discard: bool
) -> None:
    chat = await entered(stage)
    there = Turn([ToolUse("Bash", {"command": "pwd"}, id="toolu_pwd")])
    wait = Turn("Looked.", faults=[Stall(before_headers=True, gate="ada")])
    main = [
        Turn([agent("ada: look", name="ada", run_in_background=True)]),
        leave("remove", discard_changes=discard),
        "It stays.",
        leave("remove"),
        "Out.",
    ]
    stage.play(cast(main, ada=[there, wait]))
    assert await chat.ask("Leave") == "end_turn"
    assert len(chat.questions()) == 1, "nobody is asked about what is not done"
    refused = text_of(results_of(stage, "Work in a worktree")[0])
    assert f"The worktree {tree_of(root)} is not removed: agents work in it" in refused
    stage.fake.release("ada")
    await chat.wait_for_text("Out.")
    assert not tree_of(root).exists()


@pytest.mark.parametrize("discard", [False, True])
async def test_a_worktree_is_not_removed_from_under_a_command(
    stage: Stage, root: Path, discard: bool
) -> None:
    def goes_on(call: str) -> Turn:
        command = {"command": "while true; do sleep 0.2; done", "run_in_background": True}
        return Turn([ToolUse("Bash", command, id=call)])

    chat = await stage.chat()
    chat.agree()

    async def does(turn: Turn) -> Json:
        """Have the model make one call, and return the result of it."""
        stage.play([turn, Turn("Noted.", repeat="forever")])
        assert await chat.ask("Go on") == "end_turn"
        return stage.results(1)[0]

    await does(goes_on("toolu_home"))  # bash_1, in the session's own folder
    await does(enter())
    await does(goes_on("toolu_tree"))  # bash_2
    refused = await does(leave("remove", discard_changes=discard))
    assert refused["is_error"]
    assert text_of(refused) == (
        f"The worktree {tree_of(root)} is not removed: commands run in it in the background "
        "(bash_2). Wait for their end, or stop them with TaskStop."
    )
    asked = [one.call["title"] for one in chat.questions()]
    assert not any("Delete the worktree" in title for title in asked)
    await does(Turn([ToolUse("TaskStop", {"task_id": "bash_2"})]))
    gone = await does(leave("remove"))
    assert "and its branch worktree/fix are gone" in text_of(gone)
    assert not tree_of(root).exists()


async def test_a_worktree_is_not_removed_from_under_another_chat(stage: Stage, root: Path) -> None:
    first = await entered(stage)
    second = await entered(
        stage, leave("remove"), "It stays.", leave("remove", discard_changes=True), "It stays."
    )
    for prompt in ("Leave", "Leave for good"):
        assert await second.ask(prompt) == "end_turn"
        refused = text_of(stage.results()[0])
        assert f"other conversations work in it ({first.id})" in refused
    assert len(second.questions()) == 1, "nobody is asked about what is not done"
    assert tree_of(root).is_dir()

    await stage.client.request("session/close", {"sessionId": first.id})
    stage.chats.remove(first)
    again, _ = await stage.reload(first.id)
    stage.play([leave("remove"), "It stays."])
    await second.ask("Leave now")
    assert first.id in text_of(stage.results()[0]), "taken up again, it is held again"

    await stage.client.request("session/close", {"sessionId": again.id})
    stage.chats.remove(again)
    stage.play([leave("remove"), "Out."])
    assert await second.ask("And now?") == "end_turn"
    assert not tree_of(root).exists()


async def test_an_unknown_state_is_told_before_anything_goes(stage: Stage, root: Path) -> None:
    chat = await entered(stage, leave("remove"), leave("remove", discard_changes=True))
    (root / ".git" / "worktrees" / "fix" / "index").write_bytes(b"broken")
    prompt = chat.send("Leave")
    question = await chat.question(2)
    assert "its state is unknown" in question.call["title"]
    question.answer("reject_once")
    await prompt.stop_reason()
    assert tree_of(root).is_dir()


async def test_a_kept_one_is_entered_again_with_its_work(stage: Stage, root: Path) -> None:
    chat = await entered(
        stage,
        Turn([ToolUse("Write", {"file_path": "new.txt", "content": "x"})]),
        leave("keep"),
        enter(),
        leave("remove"),
        "Stays.",
    )
    prompt = chat.send("Keep it")
    again = await chat.question(2)
    again.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert "is kept (1 uncommitted file)" in text_of(stage.results(2)[0])
    assert "was there already" in text_of(stage.results(3)[0])
    assert stage.results(4)[0]["is_error"]
    assert (tree_of(root) / "new.txt").is_file()


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("other", "already"),
        ("../x", "begins with a dot"),
        ("agent-7", "belong to worktrees of agents"),
    ],
)
async def test_what_cannot_be_entered_is_refused_without_a_question(
    stage: Stage, root: Path, name: str, why: str
) -> None:
    if name == "other":
        chat = await entered(stage, enter("other"), "No.")
        asked = 1
    else:
        stage.play([enter(name), "No."])
        chat = await stage.chat()
        asked = 0
    await chat.ask("Enter")
    (result,) = stage.results()
    assert result["is_error"]
    assert why in text_of(result)
    assert len(chat.questions()) == asked
    assert git(root, "worktree", "list").count("\n") == asked


async def test_leaving_what_was_not_entered_is_refused(stage: Stage, root: Path) -> None:
    git(root, "worktree", "add", "-q", str(tree_of(root, "mine")))
    stage.play([leave("remove", discard_changes=True), "No."])
    chat = await stage.chat()
    await chat.ask("Leave")
    assert "works in no worktree" in text_of(stage.results()[0])
    assert tree_of(root, "mine").is_dir()


async def test_git_is_not_run_in_a_folder_that_nobody_trusts(stage: Stage, root: Path) -> None:
    def trust(*, trusted: bool) -> None:
        settings = {"pilotfish": {"workspaceTrusted": trusted}}
        stage.client.notify("workspace/didChangeConfiguration", {"settings": settings})

    trust(trusted=False)
    try:
        stage.play([enter(), "No."])
        chat = await stage.chat()
        await chat.ask("Enter")
    finally:
        trust(trusted=True)
    assert "folders that the user trusts" in text_of(stage.results()[0])
    assert not (root / ".pilotfish").exists()


async def test_a_reloaded_session_is_in_its_worktree_again(stage: Stage, root: Path) -> None:
    chat = await entered(stage)
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.play([Turn([ToolUse("Bash", {"command": "pwd"})]), leave("remove"), "Out."])
    again, _ = await stage.reload(chat.id)
    await again.ask("Where?")
    assert outputs(stage, 1)[0].strip().splitlines()[0] == str(tree_of(root))
    assert not tree_of(root).exists()


async def test_a_reloaded_session_whose_worktree_is_gone_says_so(stage: Stage, root: Path) -> None:
    chat = await entered(stage)
    await stage.client.request("session/close", {"sessionId": chat.id})
    shutil.rmtree(tree_of(root))
    stage.play([Turn([ToolUse("Bash", {"command": "pwd"})]), "Here."])
    again, _ = await stage.reload(chat.id)
    await again.ask("Where?")
    assert outputs(stage, 1)[0].strip().splitlines()[0] == str(root)
    assert "is gone; it works in" in all_text(stage.body(0))


async def test_a_part_of_a_repository_stays_that_part(stage: Stage, root: Path) -> None:
    (root / "part").mkdir()
    (root / "part" / "p.txt").write_text("p", encoding="utf-8")
    commit(root)
    stage.project = root / "part"
    chat = await entered(
        stage,
        Turn([ToolUse("Bash", {"command": "pwd"})]),
        "Here.",
    )
    await chat.ask("Where?")
    assert outputs(stage, 1)[0].strip().splitlines()[0] == str(tree_of(root) / "part")
