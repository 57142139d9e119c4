"""Plan mode from entry to approval, as a client sees it."""

import json
from pathlib import Path

import pytest
from pilotfish.core.jsontypes import JsonValue

from tests.support.chat import Chat
from tests.support.stage import Stage, all_text, names_in, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

PLAN = "# Add a greeting\n\n1. Write hello.txt\n2. Run the tests\n"


def plan_file(stage: Stage, chat: Chat, about: str = "plan") -> Path:
    """Return where a chat's plan is kept; its first prompt is what it is about."""
    return stage.home / ".pilotfish" / "plans" / f"{about}.{chat.id}.md"


def write(path: Path | str, content: str = PLAN) -> ToolUse:
    return ToolUse("Write", {"file_path": str(path), "content": content})


def exit_plan(*prompts: str) -> ToolUse:
    grants: list[JsonValue] = [{"tool": "Bash", "prompt": prompt} for prompt in prompts]
    return ToolUse("ExitPlanMode", {"allowedPrompts": grants} if grants else {})


async def planned(
    stage: Stage,
    *after: Turn | str,
    mode: str = "default",
    prompts: tuple[str, ...] = (),
    about: str = "plan",
) -> Chat:
    """Begin in a mode, switch to plan mode, and play a model that writes the plan and presents it."""
    chat = await stage.chat(permissionMode=mode)
    await chat.set_mode("plan")
    stage.play([Turn([write(plan_file(stage, chat, about))]), Turn([exit_plan(*prompts)]), *after])
    return chat


async def test_a_plan_is_written_reviewed_approved_and_carried_out(stage: Stage) -> None:
    chat = await planned(stage, Turn([write("hello.txt", "Hi\n")]), "Done.")
    prompt = chat.send("Plan")
    question = await chat.question()
    assert str(plan_file(stage, chat)) in all_text(stage.body(0))
    assert question.call["kind"] == "switch_mode"
    assert question.call["title"] == "Plan: Add a greeting"
    assert question.meta["plan"]["content"] == PLAN
    assert question.meta["plan"]["path"] == str(plan_file(stage, chat))
    assert question.options == [
        "start_editing",
        "start_accept_edits",
        "clear_context_and_start",
        "keep_planning",
    ]
    assert names_in(stage.project) == []
    question.answer("start_editing")
    edit = await chat.question(2)
    assert (await chat.snapshot())["status"]["mode"] == "default"
    edit.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert (stage.project / "hello.txt").read_text() == "Hi\n"
    told = text_of(stage.results(2)[0])
    assert "approved the plan" in told
    assert "The user changed the plan" not in told


async def test_the_mode_before_comes_back_and_accepting_edits_can_be_chosen(stage: Stage) -> None:
    chat = await planned(stage, Turn([write("a.txt")]), "Done.", mode="acceptEdits")
    prompt = chat.send("Plan")
    question = await chat.question()
    assert question.meta["plan"]["nextMode"] == "acceptEdits"
    assert "start_accept_edits" not in question.options
    question.answer("start_editing")
    assert await prompt.stop_reason() == "end_turn"
    assert len(chat.questions()) == 1
    assert names_in(stage.project) == ["a.txt"]

    chat = await planned(stage, Turn([write("b.txt")]), "Done.")
    prompt = chat.send("Plan")
    (await chat.question()).answer("start_accept_edits")
    assert await prompt.stop_reason() == "end_turn"
    assert (await chat.snapshot())["status"]["mode"] == "acceptEdits"
    assert len(chat.questions()) == 1


async def test_feedback_keeps_plan_mode_on_and_the_turn_going(stage: Stage) -> None:
    chat = await planned(stage, "I see.")
    prompt = chat.send("Plan")
    (await chat.question()).answer("keep_planning", feedback="Use French.")
    assert await prompt.stop_reason() == "end_turn"
    result = stage.results()[0]
    assert "Use French." in text_of(result)
    assert (await chat.snapshot())["status"]["mode"] == "plan"


async def test_comments_on_lines_go_back_with_what_they_are_about(stage: Stage) -> None:
    chat = await planned(stage, "I see.")
    prompt = chat.send("Plan")
    comments = [
        {"text": "In French.", "quote": "1. Write hello.txt", "line": 3},
        {"text": "And these\ntwo together?", "quote": "1. Write hello.txt\n2. Run the tests"},
        {"text": "  ", "quote": "# Add a greeting", "line": 1},
    ]
    (await chat.question()).answer("keep_planning", feedback="Nearly.", planComments=comments)
    assert await prompt.stop_reason() == "end_turn"
    assert (
        "says:\nNearly.\n\n"
        "On line 3 of the plan:\n> 1. Write hello.txt\nIn French.\n\n"
        "On these lines:\n> 1. Write hello.txt\n> 2. Run the tests\nAnd these\ntwo together?\n"
        "Plan mode is still on"
    ) in text_of(stage.results()[0])
    assert (await chat.snapshot())["status"]["mode"] == "plan"


@pytest.mark.parametrize("option", ["start_editing", "clear_context_and_start"])
async def test_comments_go_along_with_a_consent(stage: Stage, option: str) -> None:
    chat = await planned(stage, "Done.")
    prompt = chat.send("Plan")
    comment = {"text": "In French.", "quote": "1. Write hello.txt", "line": 3}
    (await chat.question()).answer(option, planComments=[comment])
    assert await prompt.stop_reason() == "end_turn"
    said = "On line 3 of the plan:\n> 1. Write hello.txt\nIn French."
    afresh = option == "clear_context_and_start"
    # What a request holds is looked at as JSON; a line's end is written out there.
    told = all_text(stage.body()).replace("\\n", "\n") if afresh else text_of(stage.results()[0])
    assert said in told
    assert (await chat.snapshot())["status"]["mode"] == "default"


async def test_a_bare_no_ends_the_turn_and_the_next_prompt_goes_on(stage: Stage) -> None:
    chat = await planned(stage, "Now in French.")
    prompt = chat.send("Plan")
    (await chat.question()).answer("keep_planning")
    assert await prompt.stop_reason() == "cancelled"
    assert chat.turns()[-1]["reason"] == "refused"
    assert (await chat.snapshot())["status"]["mode"] == "plan"
    assert await chat.ask("In French, please") == "end_turn"
    assert "does not approve" in all_text(stage.body())


async def test_the_user_may_change_the_plan_before_approving_it(stage: Stage) -> None:
    chat = await planned(stage, "Done.")
    prompt = chat.send("Plan")
    question = await chat.question()
    plan_file(stage, chat).write_text("# Say hello in Dutch\n", encoding="utf-8")
    question.answer("start_editing")
    assert await prompt.stop_reason() == "end_turn"
    told = text_of(stage.results()[0])
    assert "The user changed the plan" in told
    assert "Say hello in Dutch" in told


async def test_a_plan_changed_in_an_editor_and_not_saved_counts_too(stage: Stage) -> None:
    chat = await planned(stage, "Done.")
    prompt = chat.send("Plan")
    question = await chat.question()
    file = plan_file(stage, chat)
    stage.editor.open(file)
    stage.editor.type_over(file, "Add a greeting", "Unsaved thoughts")
    question.answer("start_editing")
    assert await prompt.stop_reason() == "end_turn"
    assert "Unsaved thoughts" in text_of(stage.results()[0])


async def test_a_plan_changed_in_the_dialog_is_kept_in_its_file(stage: Stage) -> None:
    chat = await planned(stage, "Done.")
    prompt = chat.send("Plan")
    (await chat.question()).answer("start_editing", editedPlan="# Say it in Welsh\n")
    assert await prompt.stop_reason() == "end_turn"
    assert plan_file(stage, chat).read_text(encoding="utf-8") == "# Say it in Welsh\n"
    assert "Say it in Welsh" in text_of(stage.results()[0])


async def test_starting_afresh_leaves_the_model_the_plan_alone(stage: Stage) -> None:
    about = "look-at-a-hundred-things-and-plan"
    chat = await planned(stage, "Working on it.", about=about)
    prompt = chat.send("Look at a hundred things and plan")
    (await chat.question()).answer("clear_context_and_start", targetMode="acceptEdits")
    assert await prompt.stop_reason() == "end_turn"
    messages = stage.body()["messages"]
    assert len(messages) == 1
    assert "Add a greeting" in all_text(stage.body())
    assert "a hundred things" not in all_text(stage.body())
    assert len(chat.facts("context_cleared")) == 1
    assert (await chat.snapshot())["status"]["mode"] == "acceptEdits"
    # It holds after a reload, too: the state is what the events say.
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    stage.play(["Still on it."])
    again, _ = await stage.reload(chat.id)
    await again.ask("How far are you?")
    assert "a hundred things" not in all_text(stage.body())
    assert "Add a greeting" in all_text(stage.body())


async def test_what_the_plan_asked_for_runs_without_a_question_and_nothing_else(
    stage: Stage,
) -> None:
    tests = ToolUse("Bash", {"command": "pytest -q"})
    other = ToolUse("Bash", {"command": "pytest -q; rm -rf x"})
    chat = await planned(stage, Turn([tests]), Turn([other]), "Done.", prompts=("run the tests",))
    prompt = chat.send("Plan")
    question = await chat.question()
    assert question.meta["plan"]["allowedPrompts"] == ["run the tests"]
    question.answer("start_editing")
    danger = await chat.question(2)
    assert danger.call["title"] == "pytest -q; rm -rf x"
    danger.answer("reject_once", feedback="No.")
    assert await prompt.stop_reason() == "end_turn"
    assert len(chat.questions()) == 2


async def test_a_new_plan_takes_back_what_the_old_one_was_granted(stage: Stage) -> None:
    tests = ToolUse("Bash", {"command": "pytest -q"})
    chat = await planned(stage, "Done.", prompts=("run the tests",))
    prompt = chat.send("Plan")
    (await chat.question()).answer("start_editing")
    await prompt.stop_reason()
    await chat.set_mode("plan")
    await chat.set_mode("default")
    stage.play([Turn([tests]), "Done."])
    prompt = chat.send("Test")
    (await chat.question(2)).answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"


async def test_the_model_may_ask_for_plan_mode_and_the_user_decides(stage: Stage) -> None:
    enter = ToolUse("EnterPlanMode", {})
    stage.play([Turn([enter]), Turn([ToolUse("Write", {"file_path": "x", "content": ""})]), "Ok."])
    chat = await stage.chat(permissionMode="acceptEdits")
    prompt = chat.send("Rebuild everything")
    question = await chat.question()
    assert question.call["title"] == "Make a plan first"
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert (await chat.snapshot())["status"]["mode"] == "plan"
    assert names_in(stage.project) == []
    assert "Plan mode is on: work out a plan" in all_text(stage.body(1))


async def test_plan_mode_is_explained_once_and_remembered_after_a_while(stage: Stage) -> None:
    stage.play(["Hm."] * 7)
    chat = await stage.chat(permissionMode="plan")
    for number in range(7):
        await chat.ask(f"Prompt {number}")
    said = all_text(stage.body())
    assert said.count("Plan mode is on: work out a plan") == 1
    assert said.count("Plan mode is still on") == 1


async def test_leaving_needs_a_plan_and_plan_mode(stage: Stage) -> None:
    stage.play([Turn([exit_plan()]), "I see."])
    chat = await stage.chat(permissionMode="plan")
    await chat.ask("Plan")
    assert "There is no plan yet" in text_of(stage.results()[0])
    stage.play([Turn([exit_plan()]), "I see."])
    chat = await stage.chat()
    await chat.ask("Work")
    assert "Plan mode is off" in text_of(stage.results()[0])
    assert chat.questions() == []


async def test_stop_withdraws_the_review_and_plan_mode_stays(stage: Stage) -> None:
    chat = await planned(stage)
    prompt = chat.send("Plan")
    question = await chat.question()
    chat.stop()
    await question.withdrawn()
    assert await prompt.stop_reason() == "cancelled"
    assert (await chat.snapshot())["status"]["mode"] == "plan"
    listed = await stage.client.request("_pilotfish/inbox/list", {"sessionId": chat.id})
    assert listed["questions"] == []


async def test_the_review_can_be_answered_from_the_inbox(stage: Stage) -> None:
    chat = await planned(stage, "Done.")
    prompt = chat.send("Plan")
    question = await chat.question()
    listed = await stage.client.request("_pilotfish/inbox/list", {"sessionId": chat.id})
    entry = listed["questions"][0]
    assert entry["method"] == "session/request_permission"
    assert entry["request"] == question.message["params"]
    answer = {"requestId": entry["requestId"], "optionId": "start_editing"}
    assert (await stage.client.request("_pilotfish/inbox/answer", answer))["accepted"]
    assert not (await stage.client.request("_pilotfish/inbox/answer", answer))["accepted"]
    assert await prompt.stop_reason() == "end_turn"


async def test_the_settings_say_where_plans_are_kept_and_how_often_they_are_made(
    stage: Stage,
) -> None:
    stage.write(
        ".pilotfish/settings.json",
        json.dumps({"planMode": {"directory": ".pilotfish/plans", "eagerness": "eager"}}),
    )
    chat = await stage.chat()
    await chat.set_mode("plan")
    plan = stage.project / ".pilotfish" / "plans" / f"plan.{chat.id}.md"
    stage.play([Turn([write(plan)]), Turn([exit_plan()]), "Begun."])
    prompt = chat.send("Plan")
    question = await chat.question()
    assert question.meta["plan"]["path"] == str(plan)
    question.answer("start_editing")
    assert await prompt.stop_reason() == "end_turn"
    (tool,) = [one for one in stage.body()["tools"] if one["name"] == "EnterPlanMode"]
    assert "every feature" in tool["description"]


async def test_a_link_out_of_the_project_is_no_place_for_plans(stage: Stage) -> None:
    outside = stage.project.parent / "outside"
    outside.mkdir()
    (stage.project / "plans").symlink_to(outside)
    stage.write(".pilotfish/settings.json", json.dumps({"planMode": {"directory": "plans"}}))
    chat = await stage.chat()
    await chat.set_mode("plan")
    target = stage.project / "plans" / f"plan.{chat.id}.md"
    stage.play([Turn([write(target)]), "I see."])
    await chat.ask("Plan")
    assert "plan mode" in text_of(stage.results()[0]).lower()
    assert names_in(outside) == []
    assert str(plan_file(stage, chat)) in all_text(stage.body(0))


async def presented_again(stage: Stage, chat: Chat, path: Path) -> None:
    """Open a closed session anew, whose plan is found in a file and presented once more."""
    stage.play([Turn([exit_plan()])])
    again, _ = await stage.reload(chat.id)
    prompt = again.send("Once more")
    question = await again.question(2)
    assert question.meta["plan"]["path"] == str(path)
    assert question.meta["plan"]["content"] == PLAN
    question.answer("keep_planning")
    assert await prompt.stop_reason() == "cancelled"


async def test_plans_are_named_by_what_their_sessions_are_about(stage: Stage) -> None:
    chat = await planned(stage, about="问候-a-greeting-in-welsh")
    prompt = chat.send("问候: a greeting_ (in Welsh?)!")
    question = await chat.question()
    path = Path(question.meta["plan"]["path"])
    assert path == plan_file(stage, chat, "问候-a-greeting-in-welsh")
    question.answer("keep_planning")
    assert await prompt.stop_reason() == "cancelled"

    # Another name of the session, and another process, do not lead away from it.
    rename = {"sessionId": chat.id, "title": "Something else"}
    await stage.client.request("_pilotfish/sessions/rename", rename)
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    await presented_again(stage, chat, path)

    # Nor does a fork lose it.
    params = {"sessionId": chat.id, "cwd": str(stage.project)}
    fork = await stage.client.request("session/fork", params)
    copy = path.with_name(path.name.replace(chat.id, fork["sessionId"]))
    assert copy.read_text(encoding="utf-8") == PLAN


async def test_a_plan_is_found_by_whatever_name_it_was_kept(stage: Stage) -> None:
    chat = await planned(stage, about="write-a-greeting")
    prompt = chat.send("Write a greeting")
    (await chat.question()).answer("keep_planning")
    assert await prompt.stop_reason() == "cancelled"
    path = plan_file(stage, chat, "write-a-greeting")
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    earlier = path.rename(path.with_name(f"{chat.id}.md"))
    await presented_again(stage, chat, earlier)
