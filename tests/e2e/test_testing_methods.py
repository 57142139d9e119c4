"""What a server that is started for tests can be asked: to begin afresh, and what time it is."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from pilotfish.edges.lsp.capabilities import TESTING_METHODS as ANNOUNCED
from pilotfish.wire.testing import LAST_MS, TESTING_METHODS

from tests.support.stage import Stage, alive, environment
from tests.support.waiting import until, until_answer
from tests.support.wire_client import Json, WireClient, WireError
from tools.fake_model import HttpError, Stall, ToolUse, Turn

HOUR_MS = 3_600_000


@pytest_asyncio.fixture
async def own(tmp_path: Path) -> AsyncIterator[Stage]:
    """A server of its own: a reset would end the sessions of other tests."""
    async with Stage.open(tmp_path) as stage:
        yield stage


async def clock(stage: Stage, **turned: int) -> Json:
    return await stage.client.request("_pilotfish/testing/clock", turned)


async def stats(stage: Stage) -> Json:
    return await stage.client.request("_pilotfish/testing/stats", {})


async def reset(stage: Stage) -> None:
    assert await stage.client.request("_pilotfish/testing/reset", {}) == {}
    stage.chats.clear()


def test_the_methods_that_are_announced_are_those_that_exist() -> None:
    assert sorted(ANNOUNCED) == sorted(one.name for one in TESTING_METHODS)


async def test_a_reset_ends_everything_and_the_server_goes_on(own: Stage) -> None:
    in_background = ToolUse(
        "Bash", {"command": "echo $$ > pid; sleep 600", "run_in_background": True}
    )
    own.play(
        [Turn([in_background]), "It runs.", Turn([ToolUse("Bash", {"command": "touch asked"})])]
    )
    busy = await own.chat(allowedTools=["Bash"])
    assert await busy.ask("Run it") == "end_turn"
    asking = await own.chat()
    prompt = asking.send("Ask me")
    question = await asking.question()
    path = own.write("open.py", "x = 1\n")
    own.editor.open(path)
    children = {one["pid"] for one in (await stats(own))["children"]}
    assert children

    await reset(own)

    assert await prompt.stop_reason() == "cancelled"
    await question.withdrawn()
    await until(lambda: not alive(children))

    async def runs_nothing() -> bool:
        return (await stats(own))["children"] == []

    await until_answer(runs_nothing)  # what begins afresh looks at the machine for a moment
    after = await stats(own)
    assert after["sessions"] == 0
    assert after["openDocuments"] == 1
    assert set(after["counts"].values()) <= {0}
    with pytest.raises(WireError, match="no open session"):
        await busy.ask("Still there?")

    own.play(["A new beginning.", "As before."])
    fresh = await own.chat()
    assert await fresh.ask("Hello") == "end_turn"
    again, _ = await own.reload(busy.id)
    assert await again.ask("And again") == "end_turn"


async def test_a_reset_cancels_what_is_being_asked_and_may_come_twice(own: Stage) -> None:
    own.play([Turn("I think", faults=[Stall(after_events=3)])])
    chat = await own.chat()
    prompt = chat.send("Think")
    await own.stalled()
    both = [own.client.send_request("_pilotfish/testing/reset", {})[1] for _ in range(2)]
    outcomes: list[Any] = []
    for each in both:
        try:
            outcomes.append(await each)
        except WireError as error:
            outcomes.append(error.code)
    assert {} in outcomes
    assert await prompt.stop_reason() == "cancelled"
    own.chats.clear()
    assert (await stats(own))["sessions"] == 0


async def test_waits_between_attempts_go_by_the_clock(own: Stage) -> None:
    """The server says to wait 50 s; nobody does."""
    overloaded = HttpError(status=529, message="busy", headers={"retry-after": "50"})
    own.play([Turn(error=overloaded), "Here I am."])
    await clock(own, advanceMs=0)
    chat = await own.chat()
    prompt = chat.send("Hello")
    await until(lambda: bool(own.fake.requests))

    async def ended() -> bool:
        await clock(own, advanceMs=10_000)
        return prompt.answer.done()

    await until_answer(ended)
    assert await prompt.stop_reason() == "end_turn"
    assert len(own.fake.requests) == 2


async def test_the_clock_stands_where_it_is_set_and_runs_again_after_a_reset(own: Stage) -> None:
    real = (await clock(own))["nowMs"]
    assert (await clock(own, nowMs=HOUR_MS))["held"] is True
    own.play([Turn([ToolUse("Bash", {"command": "touch asked"})])])
    chat = await own.chat()
    chat.send("Ask me")
    await chat.question()
    [entry] = (await own.client.request("_pilotfish/inbox/list", {}))["questions"]
    assert entry["createdAtMs"] == HOUR_MS
    assert (await clock(own, advanceMs=HOUR_MS))["nowMs"] == 2 * HOUR_MS

    await reset(own)

    found = await clock(own)
    assert found["held"] is False
    assert found["nowMs"] >= real


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"nowMs": "1"}, "nowMs"),
        ({"nowMs": -1}, "nowMs"),
        ({"advanceMs": -1}, "advanceMs"),
        ({"advanceMs": 1.5}, "advanceMs"),
        ({"nowMs": LAST_MS, "advanceMs": 1}, "advanceMs"),
    ],
)
@pytest.mark.asyncio(loop_scope="session")
async def test_a_time_that_cannot_be_is_refused(stage: Stage, params: Json, field: str) -> None:
    with pytest.raises(WireError, match=field) as caught:
        await stage.client.request("_pilotfish/testing/clock", params)
    assert caught.value.code == -32602
    assert (await clock(stage))["held"] is False


@pytest.mark.parametrize("method", [one.name for one in TESTING_METHODS])
async def test_a_server_that_is_not_for_tests_refuses(tmp_path: Path, method: str) -> None:
    client = await WireClient.start(environment(tmp_path / "home"), cwd=tmp_path, arguments=())
    answer = await client.initialize(tmp_path)
    assert method not in answer["capabilities"]["experimental"]["pilotfish"]["methods"]
    with pytest.raises(WireError, match="--testing") as caught:
        await client.request(method, {})
    assert caught.value.code == -32601
    assert await client.stop() == 0
