"""An ACP editor that tells what it holds of files: unsaved text is seen, and never overwritten."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from acp import schema

from tests.e2e.test_acp import Acp, EditorClient, connect
from tests.support.stage import body_of, text_of
from tools.fake_model import FakeModel, ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


@dataclass
class FilesEditor(EditorClient):
    """An editor with files open in it."""

    buffers: dict[str, str] = field(default_factory=dict[str, str])
    """Text of open files by path; what is not here is on the disk alone."""
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    written: list[str] = field(default_factory=list[str])
    saves: bool = True
    is_silent: bool = False

    async def read_text_file(
        self, session_id: str, path: str, **_: Any
    ) -> schema.ReadTextFileResponse:
        self.asked.append((session_id, path))
        if self.is_silent:
            await asyncio.Event().wait()
        text = self.buffers.get(path)
        if text is None:
            text = await asyncio.to_thread(Path(path).read_text)
        return schema.ReadTextFileResponse(content=text)

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> None:
        self.written.append(path)
        self.buffers[path] = content
        if self.saves:
            await asyncio.to_thread(Path(path).write_text, content)


@asynccontextmanager
async def opened(
    folder: Path, editor: FilesEditor, *, writes: bool = True
) -> AsyncGenerator[tuple[Acp, str]]:
    """Connect an editor, and begin a session that may edit."""
    files = schema.FileSystemCapabilities(read_text_file=True, write_text_file=writes)
    capabilities = schema.ClientCapabilities(fs=files)
    async with FakeModel() as fake, connect(fake, folder, capabilities, client=editor) as found:
        session = await found.new(folder)
        await found.agent.set_session_mode(session_id=session, mode_id="acceptEdits")
        yield found, session
        assert fake.problems == []


def written_before(path: Path, text: str) -> Path:
    """Write a file as it was before anybody opened it."""
    path.write_text(text, encoding="utf-8")
    long_ago = path.stat().st_mtime - 60
    os.utime(path, (long_ago, long_ago))
    return path


def results(fake: FakeModel, number: int) -> list[str]:
    content = body_of(fake, number)["messages"][-1]["content"]
    return [text_of(one) for one in content if one["type"] == "tool_result"]


def change(path: Path, old: str, new: str) -> ToolUse:
    return ToolUse("Edit", {"file_path": str(path), "old_string": old, "new_string": new})


def read(path: Path) -> ToolUse:
    return ToolUse("Read", {"file_path": str(path)})


async def test_unsaved_text_is_read_and_edited_through_the_editor(tmp_path: Path) -> None:
    path = written_before(tmp_path / "a.txt", "on disk\n")
    editor = FilesEditor(buffers={str(path): "typed in\nsecond\n"})
    async with opened(tmp_path, editor) as (found, session):
        found.fake.play([Turn([read(path)]), Turn([change(path, "typed", "put")]), "Done."])
        assert await found.prompt(session, "Change it") == "end_turn"
        assert "typed in" in results(found.fake, 1)[0]
        assert "saved them with the edit" in results(found.fake, 2)[0]
    assert {one for one, _ in editor.asked} == {session}
    assert editor.written == [str(path)]
    assert path.read_text() == "put in\nsecond\n"


async def test_an_edit_that_the_editor_does_not_save_stays_in_its_buffer(tmp_path: Path) -> None:
    path = written_before(tmp_path / "a.txt", "on disk\n")
    editor = FilesEditor(buffers={str(path): "typed in\n"}, saves=False)
    async with opened(tmp_path, editor) as (found, session):
        edits = [Turn([change(path, "typed", "put")]), Turn([change(path, "put", "laid")])]
        found.fake.play([Turn([read(path)]), *edits, "Done."])
        assert await found.prompt(session, "Change it twice") == "end_turn"
        assert "not saved to disk" in results(found.fake, 2)[0]
    assert editor.buffers[str(path)] == "laid in\n"
    assert path.read_text() == "on disk\n"


async def test_a_file_without_unsaved_text_is_written_as_its_bytes_are(tmp_path: Path) -> None:
    path = written_before(tmp_path / "a.txt", "x")
    path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
    editor = FilesEditor(buffers={str(path): "one\ntwo\n"})
    async with opened(tmp_path, editor) as (found, session):
        found.fake.play([Turn([read(path)]), Turn([change(path, "two", "2")]), "Done."])
        assert await found.prompt(session, "Change it") == "end_turn"
    assert editor.written == []
    assert path.read_bytes() == b"\xef\xbb\xbfone\r\n2\r\n"


async def test_what_the_user_types_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    path = written_before(tmp_path / "a.txt", "on disk\n")
    editor = FilesEditor(buffers={str(path): "typed in\n"})
    async with opened(tmp_path, editor) as (found, session):
        found.fake.play([Turn([read(path)]), "Seen."])
        assert await found.prompt(session, "Read it") == "end_turn"
        editor.buffers[str(path)] = "typed in and more\n"
        found.fake.play([Turn([change(path, "typed in\n", "x\n")]), "Hm."])
        assert await found.prompt(session, "Change it") == "end_turn"
        assert "changed since you read it" in results(found.fake, -1)[0]
    assert editor.written == []
    assert editor.buffers[str(path)] == "typed in and more\n"


async def test_an_editor_that_takes_no_edits_keeps_its_unsaved_text(tmp_path: Path) -> None:
    path = written_before(tmp_path / "a.txt", "on disk\n")
    editor = FilesEditor(buffers={str(path): "typed in\n"})
    async with opened(tmp_path, editor, writes=False) as (found, session):
        found.fake.play([Turn([read(path)]), Turn([change(path, "typed", "put")]), "Done."])
        assert await found.prompt(session, "Change it") == "end_turn"
        assert "takes no edits from here" in results(found.fake, 2)[0]
    assert path.read_text() == "on disk\n"


async def test_an_editor_that_follows_the_disk_late_is_waited_for(tmp_path: Path) -> None:
    path = written_before(tmp_path / "a.txt", "old\n")
    editor = FilesEditor(buffers={str(path): "old\n"})
    async with opened(tmp_path, editor) as (found, session):
        path.write_text("by another program\n", encoding="utf-8")
        found.fake.play([Turn([read(path)]), "Seen."])
        prompt = asyncio.create_task(found.prompt(session, "Read it"))
        await found.client.wait(lambda: len(editor.asked) >= 1)
        editor.buffers[str(path)] = "by another program\n"
        assert await prompt == "end_turn"
        assert "by another program" in results(found.fake, 1)[0]


async def test_a_silent_editor_holds_nothing_up_for_long(tmp_path: Path) -> None:
    path = written_before(tmp_path / "a.txt", "on disk\n")
    editor = FilesEditor(is_silent=True)
    async with opened(tmp_path, editor) as (found, session):
        found.fake.play([Turn([read(path)]), Turn([change(path, "on", "from")]), "Done."])
        assert await found.prompt(session, "Change it") == "end_turn"
    assert len(editor.asked) == 1
    assert path.read_text() == "from disk\n"


async def test_an_agent_sees_unsaved_text_too(tmp_path: Path) -> None:
    path = written_before(tmp_path / "a.txt", "on disk\n")
    editor = FilesEditor(buffers={str(path): "typed in\n"})
    given = {"description": "look", "prompt": "scout: look", "subagent_type": "general-purpose"}
    async with opened(tmp_path, editor) as (found, session):
        found.fake.play([Turn([ToolUse("Agent", given)]), Turn([read(path)]), "Seen.", "Done."])
        assert await found.prompt(session, "Have it read") == "end_turn"
        assert "typed in" in results(found.fake, 2)[0]
    assert {one for one, _ in editor.asked} == {session}
