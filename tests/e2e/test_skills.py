"""Skills that the user types: their text, their commands, what they grant, and where they come from."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.stage import Stage, all_text, assert_paired
from tests.support.waiting import until
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def skill(stage: Stage, name: str, body: str, **fields: Any) -> Path:
    """Write a skill of the project."""
    lines = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in fields.items())
    text = f"---\ndescription: does {name}\n{lines}---\n{body}\n"
    return stage.write(f".pilotfish/skills/{name}/SKILL.md", text)


def run(command: str, call: str = "toolu_run") -> Turn:
    """Return a turn of the model that runs a command."""
    return Turn([ToolUse("Bash", {"command": command}, id=call)])


async def test_a_typed_skill_is_the_prompt_and_shows_as_typed(stage: Stage) -> None:
    skill(stage, "greet", "Greet $0 in $1. All: $ARGUMENTS", argument_hint="<who> <language>")
    stage.play(["Bonjour, Ada."])
    chat = await stage.chat()
    await until(lambda: "greet" in chat.commands())
    told = chat.commands()["greet"]
    assert told["input"] == {"hint": "<who> <language>"}
    assert told["_meta"] == {"pilotfish": {"source": "projectSettings"}}

    assert await chat.ask("/greet 'Ada L' French") == "end_turn"
    body = stage.body()
    said = all_text(body)
    assert "Greet Ada L in French. All: 'Ada L' French" in said
    assert "/greet 'Ada L' French" in said
    assert str(stage.project / ".pilotfish/skills/greet") in said
    assert [one["content"]["text"] for one in chat.updates("user_message_chunk")] == [
        "/greet 'Ada L' French"
    ]
    assert chat.text() == "Bonjour, Ada."
    assert_paired(body)


async def test_what_is_used_comes_first_in_the_next_menu(stage: Stage) -> None:
    skill(stage, "aa-never", "Do it.")
    skill(stage, "zz-often", "Do it.")
    stage.play(["Done."])
    chat = await stage.chat()
    await until(lambda: {"aa-never", "zz-often"} <= chat.commands().keys())
    before = list(chat.commands())
    assert before.index("aa-never") < before.index("zz-often")
    await chat.ask("/zz-often")
    again = await stage.chat()
    await until(lambda: {"aa-never", "zz-often"} <= again.commands().keys())
    names = list(again.commands())
    assert names.index("zz-often") < names.index("aa-never")
    assert names.index("help") < names.index("zz-often")


async def test_the_text_is_still_there_after_a_restart(stage: Stage) -> None:
    skill(stage, "greet", "Greet in a friendly way.")
    stage.play(["Hello.", "Hello again."])
    chat = await stage.chat()
    await chat.ask("/greet")
    await stage.client.request("session/close", {"sessionId": chat.id})
    again, _ = await stage.reload(chat.id)
    await again.ask("Once more")
    assert "Greet in a friendly way." in all_text(stage.body())


async def test_arguments_are_never_looked_at_again(stage: Stage) -> None:
    skill(stage, "echo", "You said: $ARGUMENTS")
    stage.play(["I see."])
    chat = await stage.chat()
    attack = "$0 !`touch pwned` ${CLAUDE_SESSION_ID}"
    await chat.ask(f"/echo {attack}")
    assert f"You said: {attack}" in all_text(stage.body())
    assert not (stage.project / "pwned").exists()
    assert chat.questions() == []


async def test_a_command_in_the_text_asks_and_its_output_takes_its_place(stage: Stage) -> None:
    skill(stage, "where", "The marker says: !`touch made && echo here`.")
    stage.play(["Thank you."])
    chat = await stage.chat()
    prompt = chat.send("/where")
    question = await chat.question()
    assert question.call["rawInput"]["command"] == "touch made && echo here"
    assert stage.fake.requests == []
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert "The marker says: here." in all_text(stage.body())
    assert (stage.project / "made").exists()


async def test_a_refused_command_is_told_and_the_model_is_not_called(stage: Stage) -> None:
    skill(stage, "where", "It says: !`touch made`.")
    chat = await stage.chat()
    prompt = chat.send("/where")
    (await chat.question()).answer("reject_once")
    await prompt.stop_reason()
    [answer] = chat.answers()
    assert "was not used" in answer["content"]["text"]
    assert "touch made" in answer["content"]["text"]
    assert not (stage.project / "made").exists()
    assert stage.fake.requests == []


async def test_a_command_that_fails_is_no_silent_nothing(stage: Stage) -> None:
    skill(stage, "where", "!`cat nothing-of-that-name`", allowed_tools="Bash(cat:*)")
    chat = await stage.chat()
    await chat.ask("/where")
    [answer] = chat.answers()
    assert "nothing-of-that-name" in answer["content"]["text"]
    assert stage.fake.requests == []
    assert chat.questions() == []


async def test_an_argument_in_a_command_is_one_word_for_the_shell(stage: Stage) -> None:
    skill(stage, "show", 'Seen: !`printf "<%s>" $0 "in $1"`', allowed_tools="Bash(printf:*)")
    stage.play(["Good."])
    chat = await stage.chat()
    chat.agree()
    await chat.ask("/show '; touch pwned' '$(touch pwned)`touch pwned`'")
    assert "Seen: <; touch pwned><in $(touch pwned)`touch pwned`>" in all_text(stage.body())
    assert not (stage.project / "pwned").exists()


async def test_what_a_skill_grants_holds_until_the_next_prompt(stage: Stage) -> None:
    skill(stage, "build", "Build it.", allowed_tools="Bash(make-it:*)")
    stage.play([run("make-it a", "toolu_a"), "Built.", run("make-it b", "toolu_b"), "Built again."])
    chat = await stage.chat()
    await chat.ask("/build")
    assert chat.questions() == []
    prompt = chat.send("And again")
    (await chat.question()).answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"


async def test_a_grant_beats_neither_deny_nor_ask(stage: Stage) -> None:
    stage.settings(deny=["Bash(make-it b:*)"], ask=["Bash(make-it c:*)"])
    skill(stage, "build", "Build it.", allowed_tools="Bash(make-it:*)")
    stage.play([run("make-it b", "toolu_b"), run("make-it c", "toolu_c"), "Done."])
    chat = await stage.chat()
    prompt = chat.send("/build")
    question = await chat.question()
    assert question.call["rawInput"]["command"] == "make-it c"
    question.answer("allow_once")
    await prompt.stop_reason()
    assert [
        one["isError"] if "isError" in one else one.get("is_error") for one in stage.results(1)
    ] == [True]


async def test_model_and_effort_of_a_skill_hold_for_its_turn(stage: Stage) -> None:
    skill(stage, "think", "Think hard.", model="claude-haiku-4-5")
    stage.play(["Hm.", "Well."])
    chat = await stage.chat()
    usual = (await chat.snapshot())["status"]["model"]
    await chat.ask("/think")
    assert stage.body()["model"].startswith("claude-haiku-4-5")
    await chat.ask("And now?")
    assert stage.body()["model"] == usual


async def test_a_skill_that_is_typed_during_a_turn_waits_for_its_end(
    stage: Stage, tmp_path: Path
) -> None:
    skill(stage, "greet", "Greet.")
    gate = tmp_path / "gate"
    stage.play([run(f"while [ ! -e {gate} ]; do sleep 0.02; done"), "Done.", "Hello."])
    chat = await stage.chat(allowedTools=["Bash"])
    first = chat.send("Wait")
    await chat.wait_for_call("toolu_run", "in_progress")
    second = chat.send("/greet")
    gate.touch()
    assert await first.stop_reason() == "end_turn"
    assert await second.stop_reason() == "end_turn"
    assert len(chat.turns()) == 2
    assert "Greet." in all_text(stage.body())


async def test_files_that_change_count_at_once(stage: Stage) -> None:
    chat = await stage.chat()
    await until(lambda: bool(chat.commands()))
    assert "late" not in chat.commands()
    file = skill(stage, "late", "First text.")
    await until(lambda: "late" in chat.commands())
    file.write_text("---\ndescription: another\n---\nSecond text.\n", encoding="utf-8")
    await until(lambda: chat.commands()["late"]["description"] == "another")
    stage.play(["Good."])
    await chat.ask("/late")
    assert "Second text." in all_text(stage.body())
    file.unlink()
    await until(lambda: "late" not in chat.commands())


async def test_the_users_skill_shadows_the_projects(stage: Stage) -> None:
    skill(stage, "greet", "The project's.")
    own = stage.home / ".pilotfish/skills/greet/SKILL.md"
    own.parent.mkdir(parents=True)
    own.write_text("---\ndescription: mine\n---\nMy own.\n", encoding="utf-8")
    try:
        stage.play(["Hello."])
        chat = await stage.chat()
        await chat.ask("/greet")
        assert "My own." in all_text(stage.body())
        await chat.ask("/skills")
        assert f"shadowed by {own}" in chat.answers()[-1]["content"]["text"]
    finally:
        own.unlink()


async def test_skills_and_older_commands_of_the_other_product_are_read(stage: Stage) -> None:
    stage.write(".claude/commands/fix.md", "Fix issue $ARGUMENTS.")
    stage.write(".claude/skills/look/SKILL.md", "---\nname: look\ndescription: looks\n---\nLook.")
    stage.play(["Fixed."])
    chat = await stage.chat()
    await chat.ask("/fix 12")
    assert "Fix issue 12." in all_text(stage.body())
    await until(lambda: "look" in chat.commands())


async def test_skills_are_listed_and_told_about(stage: Stage) -> None:
    skill(stage, "greet", "Hi. !`date`", allowed_tools="Bash(date:*)", version="2.0")
    skill(stage, "torn", "x", context="sideways")
    chat = await stage.chat()
    await chat.ask("/skills")
    text = chat.answers()[-1]["content"]["text"]
    assert "`/code-review` (comes with Pilotfish)" in text
    assert "`/greet` (the project's): does greet" in text
    assert "torn/SKILL.md:3: `context` is ignored" in text
    await chat.ask("/skills info greet")
    text = chat.answers()[-1]["content"]["text"]
    assert "- grants: `Bash(date:*)`" in text
    assert "- version: 2.0" in text
    await chat.ask("/skills info nothing")
    assert "There is no skill" in chat.answers()[-1]["content"]["text"]


async def test_nothing_of_an_untrusted_folder_is_loaded_or_run(tmp_path: Path) -> None:
    async with Stage.open(tmp_path, workspaceTrusted=False) as stage:
        skill(stage, "greet", "The project's.")
        own = stage.home / ".pilotfish/skills/mine/SKILL.md"
        own.parent.mkdir(parents=True)
        own.write_text("---\ndescription: mine\n---\nToday: !`touch made`\n", encoding="utf-8")
        stage.play(["What is that?"])
        chat = await stage.chat()
        await until(lambda: "mine" in chat.commands())
        assert "greet" not in chat.commands()
        await chat.ask("/greet")
        assert "The project's." not in all_text(stage.body())
        await chat.ask("/mine")
        assert "is not trusted" in chat.answers()[-1]["content"]["text"]
        assert not (stage.project / "made").exists()
        await chat.ask("/skills")
        assert "these do not count" in chat.answers()[-1]["content"]["text"]
