"""Questions wait in an inbox: any view can answer, once."""

import pytest

from tests.support.stage import Stage, assert_paired
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


def touch(name: str) -> ToolUse:
    return ToolUse("Bash", {"command": f"touch {name}"})


async def test_the_inbox_lists_the_open_questions_of_all_sessions(stage: Stage) -> None:
    stage.play([Turn([touch("a")]), Turn([touch("b")]), "Done.", "Done."])
    one, two = await stage.chat(), await stage.chat()
    first = one.send("a")
    question = await one.question()
    second = two.send("b")
    await two.question()

    everything = await stage.client.request("_pilotfish/inbox/list", {})
    assert [entry["sessionId"] for entry in everything["questions"]] == [one.id, two.id]
    entry = everything["questions"][0]
    assert entry["requestId"] == question.meta["requestId"]
    assert entry["request"] == question.message["params"]
    mine = await stage.client.request("_pilotfish/inbox/list", {"sessionId": two.id})
    assert [entry["sessionId"] for entry in mine["questions"]] == [two.id]
    snapshot = await two.snapshot()
    assert snapshot["questions"] == mine["questions"]
    assert snapshot["state"] == "requires_action"

    for entry in everything["questions"]:
        params = {"requestId": entry["requestId"], "optionId": "allow_once"}
        assert await stage.client.request("_pilotfish/inbox/answer", params) == {"accepted": True}
    assert await first.stop_reason() == "end_turn"
    assert await second.stop_reason() == "end_turn"
    assert (await stage.client.request("_pilotfish/inbox/list", {}))["questions"] == []


async def test_an_answer_from_the_inbox_closes_the_dialog_and_counts_once(stage: Stage) -> None:
    stage.play([Turn([touch("a")]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("a")
    question = await chat.question()
    params = {"requestId": question.meta["requestId"], "optionId": "allow_once"}
    refusal = params | {"optionId": "reject_once"}

    assert await stage.client.request("_pilotfish/inbox/answer", params) == {"accepted": True}
    assert await stage.client.request("_pilotfish/inbox/answer", refusal) == {"accepted": False}
    await question.withdrawn()
    question.answer("reject_once")

    assert await prompt.stop_reason() == "end_turn"
    assert (stage.project / "a").exists()
    unknown = {"requestId": "no-such-question", "optionId": "allow_once"}
    assert await stage.client.request("_pilotfish/inbox/answer", unknown) == {"accepted": False}


async def test_a_granted_rule_answers_the_same_question_of_a_parallel_call(
    stage: Stage, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Two reads outside the project wait side by side; allowing one folder lets both go on."""
    other = tmp_path_factory.mktemp("elsewhere")
    names = ("a.txt", "b.txt")
    for name in names:
        (other / name).write_text(f"text of {name}\n")
    calls = [ToolUse("Read", {"file_path": str(other / name)}) for name in names]
    stage.play([Turn(list(calls)), "Read."])
    chat = await stage.chat()
    prompt = chat.send("Read both")
    first, second = await chat.question(1), await chat.question(2)
    assert (await chat.snapshot())["questions"][1]["requestId"] == second.meta["requestId"]

    first.answer("allow_always", destination="session")

    assert await prompt.stop_reason() == "end_turn"
    await second.withdrawn()
    assert not first.is_withdrawn
    assert_paired(stage.body())
    assert all(not one.get("is_error") for one in stage.results())


async def test_a_reloaded_view_gets_the_question_again_and_answers_it(stage: Stage) -> None:
    """The window was reloaded while the server lived on."""
    stage.play([Turn(["I touch it.", touch("a")]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("a")
    question = await chat.question()
    before = len(chat.updates())

    view, _ = await stage.reload(chat.id)

    replayed = chat.updates()[before:]
    shown = "".join(
        one["content"]["text"] for one in replayed if one["sessionUpdate"] == "agent_message_chunk"
    )
    assert shown == "I touch it."
    (entry,) = (await view.snapshot())["questions"]
    assert entry["requestId"] == question.meta["requestId"]
    assert not question.is_withdrawn
    params = {"requestId": entry["requestId"], "optionId": "allow_once"}
    await stage.client.request("_pilotfish/inbox/answer", params)
    assert await prompt.stop_reason() == "end_turn"


async def test_a_snapshot_tells_what_came_after_a_seq(stage: Stage) -> None:
    stage.play(["One.", "Two."])
    chat = await stage.chat()
    await chat.ask("First")
    snapshot = await chat.snapshot()
    assert snapshot["title"] == "First"
    assert snapshot["cwd"] == str(stage.project)
    assert snapshot["state"] == "idle"
    assert snapshot["canResume"] is False
    seen = {one["_meta"]["pilotfish"]["seq"] for one in snapshot["updates"]}
    assert seen == set(range(1, snapshot["seq"] + 1))
    await chat.ask("Second")
    later = await chat.snapshot(since=snapshot["seq"])
    seqs = [one["_meta"]["pilotfish"]["seq"] for one in later["updates"]]
    assert min(seqs) == snapshot["seq"] + 1
    assert max(seqs) == later["seq"]
