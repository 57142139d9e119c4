"""``pilotfish run``: one prompt from a shell, for scripts and for people at a terminal."""

import asyncio
import json
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from acp import schema
from pilotfish.core.jsontypes import JsonObject, JsonValue

from tests.support.command_line import Finished, pilotfish, terminal
from tests.support.demo_stage import copy_example
from tests.support.stage import alive, all_text, body_of, environment, names_in, text_of
from tests.support.waiting import until
from tests.support.wire_client import WAIT_S
from tools.fake_model import FakeModel, Scenario, Script, ToolUse, Turn, When

pytestmark = pytest.mark.asyncio(loop_scope="session")

EDIT = [
    ToolUse("Read", {"file_path": "a.py"}),
    ToolUse("Edit", {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 2"}),
]
TOUCH = [ToolUse("Bash", {"command": "touch made"})]
WRITE = ToolUse("Write", {"file_path": "b.txt", "content": "b\n"})


SCENARIO = Scenario(
    scripts=[
        Script(when=When(first_user_text="Change x"), turns=[Turn(["I look.", *EDIT]), "Changed."]),
        Script(when=When(first_user_text="Alter x"), turns=[Turn(["I look.", *EDIT]), "Changed."]),
        Script(when=When(first_user_text="Write b"), turns=[Turn([WRITE]), "I could not."]),
        Script(when=When(first_user_text="Read for ever"), turns=[Turn([EDIT[0]], repeat=2)]),
        Script(when=When(first_user_text="Be refused"), turns=[Turn(error="unauthorized")]),
        Script(
            when=When(first_user_text="First"),
            turns=["One.", Turn(["Again.", *TOUCH]), "Two.", "Three.", "Four."],
        ),
    ]
)

AT_ONCE = 3
"""Runs at the same time: each takes a second of start on a core."""


@dataclass(frozen=True)
class Runs:
    """Runs that have ended, each in a folder of its own."""

    ended: dict[str, Finished]
    folder: Path
    fake: FakeModel

    def project(self, name: str) -> Path:
        return self.folder / name


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def runs(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Runs]:
    folder = tmp_path_factory.mktemp("runs")
    gate = asyncio.Semaphore(AT_ONCE)
    found: dict[str, Finished] = {}

    async def run(name: str, *arguments: str, stdin: str | None = None) -> None:
        project = make_project(folder / name)
        async with gate:
            found[name] = await pilotfish(*arguments, env=env, cwd=project, stdin=stdin)

    async def conversation() -> None:
        json_output = ("--output-format", "json")
        sailor = ("--append-system-prompt", "Speak like a sailor.")
        await run("talk", "run", "First", *json_output, *sailor)
        found["first"] = found["talk"]
        resume = ("--resume", found["first"].result["session_id"])
        allow = ("--allowed-tools", "Bash(touch:*)", "--output-format", "stream-json")
        await run("talk", "run", *resume, *allow, stdin="Second, from a pipe\n")
        found["second"] = found["talk"]
        await run("talk", "run", "Third", "--continue")
        session = found["first"].result["session_id"]
        (transcript,) = (folder / "home").rglob(f"{session}.jsonl")
        shutil.copyfile(transcript, folder / "backup.jsonl")
        copy = ("--resume", "../backup.jsonl", "--output-format", "json")
        await run("elsewhere", "run", "Fourth", *copy)

    nobody = "00000000-0000-0000-0000-000000000000"
    async with FakeModel(SCENARIO) as fake:
        env = environment(folder / "home", fake.url)
        await asyncio.gather(
            conversation(),
            run("text", "run", "Change x", "--permission-mode", "acceptEdits"),
            run("denied", "run", "Write b", "--output-format", "json"),
            run("limit", "run", "Read for ever", "--max-turns", "2", "--output-format", "json"),
            run("key", "run", "Be refused"),
            run("unknown", "run", "x", "--resume", nobody),
            run("no session", "run", "x", "--continue"),
            run("nobody to ask", "run", "x", "--resume"),
            run("unknown, json", "run", "x", "--resume", nobody, "--output-format", "json"),
            run("no session, lines", "run", "x", "--continue", "--output-format", "stream-json"),
            run("no prompt", "run", stdin="  \n"),
            run("wrong format", "run", "x", "--output-format", "xml"),
            run("wrong number", "run", "x", "--max-turns", "0"),
            run("empty model", "run", "x", "--model", ""),
            run("wrong serve", "serve", "--nonsense"),
            run("wrong mode", "run", "x", "--permission-mode", "auto"),
            run("older mode", "run", "Alter x", "--permission-mode", "accept-edits"),
        )
        yield Runs(found, folder, fake)
        assert fake.problems == []
        assert fake.unused_turns == []


def make_project(folder: Path) -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / "a.py"
    if not path.exists():
        path.write_text("x = 1\n")
    return folder


async def test_text_output_is_the_answer_alone(runs: Runs) -> None:
    """So that it can be piped; calls and diffs go to standard error."""
    ended = runs.ended["text"]
    assert (ended.code, ended.stdout) == (0, "Changed.\n")
    for line in ("● Read", "● Edit", "-x = 1", "+x = 2"):
        assert line in ended.stderr
    assert "\x1b" not in ended.stderr
    assert (runs.project("text") / "a.py").read_text() == "x = 2\n"


async def test_json_resume_and_continue_go_on_with_one_session(runs: Runs) -> None:
    (result,) = runs.ended["first"].lines
    assert result["text"] == "One."
    assert (result["stop_reason"], result["terminal_reason"]) == ("end_turn", "completed")
    assert result["is_error"] is False
    assert result["num_turns"] == 1
    assert result["usage"]["input_tokens"] > 0
    assert result["cost_usd"] > 0
    assert 0 < result["duration_api_ms"] <= result["duration_ms"]
    numbers = range(len(runs.fake.requests))
    bodies = [one for one in (body_of(runs.fake, n) for n in numbers) if "First" in all_text(one)]
    assert "Speak like a sailor." in json.dumps(bodies[0]["system"])

    second = runs.ended["second"]
    assert second.code == 0, second.stderr
    assert (runs.project("talk") / "made").exists()
    assert second.result["session_id"] == result["session_id"]
    # Only what this run has used: not the time of the one before.
    assert 0 < second.result["duration_api_ms"] <= second.result["duration_ms"]
    assert "Second, from a pipe" in all_text(bodies[2])
    check_stream(second)

    assert runs.ended["talk"].stdout == "Three.\n"
    assert all(word in all_text(bodies[3]) for word in ("Second, from a pipe", "Third"))


async def test_a_transcript_from_elsewhere_goes_on_as_a_session_of_this_folder(
    runs: Runs,
) -> None:
    ended = runs.ended["elsewhere"]
    assert (ended.code, ended.result["text"]) == (0, "Four.")
    first, new = runs.ended["first"].result["session_id"], ended.result["session_id"]
    assert new != first
    note = f"../backup.jsonl stays as it is; its copy, session {new}, goes on."
    assert note in ended.stderr
    (old,) = (runs.folder / "home").rglob(f"{first}.jsonl")
    assert (runs.folder / "backup.jsonl").read_bytes() == old.read_bytes()
    bodies = [body_of(runs.fake, number) for number in range(len(runs.fake.requests))]
    (body,) = [one for one in bodies if "Fourth" in all_text(one)]
    assert all(word in all_text(body) for word in ("First", "Second, from a pipe", "Third"))
    assert str(runs.project("elsewhere")) in json.dumps(body["system"])


@pytest.mark.parametrize(
    ("settled", "mode"), [("plan", "plan"), ("dontAsk", "dontAsk"), ("acceptEdits", "default")]
)
async def test_a_transcript_from_elsewhere_is_in_no_freer_mode_than_the_settings(
    tmp_path: Path, settled: str, mode: str
) -> None:
    project, home = make_project(tmp_path / "project"), tmp_path / "home"
    async with FakeModel(Scenario(turns=["One.", "Two."])) as fake:
        env = environment(home, fake.url)
        json_output = ("--output-format", "json")
        first = await pilotfish("run", "First", *json_output, env=env, cwd=project)
        (transcript,) = home.rglob(f"{first.result['session_id']}.jsonl")
        shutil.copyfile(transcript, tmp_path / "copy.jsonl")
        settings = {"permissions": {"defaultMode": settled}}
        (home / ".pilotfish" / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
        second = ("run", "Second", "--resume", "../copy.jsonl", *json_output)
        ended = await pilotfish(*second, env=env, cwd=project)
    (taken,) = home.rglob(f"{ended.result['session_id']}.jsonl")
    lines = taken.read_text(encoding="utf-8").splitlines()
    events: list[dict[str, object]] = [json.loads(line)["event"] for line in lines]
    assert [one["mode"] for one in events if "mode" in one][-1] == mode


def check_stream(ended: Finished) -> None:
    """Every line is of a known type, in order; updates are the protocol's."""
    types = [line["type"] for line in ended.lines]
    assert types[0] == "session"
    assert types[-1] == "result"
    assert set(types[1:-1]) == {"update", "state", "permission"}
    session = ended.lines[0]["session_id"]
    for line in ended.lines:
        if line["type"] == "update":
            params = {"sessionId": session, "update": line["update"], "_meta": line["_meta"]}
            schema.SessionNotification.model_validate(params)
    (permission,) = [line for line in ended.lines if line["type"] == "permission"]
    assert (permission["decision"], permission["tool"]) == ("allow", "Bash")
    states = [line["state"] for line in ended.lines if line["type"] == "state"]
    assert (states[0], states[-1]) == ("running", "idle")


async def test_what_nobody_can_be_asked_about_is_denied(runs: Runs) -> None:
    ended = runs.ended["denied"]
    assert ended.code == 3
    assert ended.result["is_error"] is False
    assert names_in(runs.project("denied")) == ["a.py"]
    (denied,) = ended.result["permission_denials"]
    assert denied["tool_name"] == "Write"
    assert denied["tool_input"] == {"file_path": "b.txt", "content": "b\n"}
    assert denied["tool_use_id"]
    assert ended.result["num_denials"] == 1


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("key", "401"),
        ("unknown", "no session"),
        ("no session", "no earlier session"),
        ("nobody to ask", "no terminal to ask on"),
    ],
)
async def test_failures_are_exit_code_1_with_the_reason(runs: Runs, name: str, told: str) -> None:
    ended = runs.ended[name]
    assert (ended.code, ended.stdout) == (1, "")
    assert told in ended.stderr
    assert "Traceback" not in ended.stderr
    assert "sessionId" not in ended.stderr, "people do not read the wire's names"


@pytest.mark.parametrize(
    ("variable", "value", "told"),
    [
        ("PILOTFISH_HOME", "somewhere", "is not an absolute path"),
        ("PILOTFISH_HOME", "{cwd}/a.py", "cannot be written: Not a directory"),
        ("HOME", "", "The home folder is not known"),
    ],
)
@pytest.mark.parametrize("command", ["run", "acp"])
async def test_a_home_that_cannot_be_is_told_in_words(
    tmp_path: Path, variable: str, value: str, told: str, command: str
) -> None:
    if command == "acp" and value == "{cwd}/a.py":
        pytest.skip("an editor hears it with its first prompt")
    env = environment(tmp_path / "home")
    if variable == "HOME":
        del env["PILOTFISH_HOME"]
    env[variable] = value.format(cwd=tmp_path)
    prompt = ["Hello"] if command == "run" else []
    ended = await pilotfish(command, *prompt, env=env, cwd=make_project(tmp_path))
    assert ended.code == 1
    assert told in ended.stderr
    for trace in ("Traceback", "Errno", "Error("):
        assert trace not in ended.stderr


@pytest.mark.parametrize(
    ("name", "told"), [("unknown, json", "no session"), ("no session, lines", "no earlier session")]
)
async def test_programs_get_a_result_where_no_session_could_be_opened(
    runs: Runs, name: str, told: str
) -> None:
    ended = runs.ended[name]
    assert ended.code == 1
    (result,) = ended.lines
    assert (result["type"], result["is_error"]) == ("result", True)
    assert told in result["message"]
    assert told in ended.stderr
    assert (result["usage"]["input_tokens"], result["session_id"]) == (0, None)


async def test_the_limit_of_model_calls_is_a_failure(runs: Runs) -> None:
    ended = runs.ended["limit"]
    assert ended.code == 1
    assert ended.result["terminal_reason"] == "max_turns"
    assert ended.result["num_turns"] == 2
    assert ended.result["is_error"] is True


@pytest.mark.parametrize(
    "name",
    ["no prompt", "wrong format", "wrong number", "empty model", "wrong serve", "wrong mode"],
)
async def test_wrong_use_is_exit_code_2(runs: Runs, name: str) -> None:
    ended = runs.ended[name]
    assert (ended.code, ended.stdout) == (2, "")
    assert "Usage:" in ended.stderr


async def test_a_mode_that_cannot_be_chosen_says_why(runs: Runs) -> None:
    assert "the mode `auto` is not available yet." in runs.ended["wrong mode"].stderr


async def test_an_older_name_of_a_mode_is_understood(runs: Runs) -> None:
    assert (runs.ended["older mode"].code, runs.ended["text"].code) == (0, 0)
    assert runs.ended["older mode"].stdout == runs.ended["text"].stdout


async def test_ctrl_c_stops_the_turn_and_its_children(runs: Runs, tmp_path: Path) -> None:
    fake, project = runs.fake, make_project(tmp_path / "project")
    env = environment(tmp_path / "home", fake.url)
    fake.play([Turn([ToolUse("Bash", {"command": "echo $$ > pid; sleep 1000"})])])
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "pilotfish", "run", "Sleep", "--allowed-tools", "Bash"),
        *("--output-format", "json", "--permission-mode", "acceptEdits"),
        env=env, cwd=project, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    pid = project / "pid"
    await until(lambda: pid.exists() and bool(pid.read_text().strip()), limit_s=WAIT_S)
    process.send_signal(signal.SIGINT)
    output, _ = await asyncio.wait_for(process.communicate(), WAIT_S)
    assert process.returncode == 130
    assert json.loads(output)["terminal_reason"] == "aborted_tools"
    await until(lambda: not alive({int(pid.read_text())}))


async def test_a_person_at_a_terminal_is_asked(runs: Runs, tmp_path: Path) -> None:
    fake, project = runs.fake, make_project(tmp_path / "project")
    env = environment(tmp_path / "home", fake.url)
    fake.reset()
    other = ToolUse("Write", {"file_path": "c.txt", "content": "c\n"})
    touch = ToolUse("Bash", {"command": "touch d.txt"})
    fake.play([Turn(EDIT), Turn([WRITE]), Turn([other]), Turn([touch])])
    async with terminal("run", "Change things", env=env, cwd=project) as person:
        await person.see("[y] once")
        assert "+x = 2" in person.screen
        person.enter("y")
        await person.see("[y] once", 2)
        assert (project / "a.py").read_text() == "x = 2\n"
        person.enter("call it c.txt")
        await person.see("[y] once", 3)
        assert "call it c.txt" in text_of(body_of(fake, 2)["messages"][-1]["content"][0])
        person.enter("")
        await person.see("[y] once", 4)
        person.enter("a")
        await person.see("touch d.txt")
        await person.see("[y] once", 5)
        person.enter("n")
        assert await person.ended() == 3
    assert names_in(project) == ["a.py", "c.txt"]


async def test_a_plan_and_questions_on_a_terminal(runs: Runs, tmp_path: Path) -> None:
    fake, project = runs.fake, make_project(tmp_path / "project")
    env = environment(tmp_path / "home", fake.url)
    fake.reset()
    options: list[JsonValue] = [
        {"label": one, "description": f"Go {one}"} for one in ("left", "right")
    ]
    form: JsonObject = {
        "questions": [{"question": "Which way?", "header": "Way", "options": options}]
    }
    leave = ToolUse("ExitPlanMode", {"allowedPrompts": [{"tool": "Bash", "prompt": "run tests"}]})
    turns = [Turn([ToolUse("AskUserQuestion", form)]), Turn([leave]), Turn([leave]), "I begin."]
    fake.play(["Hello.", *turns])
    begun = await pilotfish("run", "Hello", "--output-format", "json", env=env, cwd=project)
    session = begun.result["session_id"]
    plan = tmp_path / "home" / ".pilotfish" / "plans" / f"hello.{session}.md"
    plan.parent.mkdir()
    plan.write_text("# Turn left\n", encoding="utf-8")
    arguments = ("run", "--resume", session, "--permission-mode", "plan", "Plan a turn")
    async with terminal(*arguments, env=env, cwd=project) as person:
        await person.see("or type one of your own")
        assert "1. left: Go left" in person.screen
        person.enter("3")
        await person.see("or type one of your own", 2)
        person.enter("2")
        await person.see("type what to change")
        assert "# Turn left" in person.screen
        assert "would run without asking: run tests" in person.screen
        person.enter("turn right")
        await person.see("type what to change", 2)
        plan.write_text("# Turn right\n", encoding="utf-8")
        person.enter("y")
        assert await person.ended() == 0
    assert "- Which way? right" in str(body_of(fake, 2)["messages"][-1])
    assert "turn right" in str(body_of(fake, 3)["messages"][-1])
    assert "# Turn right" in str(body_of(fake, 4)["messages"][-1])


async def test_a_session_can_be_chosen_from_a_list(runs: Runs, tmp_path: Path) -> None:
    fake, project = runs.fake, make_project(tmp_path / "project")
    env = environment(tmp_path / "home", fake.url)
    fake.reset()
    fake.play(["One.", "Two.", "I go on."])
    for text in ("The elder", "The younger"):
        await pilotfish("run", text, env=env, cwd=project)
    async with terminal("run", "Go on", "--resume", env=env, cwd=project) as person:
        await person.see("Which session?")
        lines = [line for line in person.screen.splitlines() if "The " in line]
        assert [line.split(".")[0].strip() for line in lines] == ["1", "2"]
        assert [line.rsplit("  ", 1)[1].strip() for line in lines] == ["The younger", "The elder"]
        person.enter("7")
        await person.see("Which session?", 2)
        person.enter("2")
        assert await person.ended() == 0
    assert "The elder" in str(body_of(fake)["messages"][0])
    async with terminal("run", "Go on", "--resume", env=env, cwd=project) as person:
        await person.see("Which session?")
        person.enter("")
        assert await person.ended() == 1
        assert "No session was chosen." in person.screen
    assert fake.problems == []


async def test_a_rule_can_be_kept_where_the_person_says(runs: Runs, tmp_path: Path) -> None:
    fake, project = runs.fake, make_project(tmp_path / "project")
    env = environment(tmp_path / "home", fake.url)
    fake.reset()
    fake.play([Turn([ToolUse("Bash", {"command": "touch d.txt"})]), "Done."])
    async with terminal("run", "Touch", env=env, cwd=project) as person:
        await person.see("[y] once")
        assert "(rule `Bash(touch:*)`)" in person.screen
        assert "`a user`" in person.screen
        person.enter("a user")
        assert await person.ended() == 0
    settings = json.loads((tmp_path / "home" / ".pilotfish" / "settings.json").read_text())
    assert settings["permissions"]["allow"] == ["Bash(touch:*)"]


async def test_the_demo_works_offline_with_no_key(tmp_path: Path) -> None:
    other, fixed, added, renamed = await asyncio.gather(
        pilotfish("run", "Prove Fermat", env=environment(tmp_path / "0"), cwd=tmp_path),
        demo(tmp_path / "1", "Fix the failing test"),
        demo(tmp_path / "2", "Add a function for loyalty points, with a test"),
        demo(tmp_path / "3", "Rename fmt to format_pence everywhere"),
    )
    assert (other.code, "ANTHROPIC_API_KEY" in other.stdout) == (0, True)
    assert fixed[1:] == (19, 0)
    assert added[1] > 19
    assert added[2] == 1, "the test that fails on purpose"
    assert "loyalty" in all_python(added[0])
    assert renamed[1:] == (19, 1)
    assert "format_pence(" in all_python(renamed[0])
    assert " fmt(" not in all_python(renamed[0])


async def demo(folder: Path, task: str) -> tuple[Path, int, int]:
    """Play a task on a copy of the example; returns it, its tests and how many of them fail."""
    example = copy_example(folder)
    ended = await pilotfish(
        *("run", task, "--permission-mode", "acceptEdits"),
        *("--allowed-tools", "Bash(python3 -m unittest:*)"),
        env=environment(folder / "home"), cwd=example,
    )  # fmt: skip
    assert ended.code == 0, ended.stderr
    assert ended.stdout.strip()
    tests = await asyncio.create_subprocess_exec(
        *(sys.executable, "-B", "-m", "unittest"), cwd=example, stderr=asyncio.subprocess.PIPE
    )
    _, report = await tests.communicate()
    count = re.search(r"Ran (\d+) tests", report.decode())
    failures = re.search(r"failures=(\d+)", report.decode())
    assert count is not None, report.decode()
    return example, int(count[1]), 0 if failures is None else int(failures[1])


def all_python(folder: Path) -> str:
    return "\n".join(path.read_text() for path in sorted(folder.rglob("*.py")))
