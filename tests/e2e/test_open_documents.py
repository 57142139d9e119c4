"""What language servers of ours hold open, and what is left of them."""

import json
from pathlib import Path

import pytest

from tests.support.servers import FakeScript
from tests.support.stage import Stage
from tests.support.waiting import until
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

SESSIONS = 20


def write_settings(folder: Path, fake: FakeScript) -> None:
    definition = fake.definition
    entry = {"command": list(definition.argv), "languages": {"fk": "fake"}}
    settings = folder / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(
        json.dumps({"codeIntelligence": {"diagnosticsWaitMs": 30_000, "servers": {"fake": entry}}})
    )


def open_documents(fake: FakeScript) -> set[str]:
    """Return what the server was told to open and not to close."""
    found: set[str] = set()
    for method, params in fake.messages():
        if method == "textDocument/didOpen":
            found.add(params["textDocument"]["uri"])
        elif method == "textDocument/didClose":
            found.discard(params["textDocument"]["uri"])
    return found


async def test_twenty_sessions_leave_no_open_document_and_no_process(tmp_path: Path) -> None:
    fake = FakeScript(tmp_path / "fake")
    write_settings(tmp_path, fake)
    editor = {"save": True, "diagnostics": True, "serves": True}
    async with Stage.open(tmp_path, editor=editor) as stage:
        stage.client.answerers["_pilotfish/editor/serves"] = lambda _: {"served": False}
        for number in range(SESSIONS):
            stage.write(f"{number}.fk", "fine\n")
            edit = {"file_path": f"{number}.fk", "old_string": "fine", "new_string": "ERR(bad)"}
            stage.play(
                [
                    Turn([ToolUse("Read", {"file_path": f"{number}.fk"})]),
                    Turn([ToolUse("Edit", edit)]),
                    "Done.",
                ]
            )
            chat = await stage.chat(permissionMode="acceptEdits")
            assert await chat.ask("Break it") == "end_turn"
            assert open_documents(fake)
            await stage.client.request("session/close", {"sessionId": chat.id})
            await until(lambda: not open_documents(fake))
        assert len(fake.heard("initialize")) == 1
    # Whoever opened the stage has seen to it that no process is left; it was asked to leave.
    assert len(fake.heard("shutdown")) == 1
