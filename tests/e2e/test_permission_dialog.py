"""Questions to the user and what the answers do."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.stage import Stage, all_text, assert_paired, names_in, text_of
from tests.support.waiting import until_answer
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

PYTHON = "x = 1\ny = 2\n"

MUCH = 11 * 1024 * 1024
"""More characters than a message may have."""


def bash(command: str) -> ToolUse:
    return ToolUse("Bash", {"command": command})


def write(name: str = "new.txt", text: str = "new\n") -> ToolUse:
    return ToolUse("Write", {"file_path": name, "content": text})


def edit(old: str, new: str, name: str = "a.py") -> list[ToolUse]:
    return [
        ToolUse("Read", {"file_path": name}),
        ToolUse("Edit", {"file_path": name, "old_string": old, "new_string": new}),
    ]


async def test_allow_once_runs_this_call_and_asks_for_the_next(stage: Stage) -> None:
    command = "touch made.txt"
    stage.play([Turn([bash(command)]), "One.", Turn([bash(command)]), "Two."])
    chat = await stage.chat()
    first = chat.send("Touch it")
    question = await chat.question(1)
    assert question.call["title"] == command
    assert question.call["kind"] == "execute"
    assert question.options == ["allow_once", "allow_always", "reject_once"]
    assert question.meta["reason"]
    state = await chat.client.wait_for(
        "_pilotfish/session/state",
        lambda one: one["sessionId"] == chat.id and one["state"] == "requires_action",
    )
    assert state["waitingFor"] == command
    question.answer("allow_once")
    assert await first.stop_reason() == "end_turn"
    assert (stage.project / "made.txt").exists()
    decision = chat.facts("decision")[-1]["decision"]
    assert (decision["behavior"], decision["phase"]) == ("allow", "user")

    second = chat.send("Again")
    (await chat.question(2)).answer("allow_once")
    assert await second.stop_reason() == "end_turn"


async def test_a_question_shows_what_is_hidden_in_its_title(stage: Stage) -> None:
    stage.play([Turn([write("a\u202etxt.exe")])])
    chat = await stage.chat()
    prompt = chat.send("Write it")
    question = await chat.question()
    assert "a\\u202etxt.exe" in question.call["title"]
    assert question.call["rawInput"]["file_path"] == "a\u202etxt.exe"
    question.answer("reject_once")
    await prompt.stop_reason()


async def test_allow_always_for_the_session_asks_no_more_in_it(stage: Stage) -> None:
    stage.play(
        [Turn([bash("touch a")]), "One.", Turn([bash("touch b")]), "Two.", Turn([bash("touch c")])]
    )
    chat = await stage.chat()
    first = chat.send("a")
    question = await chat.question()
    assert question.meta["suggestions"][0]["rule"] == "Bash(touch:*)"
    question.answer("allow_always", destination="session")
    assert await first.stop_reason() == "end_turn"
    assert await chat.ask("b") == "end_turn"
    assert len(chat.questions()) == 1
    assert not (stage.project / ".pilotfish").exists()

    other = await stage.chat()
    prompt = other.send("c")
    (await other.question()).answer("reject_once")
    assert await prompt.stop_reason() == "cancelled"


async def test_allow_always_for_the_project_is_kept_in_its_local_settings(stage: Stage) -> None:
    stage.play([Turn([bash("touch a")]), "One.", Turn([bash("touch b")]), "Two."])
    chat = await stage.chat()
    first = chat.send("a")
    (await chat.question()).answer("allow_always", destination="local")
    assert await first.stop_reason() == "end_turn"
    kept = json.loads((stage.project / ".pilotfish/settings.local.json").read_text())
    assert kept["permissions"]["allow"] == ["Bash(touch:*)"]

    other = await stage.chat()
    assert await other.ask("b") == "end_turn"
    assert other.questions() == []
    listed = await other.client.request("_pilotfish/permissions/list", {"sessionId": other.id})
    shown = {(one["rule"], one["behavior"], one["source"]) for one in listed["rules"]}
    assert ("Bash(touch:*)", "allow", "localSettings") in shown


async def test_a_rejection_stops_the_turn(stage: Stage) -> None:
    stage.play([Turn([write("a.txt"), write("b.txt")]), "What now?"])
    chat = await stage.chat()
    prompt = chat.send("Write both")
    (await chat.question()).answer("reject_once")
    assert await prompt.stop_reason() == "cancelled"
    assert chat.turns()[-1]["reason"] == "refused"
    assert names_in(stage.project) == []
    assert await chat.ask("Never mind") == "end_turn"
    assert_paired(stage.body())
    assert len(chat.questions()) == 1


async def test_closing_the_dialog_counts_as_a_rejection(stage: Stage) -> None:
    stage.play([Turn([write()])])
    chat = await stage.chat()
    prompt = chat.send("Write it")
    question = await chat.question()
    chat.client.reply(question.id, {"outcome": {"outcome": "cancelled"}})
    assert await prompt.stop_reason() == "cancelled"


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {},
        {"outcome": "allow_once"},
        {"outcome": {"outcome": "selected"}},
        {"outcome": {"outcome": "selected", "optionId": 5}},
        {"outcome": {"outcome": "selected", "optionId": "allow_once"}, "_meta": 7},
        {
            "outcome": {"outcome": "selected", "optionId": "allow_once"},
            "_meta": {"pilotfish": {"updatedInput": "x"}},
        },
    ],
    ids=json.dumps,
)
async def test_an_answer_that_makes_no_sense_allows_nothing(stage: Stage, answer: Any) -> None:
    stage.play([Turn([write()])])
    chat = await stage.chat()
    prompt = chat.send("Write it")
    question = await chat.question()
    chat.client.reply(question.id, answer)
    assert await prompt.stop_reason() == "cancelled"
    assert names_in(stage.project) == []


@pytest.mark.parametrize(
    "answer",
    [
        {"error": {"code": -32603, "message": "no window"}},
        {"error": "no window"},
        {
            "jsonrpc": "1.0",
            "result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}},
        },
        {"result": {"outcome": {"outcome": "selected", "optionId": "allow_once"}, "x": "x" * MUCH}},
    ],
    ids=["error", "text as error", "other version", "too long"],
)
async def test_a_client_that_fails_to_ask_leaves_nothing_hanging(
    stage: Stage, answer: dict[str, Any]
) -> None:
    stage.play([Turn([write()]), "Nobody answered."])
    chat = await stage.chat()
    prompt = chat.send("Write it")
    question = await chat.question()
    chat.client.send({"jsonrpc": "2.0", "id": question.id} | answer)
    assert await prompt.stop_reason() == "end_turn"
    assert "withdrawn" in text_of(stage.results()[0])
    assert names_in(stage.project) == []


async def test_feedback_goes_to_the_model_and_the_turn_goes_on(stage: Stage) -> None:
    stage.play([Turn([write("a.txt")]), Turn([write("b.txt")]), "Renamed."])
    chat = await stage.chat()
    prompt = chat.send("Write it")
    (await chat.question(1)).answer("reject_once", feedback="Call it b.txt")
    second = await chat.question(2)
    assert "Call it b.txt" in text_of(stage.results(1)[0])
    second.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert names_in(stage.project) == ["b.txt"]


async def test_the_dialog_shows_exactly_what_would_be_written(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.play([Turn(edit("x = 1", "x = 10")), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Change x")
    question = await chat.question()
    assert question.call["content"] == [
        {"type": "diff", "path": str(path), "oldText": PYTHON, "newText": "x = 10\ny = 2\n"}
    ]
    assert question.meta["preflight"] == []
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert path.read_text() == "x = 10\ny = 2\n"


async def test_what_the_user_made_of_the_proposal_is_written(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.play([Turn(edit("x = 1", "x = 10")), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Change x")
    (await chat.question()).answer("allow_once", editedText="x = 11\ny = 3\n")
    assert await prompt.stop_reason() == "end_turn"
    assert path.read_text() == "x = 11\ny = 3\n"
    assert "x = 11" in text_of(stage.results()[1])
    assert "The user changed your proposal" in text_of(stage.results()[1])
    assert "line 1: `x = 10` was changed" in text_of(stage.results()[1])


async def test_the_model_hears_which_parts_of_its_proposal_were_refused(stage: Stage) -> None:
    path = stage.write("a.py", "x = 1\n\n\ny = 2\n\n\nz = 3\n")
    write = ToolUse("Write", {"file_path": "a.py", "content": "x = 10\n\n\ny = 20\n\n\nz = 30\n"})
    stage.play([Turn([ToolUse("Read", {"file_path": "a.py"})]), Turn([write]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Change all")
    (await chat.question()).answer("allow_once", editedText="x = 10\n\n\ny = 2\n\n\nz = 30\n")
    assert await prompt.stop_reason() == "end_turn"
    assert path.read_text() == "x = 10\n\n\ny = 2\n\n\nz = 30\n"
    told = text_of(stage.results()[0])
    assert "of 3 changed places 2 were accepted as they are" in told
    assert "- line 4: `y = 20` was refused; the old text stays" in told


async def test_a_changed_command_runs_instead(stage: Stage) -> None:
    stage.play([Turn([bash("touch a")]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Touch")
    (await chat.question()).answer("allow_once", updatedInput={"command": "touch b"})
    assert await prompt.stop_reason() == "end_turn"
    assert names_in(stage.project) == ["b"]


async def test_a_change_that_cannot_run_is_explained(stage: Stage) -> None:
    stage.play([Turn([bash("touch a")]), "I see."])
    chat = await stage.chat()
    prompt = chat.send("Touch")
    (await chat.question()).answer("allow_once", updatedInput={"order": "touch b"})
    assert await prompt.stop_reason() == "end_turn"
    assert "`command` is required" in text_of(stage.results()[0])
    assert names_in(stage.project) == []


async def test_an_edit_that_breaks_the_syntax_is_announced(stage: Stage) -> None:
    stage.write("a.py", PYTHON)

    async def is_announced() -> bool:
        """Tell whether the dialog knew; a busy machine may take longer than it waits."""
        stage.play([Turn(edit("x = 1", "x = (1"))])
        chat = await stage.chat()
        prompt = chat.send("Break it")
        question = await chat.question()
        question.answer("reject_once")
        assert await prompt.stop_reason() == "cancelled"
        return len(question.meta["preflight"]) == 1

    await until_answer(is_announced)


async def test_a_file_of_ours_offers_no_lasting_grant(stage: Stage) -> None:
    stage.play([Turn([write(".pilotfish/settings.json", "{}")])])
    chat = await stage.chat(permissionMode="acceptEdits")
    prompt = chat.send("Open all doors")
    question = await chat.question()
    assert question.options == ["allow_once", "reject_once"]
    assert question.meta["hideAlways"] is True
    question.answer("reject_once")
    assert await prompt.stop_reason() == "cancelled"


async def test_secrets_of_the_environment_are_shown_to_the_model_only_when_agreed_to(
    tmp_path: Path,
) -> None:
    async with Stage.open(tmp_path, variables={"DEPLOY_TOKEN": "s3cr3t-s3cr3t"}) as stage:
        stage.play([Turn([bash("echo $DEPLOY_TOKEN")]), Turn([bash("printenv HOME")]), "Done."])
        chat = await stage.chat()
        prompt = chat.send("Look")
        question = await chat.question(1)
        assert "DEPLOY_TOKEN" in question.meta["reason"]
        question.answer("reject_once", feedback="Go on without it.")
        assert await prompt.stop_reason() == "end_turn"
        assert text_of(stage.results()[0]) == str(stage.home)
        assert len(chat.questions()) == 1
        assert all("s3cr3t" not in all_text(stage.body(number)) for number in range(3))
