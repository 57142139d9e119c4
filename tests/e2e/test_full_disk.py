"""The disk gets full under a session that is open: each message says why, and what to do."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

import json
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.agent_scripts import NOTED, agent, cast
from tests.support.full_disk import let_files_end_at
from tests.support.mortal_server import server
from tests.support.stage import Stage
from tests.support.wire_client import WAIT_S, Json
from tools.fake_model import FakeModel, Stall, Turn


@pytest.fixture
async def fake() -> AsyncGenerator[FakeModel]:
    async with FakeModel() as made:
        yield made


async def message(stage: Stage, part: str) -> str:
    """Wait for a message in a window of the editor."""
    shown: Json = await stage.client.wait_for(
        "window/showMessage", lambda one: part in one["message"]
    )
    return shown["message"]


async def test_the_recording_and_the_prompt_say_that_the_disk_is_full_and_go_on_when_it_is_not(
    fake: FakeModel, tmp_path: Path
) -> None:
    folder = tmp_path / "recordings"
    async with server(fake, tmp_path, "--record", str(folder)) as stage:
        stage.play([Turn("Yes.", repeat="forever")])
        chat = await stage.chat()
        assert await chat.ask("One?") == "end_turn"
        let_files_end_at(stage.client.process.pid, 0)
        await chat.ask("Two?")
        told = str(chat.turns()[-1]["message"])
        assert f"{chat.id}.jsonl cannot be written" in told
        assert "File too large" in told
        assert "Make room, or mend the folder's permissions, and send the prompt again." in told
        said = await message(stage, "The recording")
        assert f"{folder / chat.id}.jsonl cannot be written: File too large. Make room" in said

        let_files_end_at(stage.client.process.pid, None)
        assert await chat.ask("Three?") == "end_turn"
    lines = (folder / f"{chat.id}.jsonl").read_text(encoding="utf-8").splitlines()
    events = [line["event"] for line in map(json.loads, lines) if line["type"] == "event"]
    assert sum(event["type"] == "prompt_submitted" for event in events) >= 2
    assert "Three?" in "".join(lines), "what came while the disk was full is not lost"


async def test_the_report_of_an_agent_that_has_no_room_is_told_of(
    fake: FakeModel, tmp_path: Path
) -> None:
    async with server(fake, tmp_path, locale="zh-cn") as stage:
        start = Turn([agent("ada: look", run_in_background=True)])
        held = Turn("I looked.", faults=[Stall(before_headers=True, gate="ada")])
        stage.play(cast([start, NOTED], ada=[held]))
        chat = await stage.chat()
        assert await chat.ask("Begin") == "end_turn"
        await stage.fake.wait_for_stall("ada", timeout_s=WAIT_S)
        let_files_end_at(stage.client.process.pid, 0)
        stage.fake.release("ada")
        said = await message(stage, "的报告无法写入")
        assert "agent-" in said
        assert "请腾出空间，或修正其文件夹的权限，然后向该代理发送消息：它会再次报告。" in said
        let_files_end_at(stage.client.process.pid, None)
