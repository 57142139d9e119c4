"""The server, the editor or the machine dies: nothing is lost and nothing is left running."""

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
import pytest_asyncio
from pilotfish.core.jsontypes import JsonObject, JsonValue

from tests.support import small_editor
from tests.support.chat import Chat
from tests.support.mortal_server import server
from tests.support.stage import Stage, alive, all_text, assert_paired, environment, family, text_of
from tests.support.waiting import until
from tests.support.wire_client import WAIT_S, Json, WireClient, WireError
from tools.fake_model import FakeModel, Pace, Scenario, Script, Stall, ToolUse, Turn, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

GONE_S = 60.0
"""Within this time nothing of a killed editor's server may run."""

WRITE = ToolUse("Write", {"file_path": "a.txt", "content": "a\n"}, id="toolu_write")
SLEEP = ToolUse("Bash", {"command": "echo $$ > pid; sleep 1000"}, id="toolu_sleep")


async def kill(stage: Stage) -> None:
    """End the server as the kernel would; its children must follow."""
    processes = family(stage.client.process.pid)
    stage.client.process.kill()
    await stage.client.wait_for_exit()
    await until(lambda: not alive(processes), limit_s=GONE_S)


def transcript(stage: Stage, chat: Chat) -> Path:
    (path,) = (stage.home / ".pilotfish" / "projects").glob(f"*/{chat.id}.jsonl")
    return path


OTHER = ToolUse("Bash", {"command": "touch b.txt"})
BROKEN = ToolUse("Read", raw_json="{broken", id="toolu_broken")
TURNS = Scenario(
    scripts=[
        Script(
            when=When(first_user_text="Write"),
            turns=[Turn(["I write it.", WRITE, OTHER, BROKEN]), "Written."],
        ),
        Script(
            when=When(first_user_text="Run"),
            turns=[Turn(["I run it.", SLEEP]), "I check first."],
        ),
        Script(when=When(first_user_text="Talk"), turns=["One.", "Two.", "Three."]),
    ]
)


@dataclass
class Crashed:
    """A server that was killed while three sessions were open, and the one that follows it."""

    stage: Stage
    writing: Chat
    """Waits for an answer."""
    request_id: str
    running: Chat
    """Runs a command."""
    talking: Chat
    """Idle; the last line of its transcript is torn."""
    pid: int
    """Of the command."""


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def crashed(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Crashed]:
    folder = tmp_path_factory.mktemp("crash")
    async with FakeModel(TURNS) as fake:
        async with server(fake, folder) as stage:
            talking, writing = await stage.chat(), await stage.chat()
            running = await stage.chat(allowedTools=["Bash"])
            await talking.ask("Talk")
            prompt = writing.send("Write a.txt")
            question = await writing.question()
            running.agree()
            running.send("Run it")
            pid = stage.project / "pid"
            await until(lambda: pid.exists() and bool(pid.read_text().strip()))
            await kill(stage)
            with pytest.raises(ConnectionError):
                await prompt.stop_reason()
        with transcript(stage, talking).open("ab") as file:
            file.write(b'{"seq": 99, "time_ms": 1, "event": {"type": "turn_sta')
        async with server(fake, folder) as stage:
            request_id = question.meta["requestId"]
            number = int(pid.read_text())
            yield Crashed(stage, writing, request_id, running, talking, number)
        assert fake.problems == []
        assert fake.unused_turns == []


async def stored(stage: Stage, client: WireClient | None = None) -> list[Json]:
    """Return the questions that wait in sessions which nobody has open, as a server tells them."""
    params = {"storedIn": str(stage.project)}
    answer = await (client or stage.client).request("_pilotfish/inbox/list", params)
    return answer["stored"]


async def test_a_question_of_a_session_that_is_not_open_is_listed(crashed: Crashed) -> None:
    stage = crashed.stage
    (waiting,) = await stored(stage)
    assert waiting["sessionId"] == crashed.writing.id
    assert waiting["sessionTitle"] == "Write a.txt"
    assert "a.txt" in waiting["title"]
    assert waiting["toolCallId"] == "toolu_write"
    assert (await stage.client.request("_pilotfish/inbox/list", {}))["stored"] == []


async def test_a_question_survives_the_servers_death(crashed: Crashed) -> None:
    stage = crashed.stage
    view, _ = await stage.reload(crashed.writing.id, "resume")
    question = await view.question(1)
    assert question.call["toolCallId"] == "toolu_write"
    assert question.meta["requestId"] != crashed.request_id
    assert question.meta["sessionTitle"] == "Write a.txt"
    assert await stored(stage) == []  # it is open now, and listed as such
    other = await WireClient.start(environment(stage.home, stage.fake.url), cwd=stage.project)
    await other.initialize(stage.project)
    assert await stored(stage, other) == []  # another window cannot open it
    assert await other.stop() == 0
    snapshot = await view.snapshot()
    assert snapshot["state"] == "requires_action"
    assert [one["requestId"] for one in snapshot["questions"]] == [question.meta["requestId"]]
    question.answer("allow_once")
    (await view.question(2)).answer("allow_once")
    await view.wait_for_state("idle")
    assert view.turns()[-1]["reason"] == "completed"
    assert view.text() == "Written."
    assert (stage.project / "a.txt").read_text() == "a\n"
    assert_paired(stage.body())
    assert [bool(one.get("is_error")) for one in stage.results()] == [False, False, True]
    assert "not a JSON object" in text_of(stage.results()[2])


async def test_a_command_that_ran_when_the_server_died_counts_as_interrupted(
    crashed: Crashed,
) -> None:
    stage = crashed.stage
    assert not alive({crashed.pid})
    view, _ = await stage.reload(crashed.running.id)
    snapshot = await view.snapshot()
    assert snapshot["canResume"] is True
    assert snapshot["state"] == "idle"
    assert view.text() == "I run it."
    assert view.turns()[-1]["reason"] == "interrupted"
    assert view.tool_updates("toolu_sleep")[-1]["meta"]["toolStatus"] == "interrupted"
    assert await view.ask("What happened?") == "end_turn"
    assert_paired(stage.body())
    assert "effects are unknown" in text_of(stage.results()[0])


async def test_a_torn_last_line_costs_that_line_only(crashed: Crashed) -> None:
    stage, session_id = crashed.stage, crashed.talking.id
    for number, prompt in enumerate(("Second", "Third"), start=2):
        view, _ = await stage.reload(session_id)
        assert await view.ask(prompt) == "end_turn"
        assert len(stage.body()["messages"]) == 2 * number - 1
        await stage.client.request("session/close", {"sessionId": session_id})
    lines = transcript(stage, crashed.talking).read_bytes().splitlines()
    torn = [line for line in lines if not line.endswith(b"}")]
    assert len(torn) == 1
    seqs = [json.loads(line)["seq"] for line in lines if line not in torn]
    assert seqs == list(range(1, len(seqs) + 1))


async def test_a_plan_and_a_form_survive_the_servers_death(tmp_path: Path) -> None:
    options: list[JsonValue] = [{"label": one, "description": ""} for one in ("Left", "Right")]
    form: JsonObject = {
        "questions": [{"question": "Which way?", "header": "Way", "options": options}]
    }
    scripts = [
        Script(
            when=When(first_user_text="Plan"),
            turns=[Turn([ToolUse("ExitPlanMode", {})]), "I begin."],
        ),
        Script(
            when=When(first_user_text="Ask"),
            turns=[Turn([ToolUse("AskUserQuestion", form)]), "I turn."],
        ),
    ]
    async with FakeModel(Scenario(scripts=scripts)) as fake:
        async with server(fake, tmp_path) as stage:
            planning, asking = await stage.chat(permissionMode="plan"), await stage.chat()
            plan = stage.home / ".pilotfish" / "plans" / f"plan-it.{planning.id}.md"
            plan.parent.mkdir()
            plan.write_text("# Turn left\n", encoding="utf-8")
            prompts = planning.send("Plan it"), asking.send("Ask me")
            await planning.question()
            await asking.question()
            await kill(stage)
            for prompt in prompts:
                with pytest.raises(ConnectionError):
                    await prompt.stop_reason()
        async with server(fake, tmp_path) as stage:
            planning, _ = await stage.reload(planning.id, "resume")
            asking, _ = await stage.reload(asking.id, "resume")
            review, question = await planning.question(), await asking.question()
            assert review.call["title"] == "Plan: Turn left"
            review.answer("start_editing")
            question.fill({"question_1": "Left"})
            await planning.wait_for_state("idle")
            await asking.wait_for_state("idle")
            assert (planning.text(), asking.text()) == ("I begin.", "I turn.")
            assert (await planning.snapshot())["status"]["mode"] == "default"
        assert fake.problems == []


async def test_a_killed_editor_takes_the_server_and_its_children_along(tmp_path: Path) -> None:
    """Even where a process that the editor started still holds the server's input open."""
    turns = [Turn([ToolUse("Bash", {"command": "sleep 1000"})], repeat=2)]
    async with FakeModel(turns) as fake:
        env = environment(tmp_path / "home", fake.url)
        await asyncio.gather(_kill_editor(env, tmp_path), _kill_editor(env, tmp_path, "--keeper"))


async def _kill_editor(env: dict[str, str], folder: Path, *keeps: str) -> None:
    editor = await asyncio.create_subprocess_exec(
        *(sys.executable, small_editor.__file__, str(folder), *keeps),
        env=env, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert editor.stdout is not None
    keeper = int(await editor.stdout.readline()) if keeps else None
    pid = int(await editor.stdout.readline())
    try:
        await until(lambda: _runs_sleep(pid), limit_s=WAIT_S)
        processes = family(pid)
        editor.kill()
        await editor.communicate()
        await until(lambda: not alive(processes), limit_s=GONE_S)
    finally:
        if keeper is not None:
            os.kill(keeper, signal.SIGKILL)
        for left in alive(family(pid)):
            os.kill(left, signal.SIGKILL)


def _runs_sleep(pid: int) -> bool:
    return any(_name_of(child) == "sleep" for child in psutil.Process(pid).children(recursive=True))


def _name_of(process: psutil.Process) -> str:
    try:
        return process.name()
    except psutil.NoSuchProcess:  # some children are short-lived
        return ""


async def test_the_server_ends_with_its_input_or_on_a_signal(tmp_path: Path) -> None:
    ends = (None, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    await asyncio.gather(*(_end(tmp_path, one) for one in ends))


async def _end(folder: Path, how: signal.Signals | None) -> None:
    """End a server by a signal, or by closing its input."""
    client = await WireClient.start(environment(folder / "home"), cwd=folder)
    await client.initialize(folder)
    await client.settle()
    processes = family(client.process.pid)
    if how is None:
        assert client.process.stdin is not None
        client.process.stdin.close()
    else:
        client.process.send_signal(how)
    await client.wait_for_exit()
    await until(lambda: not alive(processes))
    assert client.stderr == []


async def test_sessions_are_listed_deleted_and_closed(tmp_path: Path) -> None:
    turns = ["One.", "Two.", "Three.", Turn("Long", faults=[Stall(after_events=3)]), "Again."]
    async with FakeModel(turns) as fake:
        async with server(fake, tmp_path) as stage:
            client = stage.client
            one, empty, two = [await stage.chat() for _ in range(3)]
            await one.ask("The first prompt\nwith a second line")
            await two.ask("Another prompt")

            listed = await client.request("session/list", {"cwd": str(stage.project)})
            assert [one["sessionId"] for one in listed["sessions"]] == [two.id, one.id]
            assert listed["sessions"][1]["title"] == "The first prompt"
            assert empty.id not in str(listed)
            nowhere = await client.request("session/list", {"cwd": str(tmp_path)})
            assert nowhere == {"sessions": []}

            await client.request("session/close", {"sessionId": one.id})
            with pytest.raises(WireError, match="no open session"):
                await one.ask("Still there?")
            again, _ = await stage.reload(one.id)
            assert await again.ask("Back again") == "end_turn"
            assert len(stage.body()["messages"]) == 3

            await client.request("session/delete", {"sessionId": two.id})
            assert two.id not in str(await client.request("session/list", {}))
            for method in ("load", "resume"):
                with pytest.raises(WireError, match="no session") as failure:
                    await stage.reload(two.id, method)
                assert failure.value.code == -32803
            with pytest.raises(WireError, match="no session"):
                await client.request("session/delete", {"sessionId": "../../etc/passwd"})

            again.send("Talk")  # and in the middle of it the editor closes in good order
            await stage.stalled()
        async with server(fake, tmp_path) as stage:
            view, _ = await stage.reload(one.id)
            assert view.turns()[-1]["reason"] == "interrupted"
            assert await view.ask("Go on") == "end_turn"
            assert all_text(stage.body()).count("Talk") == 1
        assert fake.problems == []


async def test_what_was_being_said_when_the_editor_closed_is_still_there(tmp_path: Path) -> None:
    """For people and for the model: a window that is reloaded takes its server along."""
    words = "Parsers lose tokens where slices end too early."
    held = Turn(words, pace=Pace(chunk_chars=10), faults=[Stall(after_events=5)])
    turns = [held, "As I said."]
    async with FakeModel(turns) as fake:
        async with server(fake, tmp_path) as stage:
            chat = await stage.chat()
            prompt = chat.send("Why?")
            await stage.stalled()
            await until(lambda: bool(chat.text()))
            shown = chat.text()
        assert await prompt.stop_reason() == "cancelled"
        async with server(fake, tmp_path) as stage:
            view, _ = await stage.reload(chat.id)
            kept = view.text()
            assert kept.startswith(shown)
            assert words.startswith(kept)
            assert kept != words
            assert view.turns()[-1]["reason"] == "interrupted"
            assert await view.ask("Go on") == "end_turn"
            asked, said, more = stage.body()["messages"]
            assert [one["role"] for one in (asked, said, more)] == ["user", "assistant", "user"]
            assert [text_of(one) for one in said["content"]] == [kept]
        assert fake.problems == []


async def test_a_background_command_that_a_crash_has_ended_is_told(tmp_path: Path) -> None:
    command = {"command": "echo $$ > pid; sleep 1000", "run_in_background": True}
    turns = [Turn([ToolUse("Bash", command)]), "It goes on.", "Then once more.", "Bye."]
    async with FakeModel(turns) as fake:
        async with server(fake, tmp_path) as stage:
            chat = await stage.chat(allowedTools=["Bash"])
            await chat.ask("Build it")
            await kill(stage)
        async with server(fake, tmp_path) as stage:
            again, _ = await stage.reload(chat.id)
            assert again.facts("task")[-1]["task"]["status"] == "lost"
            assert await again.ask("How is it going?") == "end_turn"
            said = " ".join(text_of(one) for one in stage.said())
            assert "<status>lost</status>" in said
            assert await again.ask("And now?") == "end_turn"
            assert all_text(stage.body()).count("<task-notification>") == 1
