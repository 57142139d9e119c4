"""A recording plays again without model and tools, and tells when the loop makes something else of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.agent_scripts import agent, cast
from tests.support.command_line import pilotfish
from tests.support.stage import KEY, environment
from tools.fake_model import FakeModel, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

SECRET = "ghp_" + "q1" * 18
RECORDINGS = Path(__file__).parents[1] / "fixtures" / "recordings"


async def recorded(folder: Path, turns: list[Any], *arguments: str) -> Path:
    """Run a prompt and return its recording."""
    (folder / "a.txt").write_text(f"one\ntoken {SECRET}\n", encoding="utf-8")
    async with FakeModel(turns) as fake:
        env = environment(folder / "home", fake.url)
        ran = await pilotfish(
            *("run", "Do it", "--record", str(folder / "rec"), *arguments), env=env, cwd=folder
        )
        assert ran.code in (0, 3), ran
    (path,) = (folder / "rec").glob("*.jsonl")
    return path


async def test_a_run_is_recorded_without_secrets_and_plays_as_it_was(tmp_path: Path) -> None:
    turns = [
        Turn(["I look.", ToolUse("Read", {"file_path": "a.txt"}, id="toolu_1")]),
        Turn([ToolUse("Write", {"file_path": "b.txt", "content": "b\n"}, id="toolu_2")]),
        Turn([ToolUse("Bash", {"command": "cat a.txt"}, id="toolu_3"), ToolUse("Nope", {})]),
        "All done.",
    ]
    path = await recorded(tmp_path, turns, "--allowed-tools", "Write", "--allowed-tools", "Bash")
    text = path.read_text(encoding="utf-8")
    assert SECRET not in text
    assert KEY not in text
    lines = [json.loads(line) for line in text.splitlines()]
    assert (lines[0]["format"], lines[0]["agent"]) == (2, "main")
    (settings,) = [one["settings"] for one in lines if one["type"] == "settings"]
    assert settings["max_tokens"] > 0
    assert "Read" in settings["tools"]

    (tmp_path / "b.txt").unlink()
    env = environment(tmp_path / "other")
    played = await pilotfish("replay", str(path.parent), env=env, cwd=tmp_path)
    assert played.code == 0, played
    assert "as recorded, 1 turn, 4 model calls" in played.stdout
    assert not (tmp_path / "b.txt").exists()

    # Somebody changed what the model asked for.
    path.write_text(text.replace('"cat a.txt"', '"cat b.txt"', 1), encoding="utf-8")
    played = await pilotfish("replay", str(path), env=env, cwd=tmp_path)
    assert played.code == 1, played
    assert "Turn 1: recorded was" in played.stdout
    assert '"cat b.txt"' in played.stdout


async def test_failures_of_the_model_and_refusals_play_again(tmp_path: Path) -> None:
    turns = [
        Turn(error="bad_gateway"),
        Turn([ToolUse("Bash", {"command": "touch c"}, id="toolu_1")]),
        "Then not.",
    ]
    path = await recorded(tmp_path, turns)
    env = environment(tmp_path / "other")
    played = await pilotfish("replay", str(path), env=env, cwd=tmp_path)
    assert played.code == 0, played


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.jsonl")), ids=lambda one: one.stem)
async def test_stories_that_were_recorded_once_are_as_they_were(path: Path, tmp_path: Path) -> None:
    env = environment(tmp_path / "home")
    played = await pilotfish("replay", str(path), env=env, cwd=tmp_path)
    assert played.code == 0, played


async def test_there_are_stories() -> None:
    assert len(list(RECORDINGS.glob("*.jsonl"))) >= 3


async def test_what_is_no_recording_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text("{}\n", encoding="utf-8")
    env = environment(tmp_path / "home")
    played = await pilotfish("replay", str(tmp_path), env=env, cwd=tmp_path)
    assert played.code == 1
    assert "is no recording" in played.stderr


async def test_the_turns_of_agents_are_recorded_and_play_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("the answer is 42\n", encoding="utf-8")
    read = ToolUse("Read", {"file_path": "a.txt"}, id="toolu_read")
    refused = ToolUse("Bash", {"command": "touch c"}, id="toolu_touch")
    scenario = cast(
        [Turn([agent("scout: what is the answer?")]), "It is 42."],
        scout=[Turn(["Let me look.", read]), Turn([refused]), "a.txt says 42."],
    )
    async with FakeModel(scenario) as fake:
        env = environment(tmp_path / "home", fake.url)
        rec = str(tmp_path / "rec")
        ran = await pilotfish("run", "Do it", "--record", rec, env=env, cwd=tmp_path)
        assert ran.code in (0, 3), ran
    paths = sorted((tmp_path / "rec").glob("*.jsonl"))
    assert len(paths) == 2
    lines = [json.loads(line) for line in paths[0].read_text(encoding="utf-8").splitlines()]
    assert lines[0]["agent"] != "main"
    assert [one["name"] for one in lines if one["type"] == "call"] == ["Read", "Bash"]

    env = environment(tmp_path / "other")
    played = await pilotfish("replay", rec, env=env, cwd=tmp_path)
    assert played.code == 0, played
    assert "as recorded, 1 turn, 3 model calls, 2 permission decisions" in played.stdout
    assert "as recorded, 1 turn, 2 model calls" in played.stdout


async def test_a_session_that_goes_on_plays_with_what_was_said_before(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one\n", encoding="utf-8")
    read = ToolUse("Read", {"file_path": "a.txt"}, id="toolu_read")
    rec = str(tmp_path / "rec")
    async with FakeModel([Turn([read]), "First done.", "Second done."]) as fake:
        env = environment(tmp_path / "home", fake.url)
        await pilotfish("run", "First", env=env, cwd=tmp_path)
        ran = await pilotfish("run", "Second", "--continue", "--record", rec, env=env, cwd=tmp_path)
        assert ran.code == 0, ran
        assert '"tool_use"' in json.dumps(fake.requests[-1].body["messages"])
    env = environment(tmp_path / "other")
    played = await pilotfish("replay", rec, env=env, cwd=tmp_path)
    assert played.code == 0, played
    assert "as recorded, 1 turn, 1 model call" in played.stdout
