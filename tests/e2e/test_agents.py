"""Sub-agents that somebody waits for."""

import pytest
from pilotfish.core.agent_events import AgentEnded

from tests.support.agent_scripts import (
    agent,
    agent_files,
    bash,
    bodies,
    cast,
    events_of,
    number_in,
    session_data,
)
from tests.support.stage import Stage, alive, assert_paired, text_of
from tests.support.waiting import until
from tools.fake_model import HttpError, Stall, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_an_agents_report_is_the_result_of_its_call_in_the_same_turn(stage: Stage) -> None:
    stage.write("notes.txt", "the answer is 42\n")
    read = ToolUse("Read", {"file_path": "notes.txt"}, id="toolu_read")
    stage.play(
        cast(
            [Turn([agent("scout: what is the answer?")]), "It is 42."],
            scout=[Turn(["Let me look.", read]), "notes.txt says 42."],
        )
    )
    chat = await stage.chat()
    assert await chat.ask("What is the answer?") == "end_turn"

    [result] = stage.results()
    assert text_of(result).startswith("notes.txt says 42.")
    assert "1 tool uses" in text_of(result)
    assert chat.text().endswith("It is 42.")
    assert chat.questions() == []
    assert len(chat.turns()) == 1
    first, second = bodies(stage, "scout")
    assert "the answer is 42" in str(second["messages"])
    assert "42" not in str(first["messages"])
    assert [path.name for path in agent_files(stage, chat.id)] != []
    kinds = [one.type for one in await events_of(stage, chat)]
    assert kinds.count("agent_started") == kinds.count("agent_ended") == 1
    assert kinds.count("agent_spent") == 2
    for body in bodies(stage, "scout"):
        assert_paired(body)


async def test_agents_of_one_message_work_side_by_side(stage: Stage) -> None:
    """Both are in the middle of their work at once: neither waits for the other."""
    wait = "touch {own}; while [ ! -e {other} ]; do sleep 0.02; done; echo met"
    calls = [
        agent("scout: look", call="toolu_a"),
        agent("diver: look", call="toolu_b"),
    ]
    stage.play(
        cast(
            [Turn(calls), "Both are back."],
            scout=[Turn([bash(wait.format(own="a", other="b"))]), "I met the other one."],
            diver=[Turn([bash(wait.format(own="b", other="a"))]), "So did I."],
        )
    )
    chat = await stage.chat(allowedTools=["Bash"])
    assert await chat.ask("Go, both of you") == "end_turn"
    first, second = stage.results()
    assert text_of(first).startswith("I met the other one.")
    assert text_of(second).startswith("So did I.")


async def test_stop_ends_an_agent_that_the_turn_waits_for_and_keeps_what_it_said(
    stage: Stage,
) -> None:
    command = bash("echo $$ > pid; sleep 600")
    stage.play(cast([Turn([agent("scout: wait")])], scout=[Turn(["I found one thing.", command])]))
    chat = await stage.chat(allowedTools=["Bash"])
    prompt = chat.send("Go")
    pid = await number_in(stage.project / "pid")
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"

    [ended] = [one for one in await events_of(stage, chat) if isinstance(one, AgentEnded)]
    assert ended.outcome.status == "killed"
    assert ended.outcome.text == "I found one thing."
    await until(lambda: not alive({pid}))


async def test_an_agent_whose_model_fails_gives_what_it_has_or_an_error(stage: Stage) -> None:
    broken = HttpError(status=400, message="no such thing")
    read = ToolUse("Glob", {"pattern": "*"}, id="toolu_glob")
    stage.play(
        cast(
            [
                Turn([agent("scout: look", call="toolu_a"), agent("diver: look", call="toolu_b")]),
                "Well.",
            ],
            scout=[Turn(["Half of it is here.", read]), Turn(error=broken)],
            diver=[Turn(error=broken)],
        )
    )
    chat = await stage.chat()
    assert await chat.ask("Go") == "end_turn"
    partial, nothing = stage.results()
    assert "did not finish" in text_of(partial)
    assert "Half of it is here." in text_of(partial)
    assert not partial.get("is_error")
    assert nothing["is_error"] is True
    assert "no such thing" in text_of(nothing)


async def test_in_plan_mode_agents_only_read(stage: Stage) -> None:
    write = ToolUse("Write", {"file_path": "new.txt", "content": "x"}, id="toolu_write")
    touch = bash("touch other.txt")
    stage.play(
        cast(
            [
                Turn([agent("scout: look", "Explore", call="toolu_a"),
                      agent("diver: change", call="toolu_b")]),
                "I have a plan.",
            ],
            scout=[Turn([touch]), "I could not."],
        )
    )  # fmt: skip
    chat = await stage.chat(permissionMode="plan", allowedTools=["Bash", "Write"])
    assert await chat.ask("Plan it") == "end_turn"
    explored, refused = stage.results()
    assert text_of(explored) == "I could not."
    assert "Plan mode" in text_of(refused)
    assert not (stage.project / "other.txt").exists()
    assert "Plan mode" in text_of(bodies(stage, "scout")[-1]["messages"][-1]["content"][0])
    assert write.name not in {tool["name"] for tool in bodies(stage, "scout")[0]["tools"]}


async def test_a_change_of_mode_counts_for_agents_that_run(stage: Stage) -> None:
    """An agent of a session in acceptEdits edits unasked, until the user switches to plan mode."""
    gate = bash("while [ ! -e go ]; do sleep 0.02; done")
    first = ToolUse("Write", {"file_path": "a.txt", "content": "x"}, id="toolu_w1")
    second = ToolUse("Write", {"file_path": "b.txt", "content": "x"}, id="toolu_w2")
    stage.play(
        cast(
            [Turn([agent("scout: write", run_in_background=True)]), "Begun.", "Noted."],
            scout=[Turn([first]), Turn([gate]), Turn([second]), "Done what I could."],
        )
    )
    chat = await stage.chat(permissionMode="acceptEdits", allowedTools=["Bash"])
    assert await chat.ask("Go") == "end_turn"
    await until((stage.project / "a.txt").exists)
    await chat.set_mode("plan")
    (stage.project / "go").touch()
    await until(lambda: len(chat.turns()) == 2)
    assert not (stage.project / "b.txt").exists()
    assert "Plan mode" in str(bodies(stage, "scout")[-1]["messages"])


async def test_another_mode_counts_at_once_for_an_open_question_of_an_agent(stage: Stage) -> None:
    write = ToolUse("Write", {"file_path": "a.txt", "content": "x"})
    stage.play(
        cast(
            [Turn([agent("scout: write", run_in_background=True)]), "Begun.", "Noted."],
            scout=[Turn([write]), "Written."],
        )
    )
    chat = await stage.chat()
    prompt = chat.send("Go")
    question = await chat.question()
    await chat.set_mode("acceptEdits")
    await question.withdrawn()
    assert await prompt.stop_reason() == "end_turn"
    await until(lambda: len(chat.turns()) == 2)
    assert (stage.project / "a.txt").read_text(encoding="utf-8") == "x"


async def test_a_denied_type_is_an_error_and_not_offered(stage: Stage) -> None:
    stage.settings(deny=["Agent(Explore)"])
    stage.play([Turn([agent("look", "Explore")]), Turn([agent("look", "Nobody")]), "Well."])
    chat = await stage.chat()
    assert await chat.ask("Go") == "end_turn"
    [tool] = [one for one in stage.body(0)["tools"] if one["name"] == "Agent"]
    assert "- Explore:" not in tool["description"]
    assert "- Plan:" in tool["description"]
    [denied] = stage.results(1)
    assert "forbids" in text_of(denied)
    [unknown] = stage.results(2)
    assert "There is no agent type 'Nobody'. There are: Plan, general-purpose" in text_of(unknown)


async def test_agents_have_limits_in_depth_and_number(stage: Stage) -> None:
    stage.write(".pilotfish/settings.json", '{"agents": {"maxDepth": 1, "maxRunning": 1}}')
    both = [agent("scout: go", call="toolu_a"), agent("scout: go", call="toolu_b")]
    alone = Turn("I am alone.", faults=[Stall(before_headers=True, gate="alone")])
    stage.play(cast([Turn(both), "Well."], scout=[alone]))
    chat = await stage.chat()
    prompt = chat.send("Go")
    await until(lambda: any(one.get("status") == "failed" for one in chat.updates()))
    stage.fake.release("alone")
    assert await prompt.stop_reason() == "end_turn"
    refused, ran = sorted(map(text_of, stage.results()), key=lambda text: "alone" in text)
    assert ran.startswith("I am alone.")
    assert "agents.maxRunning" in refused
    names = {tool["name"] for tool in bodies(stage, "scout")[0]["tools"]}
    assert names.isdisjoint({"Agent", "EnterPlanMode", "ExitPlanMode"})


async def test_three_levels_deep_a_question_reaches_the_user_and_a_stop_everybody(
    stage: Stage,
) -> None:
    ask = bash("make everything")
    stage.play(
        cast(
            [Turn([agent("alpha: hand it on")])],
            alpha=[Turn([agent("beta: hand it on", call="toolu_2")])],
            beta=[Turn([agent("gamma: do it", call="toolu_3")])],
            gamma=[Turn([ask]), Turn([bash("make more")])],
        )
    )
    chat = await stage.chat()
    prompt = chat.send("Go")
    question = await chat.question()
    assert question.meta["agentId"] != "main"
    assert {"Agent", "Bash"} <= {tool["name"] for tool in bodies(stage, "beta")[0]["tools"]}
    assert "Agent" not in {tool["name"] for tool in bodies(stage, "gamma")[0]["tools"]}
    question.answer("reject_once")  # a refusal leaves the rest of the task to the agent

    again = await chat.question(2)
    refusal = text_of(bodies(stage, "gamma")[-1]["messages"][-1]["content"][0])
    assert refusal.startswith("The user refused this call.")
    chat.stop()
    assert await prompt.stop_reason() == "cancelled"
    await again.withdrawn()
    ended = [one for one in await events_of(stage, chat) if isinstance(one, AgentEnded)]
    assert [one.outcome.status for one in ended] == ["killed"] * 3
    inbox = await stage.client.request("_pilotfish/inbox/list", {})
    assert inbox["questions"] == []


async def test_a_rule_granted_to_an_agent_holds_for_the_session(stage: Stage) -> None:
    stage.play(
        cast(
            [Turn([agent("scout: run it")]), Turn([bash("make it")]), "Done."],
            scout=[Turn([bash("make it")]), "Ran."],
        )
    )
    stage.write("Makefile", "it:\n\t@echo made\n")
    chat = await stage.chat()
    prompt = chat.send("Go")
    question = await chat.question()
    question.answer(next(one for one in question.options if one.startswith("allow_always")))
    assert await prompt.stop_reason() == "end_turn"
    assert len(chat.questions()) == 1
    assert "made" in text_of(stage.results()[0])


async def test_the_second_of_two_agents_is_told_that_a_file_is_not_what_it_read(
    stage: Stage,
) -> None:
    stage.write("a.txt", "one\ntwo\n")
    read = ToolUse("Read", {"file_path": "a.txt"}, id="toolu_read")

    def edit(old: str, new: str, call: str) -> ToolUse:
        given = {"file_path": "a.txt", "old_string": old, "new_string": new}
        return ToolUse("Edit", given, id=call)

    second = [
        Turn([read]),
        Turn([bash("touch read; while [ ! -e edited ]; do sleep 0.02; done")]),
        Turn([edit("two", "second", "toolu_e2")]),
        Turn([ToolUse("Read", {"file_path": "a.txt"}, id="toolu_r2")]),
        Turn([edit("two", "second", "toolu_e3")]),
        "Changed two.",
    ]
    first = [
        Turn([bash("while [ ! -e read ]; do sleep 0.02; done")]),
        Turn([read]),
        Turn([edit("one", "first", "toolu_e1")]),
        Turn([bash("touch edited")]),
        "Changed one.",
    ]
    calls = [agent("scout: change", call="toolu_a"), agent("diver: change", call="toolu_b")]
    stage.play(cast([Turn(calls), "Both."], scout=first, diver=second))
    chat = await stage.chat(permissionMode="acceptEdits", allowedTools=["Bash"])
    assert await chat.ask("Go") == "end_turn"
    assert (stage.project / "a.txt").read_text(encoding="utf-8") == "first\nsecond\n"
    told = [text_of(one) for one in bodies(stage, "diver")[3]["messages"][-1]["content"][:1]]
    assert "changed" in told[0]
    changes = await stage.client.request("_pilotfish/edits/changes", {"sessionId": chat.id})
    [file] = changes["files"]
    assert file["path"].endswith("a.txt")


async def test_what_agents_use_is_in_the_sessions_sums_and_requests_begin_alike(
    stage: Stage,
) -> None:
    two = [agent("scout: go", call="toolu_a"), agent("diver: go", call="toolu_b")]
    stage.play(cast([Turn(two), "Done."], scout=["One."], diver=["Two."]))
    chat = await stage.chat()
    assert await chat.ask("Go") == "end_turn"
    [one], [other] = bodies(stage, "scout"), bodies(stage, "diver")
    assert one["system"] == other["system"]
    assert one["tools"] == other["tools"]
    used = session_data(await events_of(stage, chat)).used.total
    assert used.calls == 4


async def test_the_model_of_an_agent(stage: Stage) -> None:
    calls = [
        agent("scout: go", call="toolu_a", model="claude-haiku-4-5"),
        agent("diver: go", call="toolu_b", model="haiku"),
    ]
    stage.play(cast([Turn(calls), "Done."], scout=["One."], diver=["Two."]))
    chat = await stage.chat(model="claude-opus-4-1")
    assert await chat.ask("Go") == "end_turn"
    assert bodies(stage, "scout")[0]["model"] == "claude-haiku-4-5"
    # A server that is not the vendor's need not know its short names.
    assert bodies(stage, "diver")[0]["model"] == "claude-opus-4-1"


async def test_an_agent_hears_what_its_edit_broke(stage: Stage) -> None:
    given = {"file_path": "broken.py", "content": "def f(:\n"}
    write = ToolUse("Write", given, id="toolu_write")
    stage.play(cast([Turn([agent("scout: write")]), "Well."], scout=[Turn([write]), "Broken."]))
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Go") == "end_turn"
    heard = str(bodies(stage, "scout")[-1]["messages"][-1]["content"])
    assert "these diagnostics are new" in heard
    assert "broken.py" in heard
