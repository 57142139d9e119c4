"""Skills that the model asks for, and skills on which an agent of their own works."""

import json
from typing import Any

import pytest

from tests.e2e.test_skills import run, skill
from tests.support.agent_scripts import bodies, cast
from tests.support.git_folder import git
from tests.support.stage import Stage, all_text, assert_paired, text_of
from tests.support.waiting import until
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def use(name: str, args: str = "", call: str = "toolu_skill") -> Turn:
    """Return a turn of the model that asks for a skill."""
    return Turn([ToolUse("Skill", {"skill": name, "args": args}, id=call)])


def listing(body: dict[str, Any]) -> str:
    """Return what the model is told of skills with its tools."""
    return next(tool["description"] for tool in body["tools"] if tool["name"] == "Skill")


async def test_the_model_uses_a_harmless_skill_unasked(stage: Stage) -> None:
    skill(stage, "greet", "Greet $0 warmly.")
    skill(stage, "secret", "For the user.", disable_model_invocation="true")
    skill(stage, "inner", "For the model.", user_invocable="false")
    stage.play([use("/greet", "Ada"), "Dear Ada!"])
    chat = await stage.chat()
    assert await chat.ask("Say hello to Ada") == "end_turn"
    told = listing(stage.body(0))
    assert "- greet: does greet" in told
    assert "- inner: does inner" in told
    assert "secret" not in told
    [result] = stage.results()
    assert "Greet Ada warmly." in text_of(result)
    assert chat.questions() == []
    await until(lambda: "greet" in chat.commands())
    assert "inner" not in chat.commands()
    assert "secret" in chat.commands()


async def test_the_list_of_skills_is_a_share_of_the_models_own_window(stage: Stage) -> None:
    """Thirty descriptions fit into the list for a usual window, and not into that for a small one."""
    names = [f"skill-{number}" for number in range(30)]
    for name in names:
        skill(stage, name, "Do it.", when_to_use="much " * 30)
    stage.play(["Yes."])
    chat = await stage.chat()
    await chat.ask("Are you there?")
    usual = listing(stage.body(0))
    assert all(f"- {name}: does {name} much" in usual for name in names)

    path = stage.home / ".pilotfish" / "settings.json"
    path.parent.mkdir(exist_ok=True)
    model = {"name": "tiny", "capabilities": {"tiny": {"contextTokens": 20_000}}}
    path.write_text(json.dumps({"model": model}), "utf-8")
    stage.play(["Yes."])
    small = await stage.chat()
    await small.ask("Are you there?")
    told = listing(stage.body(0))
    assert all(f"- {name}\n" in f"{told}\n" for name in names)
    assert "much" not in told


async def test_skills_beside_the_work_are_found_and_the_nearest_counts(stage: Stage) -> None:
    """A part of the project has skills of its own; the model hears of them once it works there."""
    skill(stage, "greet", "Greet the project.")
    text = "---\ndescription: does {0}\n---\n{1}\n"
    nested = "apps/web/.pilotfish/skills/{0}/SKILL.md"
    stage.write(nested.format("greet"), text.format("greet", "Greet the web."))
    stage.write("apps/.claude/skills/apply/SKILL.md", text.format("apply", "Apply it."))
    stage.write("apps/vendor/.pilotfish/skills/foreign/SKILL.md", text.format("foreign", "No."))
    stage.write("apps/web/page.txt", "A page.\n")
    stage.write("apps/vendor/lib.txt", "A library.\n")
    git(stage.project, "init", "-q")
    stage.write(".gitignore", "vendor/\n")
    read = Turn(
        [
            ToolUse("Read", {"file_path": "apps/web/page.txt"}),
            ToolUse("Read", {"file_path": "apps/vendor/lib.txt"}),
        ]
    )
    stage.play([read, "A page.", use("greet"), "Hello."])
    chat = await stage.chat()
    await chat.ask("Read the page")
    assert "apply" not in listing(stage.body(0))
    await chat.ask("Now greet")
    told = str(stage.body(2)["messages"])
    assert "- apply: does apply" in told
    assert "foreign" not in told
    assert "Greet the web." in text_of(stage.results(3)[-1])


async def test_a_skill_that_brings_more_than_a_text_asks_the_user(stage: Stage) -> None:
    skill(stage, "build", "Build.", allowed_tools="Bash(make-it:*)")
    stage.play([use("build"), run("make-it a"), "Built."])
    chat = await stage.chat()
    prompt = chat.send("Build it")
    question = await chat.question()
    assert question.call["rawInput"]["skill"] == "build"
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert len(chat.questions()) == 1


async def test_a_rule_denies_a_skill_however_it_is_named(stage: Stage) -> None:
    stage.settings(deny=["Skill(greet)", "Skill(old:*)"])
    skill(stage, "greet", "Greet.")
    skill(stage, "old-one", "Old.")
    stage.play([use("/greet"), use("old-one", call="toolu_old"), "Well."])
    chat = await stage.chat()
    await chat.ask("Say hello")
    for number in (1, 2):
        [result] = stage.results(number)
        assert result["is_error"]
        assert "refuses it" in text_of(result)


async def test_what_is_not_for_the_model_or_not_there_is_an_error(stage: Stage) -> None:
    skill(stage, "secret", "For the user.", disable_model_invocation="true")
    stage.play([use("secret"), use("nothing", call="toolu_no"), "Well."])
    chat = await stage.chat()
    await chat.ask("Go")
    [first] = stage.results(1)
    assert "for the user alone" in text_of(first)
    [second] = stage.results(2)
    assert "There is no skill 'nothing'" in text_of(second)


async def test_the_list_stays_the_same_and_changes_come_as_notes(stage: Stage) -> None:
    stage.play(["One.", "Two.", "Three."])
    chat = await stage.chat()
    await chat.ask("1")
    skill(stage, "late", "Late.")
    await until(lambda: "late" in chat.commands())
    await chat.ask("2")
    await chat.ask("3")
    first, second, third = (stage.body(number) for number in range(3))
    assert first["tools"] == second["tools"] == third["tools"]
    assert all_text(second).count("- late: does late") == 1
    assert all_text(third).count("- late: does late") == 1


async def test_a_typed_fork_is_an_agents_work_and_its_report_joins_the_conversation(
    stage: Stage,
) -> None:
    skill(stage, "probe", "FORKED: look into $0.", context="fork", agent="Explore")
    stage.play(cast(["Hello.", "Indeed."], FORKED=[run("echo seen"), "It is <b>fine</b>."]))
    chat = await stage.chat(allowedTools=["Bash"])
    await chat.ask("Hi")
    assert await chat.ask("/probe notes") == "end_turn"
    [answer] = chat.answers()
    assert answer["content"]["text"] == "It is <b>fine</b>."
    first, _ = bodies(stage, "FORKED")
    assert "look into notes." in all_text(first)
    assert "Hi" not in [block["text"] for block in first["messages"][0]["content"]]
    cards = [one for one in chat.updates("tool_call_update") if one.get("title") == "/probe notes"]
    assert len(cards) == 1

    await chat.ask("What do you think?")
    before, after = bodies(stage, "Hi")[-2:]
    assert all_text(after).count("<command-output command") == 1
    assert "It is &lt;b&gt;fine&lt;/b&gt;." in all_text(after)
    assert before["tools"] == after["tools"]
    assert before["system"] == after["system"]
    assert_paired(after)


async def test_what_a_fork_is_granted_holds_for_it_alone(stage: Stage) -> None:
    skill(stage, "probe", "FORKED: look.", context="fork", allowed_tools="Bash(make-it:*)")
    stage.play(cast([run("make-it b", "toolu_main"), "Done."], FORKED=[run("make-it a"), "Fine."]))
    chat = await stage.chat()
    assert await chat.ask("/probe") == "end_turn"
    assert chat.questions() == []
    prompt = chat.send("You, too")
    (await chat.question()).answer("allow_once")
    await prompt.stop_reason()


async def test_a_fork_may_be_left_with_the_tools_that_its_skill_names(stage: Stage) -> None:
    skill(stage, "probe", "FORKED: look.", context="fork", allowed_tools="Grep, Bash(make-it:*)")
    skill(stage, "free", "FREE: look.", context="fork")
    stage.write(".pilotfish/settings.json", '{"skills": {"allowedToolsMode": "restrict"}}')
    stage.play(cast([], FORKED=["Fine."], FREE=["Fine."]))
    chat = await stage.chat()
    await chat.ask("/probe")
    assert [one["name"] for one in bodies(stage, "FORKED")[0]["tools"]] == ["Bash", "Grep"]
    await chat.ask("/free")
    assert len(bodies(stage, "FREE")[0]["tools"]) > 2


async def test_a_fork_with_an_unknown_agent_is_an_error(stage: Stage) -> None:
    skill(stage, "probe", "FORKED: look.", context="fork", agent="Nobody")
    chat = await stage.chat()
    await chat.ask("/probe")
    [answer] = chat.answers()
    assert "There is no agent type 'Nobody'" in answer["content"]["text"]
    assert stage.fake.requests == []


async def test_stop_ends_a_fork(stage: Stage) -> None:
    skill(stage, "probe", "FORKED: look.", context="fork")
    stage.play(cast([], FORKED=[run("touch began; sleep 600")]))
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("/probe")
    await until((stage.project / "began").exists)
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"
    agents = await stage.client.request("_pilotfish/agents/list", {"sessionId": chat.id})
    assert [one["status"] for one in agents["agents"] if one["status"] == "running"] == []


async def test_the_model_forks_as_well(stage: Stage) -> None:
    skill(stage, "probe", "FORKED: look into $0.", context="fork")
    stage.play(cast([use("probe", "it"), "Good."], FORKED=["All is well."]))
    chat = await stage.chat()
    await chat.ask("Look into it")
    result = next(
        block
        for block in bodies(stage, "Look into it")[-1]["messages"][-1]["content"]
        if block["type"] == "tool_result"
    )
    assert text_of(result) == "All is well."


async def test_an_agent_knows_the_skills_of_its_definition(stage: Stage) -> None:
    skill(stage, "house-rules", "Always knock.")
    stage.write(
        ".pilotfish/agents/guest.md",
        "---\nname: guest\ndescription: a guest\nskills: house-rules\n---\nYou are a guest.\n",
    )
    call = {"description": "visit", "prompt": "VISIT: go in", "subagent_type": "guest"}
    stage.play(
        cast([Turn([ToolUse("Agent", call, id="toolu_agent")]), "Good."], VISIT=["I knocked."])
    )
    chat = await stage.chat()
    await chat.ask("Send a guest")
    [body] = bodies(stage, "VISIT")
    assert "Always knock." in all_text(body)


async def test_a_skill_for_some_files_is_there_once_one_was_worked_with(stage: Stage) -> None:
    skill(stage, "styles", "Style.", paths="'*.css'")
    stage.write("site.css", "a {}\n")
    read = Turn([ToolUse("Read", {"file_path": "site.css"}, id="toolu_read")])
    stage.play([read, "Seen.", use("styles"), "Styled."])
    chat = await stage.chat()
    await until(lambda: bool(chat.commands()))
    assert "styles" not in chat.commands()
    await chat.ask("Look")
    await until(lambda: "styles" in chat.commands())
    await chat.ask("Style it")
    assert "styles" not in listing(stage.body(0))
    assert "- styles: does styles" in all_text(stage.body(2))
    [result] = stage.results()
    assert "Style." in text_of(result)
