"""The edit pipeline on real files and on open documents."""

import asyncio
import hashlib
import os
import stat
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.errors import EditClash, WorkspaceError
from pilotfish.ports.editing import EditRecord
from pilotfish.workspace import disk
from pilotfish.workspace.edit_pipeline import AppliedEdit, EditPipeline, NewContent
from pilotfish.workspace.file_state import FileState
from pilotfish.workspace.history import Checkpoint
from pilotfish.workspace.matching import MatchError, StringEdit
from pilotfish.workspace.proposal import Change, WholeText

from tests.support.tool_context import WRITE_ORIGIN as ORIGIN
from tests.support.tool_context import ToolBench, tool_bench
from tests.support.waiting import WAIT_S, until


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncGenerator[ToolBench]:
    async with tool_bench(tmp_path) as made:
        yield made


async def see(bench: ToolBench, path: Path) -> None:
    """Make the file known to the agent, as Read does."""
    loaded = await bench.context.edits.load(path)
    bench.context.files.record(loaded.real_path, loaded.state("read"))


async def apply(bench: ToolBench, path: Path, change: Change) -> AppliedEdit:
    return await bench.context.edits.apply(path, change, files=bench.context.files, origin=ORIGIN)


def edit(old: str, new: str, *, replace_all: bool = False) -> StringEdit:
    return StringEdit(old=old, new=new, replace_all=replace_all)


BYTES = {
    "FE-01 CRLF stays": (b"begin\r\nx:=1;\r\nend.\r\n", "x:=1;", "x:=2;", b"begin\r\nx:=2;\r\nend.\r\n"),
    "FE-04 mixed stays": (b"a\r\nb\nc\r\nd\n", "b", "B", b"a\r\nB\nc\r\nd\n"),
    "FE-06 BOM stays": (b"\xef\xbb\xbfcaf\xc3\xa9 = 1\n", "1", "2", b"\xef\xbb\xbfcaf\xc3\xa9 = 2\n"),
    "FE-07 Latin-1 stays": (b"x=1\n# caf\xe9\n", "x=1", "x=2", b"x=2\n# caf\xe9\n"),
    "UTF-16 stays": ("a\r\nb".encode("utf-16"), "b", "c\nd", "a\r\nc\r\nd".encode("utf-16")),
    "no final newline stays": (b"a\nk=1", "k=1", "k=2", b"a\nk=2"),
    "FE-19 only the named text goes": (b"URL=http://h/legacy\nN=3\n", "/legacy", "", b"URL=http://h\nN=3\n"),
}  # fmt: skip


@pytest.mark.parametrize(("before", "old", "new", "after"), BYTES.values(), ids=BYTES.keys())
async def test_only_the_edited_bytes_change(
    bench: ToolBench, before: bytes, old: str, new: str, after: bytes
) -> None:
    path = bench.root / "file.txt"
    path.write_bytes(before)
    await see(bench, path)
    await apply(bench, path, edit(old, new))
    assert path.read_bytes() == after


async def test_character_outside_the_encoding_is_refused_and_nothing_changes(
    bench: ToolBench,
) -> None:
    path = bench.root / "old.txt"
    path.write_bytes(b"caf\xe9 = 1\n")
    await see(bench, path)
    with pytest.raises(WorkspaceError, match="cannot hold"):
        await apply(bench, path, edit("1", "\u2192"))
    assert path.read_bytes() == b"caf\xe9 = 1\n"
    assert await bench.history.checkpoints() == ()


async def test_file_that_was_never_read_is_refused(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("x", encoding="utf-8")
    with pytest.raises(WorkspaceError, match=r"not read yet.*Read it first"):
        await apply(bench, path, edit("x", "y"))
    assert path.read_text(encoding="utf-8") == "x"


async def test_text_that_the_engine_cut_does_not_count_as_read(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("x", encoding="utf-8")
    state = FileState(origin="read", full=False, content_hash=None, partial_view=True)
    bench.context.files.record(path, state)
    with pytest.raises(WorkspaceError, match="not read yet"):
        await apply(bench, path, edit("x", "y"))


async def test_fe21_change_by_somebody_else_is_shown_and_refused_each_time(
    bench: ToolBench,
) -> None:
    path = bench.root / "f.py"
    path.write_text("a=1\nb=2\n", encoding="utf-8")
    await see(bench, path)
    path.write_text("a = 1\nb = 2\n", encoding="utf-8")
    for _ in range(3):
        with pytest.raises(EditClash, match=r"changed since you read it[\s\S]*1\ta = 1"):
            await apply(bench, path, edit("a=1", "a=3"))
    assert path.read_text(encoding="utf-8") == "a = 1\nb = 2\n"


async def test_moved_time_stamp_with_the_same_text_is_accepted_after_a_full_read(
    bench: ToolBench,
) -> None:
    path = bench.root / "a.txt"
    path.write_text("x\n", encoding="utf-8")
    await see(bench, path)
    os.utime(path, ns=(1, 1))
    await apply(bench, path, edit("x", "y"))
    assert path.read_text(encoding="utf-8") == "y\n"


async def test_moved_time_stamp_is_refused_after_a_partial_read(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("x\ny\n", encoding="utf-8")
    loaded = await bench.context.edits.load(path)
    bench.context.files.record(path, loaded.state("read", full=False))
    os.utime(path, ns=(1, 1))
    with pytest.raises(EditClash):
        await apply(bench, path, edit("x", "z"))


async def test_same_time_stamp_with_another_text_is_refused(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("x\n", encoding="utf-8")
    info = path.stat()
    await see(bench, path)
    path.write_text("z\n", encoding="utf-8")
    os.utime(path, ns=(info.st_atime_ns, info.st_mtime_ns))
    with pytest.raises(EditClash):
        await apply(bench, path, edit("z", "y"))


async def test_fe03_edits_follow_one_another_without_reading_again(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_bytes(b"one\r\ntwo\r\n")
    await see(bench, path)
    await apply(bench, path, edit("one", "1"))
    await apply(bench, path, edit("1\ntwo", "1\n2"))
    assert path.read_bytes() == b"1\r\n2\r\n"


async def test_fe23_parallel_edits_of_one_file_are_both_kept(bench: ToolBench) -> None:
    path = bench.root / "n.txt"
    path.write_text("".join(f"{n}\n" for n in range(1, 101)), encoding="utf-8")
    await see(bench, path)
    await asyncio.gather(
        *(apply(bench, path, edit(f"\n{n}\n", f"\nn{n}\n")) for n in range(10, 90, 5))
    )
    lines = path.read_text(encoding="utf-8").split()
    assert len(lines) == 100
    assert [line for line in lines if line.startswith("n")] == [f"n{n}" for n in range(10, 90, 5)]
    assert len(bench.edits.records) == 16


async def test_somebody_who_writes_between_check_and_write_wins(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.root / "a.txt"
    path.write_text("x\n", encoding="utf-8")
    await see(bench, path)
    take_over = disk._take_over

    def intrude(temporary: Path, target: Path, info: os.stat_result) -> bool:
        path.write_text("theirs, longer\n", encoding="utf-8")
        return take_over(temporary, target, info)

    monkeypatch.setattr(disk, "_take_over", intrude)
    with pytest.raises(EditClash, match="changed since"):
        await apply(bench, path, edit("x", "y"))
    assert path.read_text(encoding="utf-8") == "theirs, longer\n"
    assert [each.name for each in bench.root.iterdir()] == ["a.txt"]
    assert await bench.history.checkpoints() == ()


async def test_failure_while_writing_leaves_the_old_file_and_no_trace(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.root / "a.txt"
    path.write_text("x\n", encoding="utf-8")
    await see(bench, path)

    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    with pytest.raises(WorkspaceError, match="No space left"):
        await apply(bench, path, edit("x", "y"))
    monkeypatch.undo()
    assert path.read_text(encoding="utf-8") == "x\n"
    assert [each.name for each in bench.root.iterdir()] == ["a.txt"]
    assert bench.edits.records == []


@pytest.mark.parametrize("mode", [0o755, 0o640, 0o2775])
async def test_fe31_mode_bits_stay(bench: ToolBench, mode: int) -> None:
    path = bench.root / "run.sh"
    path.write_text("echo hi\n", encoding="utf-8")
    path.chmod(mode)
    await see(bench, path)
    await apply(bench, path, edit("hi", "ho"))
    assert path.stat().st_mode & 0o7777 == mode


async def test_fe32_symlink_is_followed_and_stays(bench: ToolBench) -> None:
    real, link = bench.root / "real.md", bench.root / "link.md"
    real.write_text("world\n", encoding="utf-8")
    link.symlink_to("real.md")
    await see(bench, link)
    await apply(bench, link, edit("world", "there"))
    assert link.is_symlink()
    assert real.read_text(encoding="utf-8") == "there\n"


async def test_fe34_hard_linked_names_keep_showing_the_same_text(bench: ToolBench) -> None:
    one, other = bench.root / "a.txt", bench.root / "b.txt"
    one.write_text("long text\n", encoding="utf-8")
    other.hardlink_to(one)
    await see(bench, one)
    await apply(bench, one, edit("long text", "x"))
    assert other.read_text(encoding="utf-8") == "x\n"


async def test_new_file_gets_its_folders_and_is_marked_absent_before(bench: ToolBench) -> None:
    path = bench.root / "a" / "b" / "new.txt"
    applied = await apply(bench, path, WholeText(text="x\r\ny\n"))
    assert path.read_bytes() == b"x\r\ny\n"
    assert applied.old_text is None
    (checkpoint,) = await bench.history.checkpoints()
    assert (checkpoint.before, checkpoint.mode) == (None, None)


def test_creating_never_overwrites_a_file_that_appears_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_text("theirs", encoding="utf-8")
    with pytest.raises(EditClash, match="created by somebody else"):
        disk.write_file(path, b"ours", expected=None)
    assert path.read_text(encoding="utf-8") == "theirs"
    assert [each.name for each in tmp_path.iterdir()] == ["x"]


async def test_fe05_whole_text_is_written_as_sent(bench: ToolBench) -> None:
    path = bench.root / "run.sh"
    path.write_bytes(b"#!/bin/sh\r\necho\r\n")
    await see(bench, path)
    await apply(bench, path, WholeText(text="#!/bin/sh\necho hi\n"))
    assert path.read_bytes() == b"#!/bin/sh\necho hi\n"


async def test_empty_old_text_creates_and_fills_but_never_overwrites(bench: ToolBench) -> None:
    await apply(bench, bench.root / "new", edit("", "x\n"))
    (bench.root / "empty").touch()
    await apply(bench, bench.root / "empty", edit("", "y\n"))
    assert (bench.root / "empty").read_text(encoding="utf-8") == "y\n"
    with pytest.raises(WorkspaceError, match="not empty"):
        await apply(bench, bench.root / "new", edit("", "z\n"))


async def test_edit_that_changes_nothing_is_refused(bench: ToolBench) -> None:
    path = bench.root / "a"
    path.write_text("x", encoding="utf-8")
    await see(bench, path)
    with pytest.raises(WorkspaceError, match="already has exactly this text"):
        await apply(bench, path, WholeText(text="x"))


async def test_fe25_unsaved_buffer_is_edited_and_not_saved(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\n", encoding="utf-8")
    bench.editor.open(path)
    bench.editor.type(path, "one user\n")
    await see(bench, path)
    applied = await apply(bench, path, edit("one", "two"))
    assert bench.editor.text(path) == "two user\n"
    assert path.read_text(encoding="utf-8") == "one\n"
    assert "not saved" in applied.notes[0]


async def test_clean_document_is_edited_in_one_undo_step_and_saved(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_bytes(b"\xef\xbb\xbfone\r\n")
    bench.editor.open(path)
    await see(bench, path)
    applied = await apply(bench, path, edit("one", "two"))
    assert bench.editor.undo_steps[path] == ["one\r\n"]
    assert path.read_bytes() == b"\xef\xbb\xbftwo\r\n"
    assert applied.notes == ()


async def test_fe30_engine_and_editor_saves_are_no_changes_by_others(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\n", encoding="utf-8")
    bench.editor.open(path)
    await see(bench, path)
    await apply(bench, path, edit("one", "two"))
    await bench.editor.save(path)
    await apply(bench, path, edit("two", "three"))
    assert path.read_text(encoding="utf-8") == "three\n"


async def test_user_who_types_first_wins_over_the_edit(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\n", encoding="utf-8")
    bench.editor.open(path)
    await see(bench, path)
    bench.editor.before_apply = lambda: bench.editor.type(path, "user\n") and None
    with pytest.raises(EditClash):
        await apply(bench, path, edit("one", "two"))
    assert bench.editor.text(path) == "user\n"
    assert await bench.history.checkpoints() == ()


async def test_formatter_on_save_is_reported_and_its_text_is_known(bench: ToolBench) -> None:
    path = bench.root / "a.py"
    path.write_text("a = 1\n", encoding="utf-8")
    bench.editor.open(path)
    bench.editor.formatter = lambda text: text.replace("b=2", "b = 2")
    await see(bench, path)
    applied = await apply(bench, path, edit("a = 1\n", "a = 1\nb=2\n"))
    assert applied.new_text == "a = 1\nb = 2\n"
    assert "formatter" in applied.notes[0]
    await apply(bench, path, edit("b = 2", "b = 3"))
    assert path.read_text(encoding="utf-8") == "a = 1\nb = 3\n"


async def test_failed_save_is_a_note_for_an_edit_that_is_in_the_buffer(bench: ToolBench) -> None:
    path = bench.root / "a.py"
    path.write_text("a\n", encoding="utf-8")
    bench.editor.open(path)
    bench.editor.save_error = "the disk is full"
    await see(bench, path)
    applied = await apply(bench, path, edit("a", "b"))
    assert applied.notes == (
        "The edit is in the editor's buffer, but saving it failed: the disk is full",
    )
    assert bench.editor.text(path) == "b\n"


async def test_a_file_that_is_to_go_stays_when_somebody_writes_it_meanwhile(
    bench: ToolBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\n", encoding="utf-8")
    keep = bench.history.add

    async def keep_while_others_write(*args: Any, **named: Any) -> Checkpoint:
        kept = await keep(*args, **named)
        path.write_text("one\ntwo\n", encoding="utf-8")
        return kept

    monkeypatch.setattr(bench.history, "add", keep_while_others_write)
    with pytest.raises(EditClash, match="changed"):
        await bench.context.edits.overwrite(
            path,
            NewContent(content=None, origin=ORIGIN),
            expected="one\n",
            files=bench.context.files,
        )
    assert path.read_text(encoding="utf-8") == "one\ntwo\n"
    assert await bench.history.checkpoints() == ()


async def test_document_opened_after_the_read_is_edited_in_the_editor(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\n", encoding="utf-8")
    await see(bench, path)
    bench.editor.open(path)
    await apply(bench, path, edit("one", "two"))
    assert bench.editor.text(path) == "two\n"


async def test_cancel_while_the_editor_hangs_returns_at_once(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("one\n", encoding="utf-8")
    bench.editor.open(path)
    await see(bench, path)
    bench.editor.hold = asyncio.Event()
    task = asyncio.create_task(apply(bench, path, edit("one", "two")))
    await until(lambda: bench.editor.waiting == 1)
    task.cancel()
    async with asyncio.timeout(WAIT_S):
        with pytest.raises(asyncio.CancelledError):
            await task
    bench.editor.hold.set()
    await bench.context.edits.close()
    # The write had begun, so it was finished, and history and memory say so.
    assert path.read_text(encoding="utf-8") == "two\n"
    assert len(bench.edits.records) == 1


async def test_preview_is_what_apply_writes_and_changes_nothing(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_bytes(b"say \xe2\x80\x9chi\xe2\x80\x9d\r\n")
    await see(bench, path)
    digest = hashlib.sha256(path.read_bytes()).digest()
    change = edit('say "hi"', 'say "ho"')
    proposal = await bench.context.edits.preview(path, change, bench.context.files)
    assert hashlib.sha256(path.read_bytes()).digest() == digest
    applied = await apply(bench, path, change)
    assert proposal.preview.new_text == applied.new_text == path.read_bytes().decode()


async def test_mismatch_leaves_the_file_alone(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("x\nx\n", encoding="utf-8")
    await see(bench, path)
    with pytest.raises(MatchError, match="2 times"):
        await apply(bench, path, edit("x", "y"))
    await apply(bench, path, edit("x", "y", replace_all=True))
    assert path.read_text(encoding="utf-8") == "y\ny\n"


async def test_observer_hears_of_the_write_and_cannot_break_it(bench: ToolBench) -> None:
    class Broken:
        def edited(self, record: EditRecord) -> None:
            raise ValueError(record.path)

    pipeline = EditPipeline(
        editor=bench.editor, history=bench.history, observers=(Broken(), bench.edits)
    )
    await pipeline.apply(
        bench.root / "a", WholeText(text="x"), files=bench.context.files, origin=ORIGIN
    )
    (record,) = bench.edits.records
    assert (record.path, record.old_text, record.new_text) == (bench.root / "a", None, "x")
    await pipeline.close()


async def put(
    bench: ToolBench, path: Path, content: str | bytes | None, expected: str | None
) -> Checkpoint | None:
    new = NewContent(content=content, origin=ORIGIN, mode=0o755)
    return await bench.context.edits.overwrite(
        path, new, expected=expected, files=bench.context.files
    )


async def test_the_user_puts_back_bytes_and_can_undo_that(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_bytes(b"caf\xe9\r\n")
    await see(bench, path)
    await apply(bench, path, edit("caf", "CAF"))
    done = await put(bench, path, b"caf\xe9\r\n", "CAF\xe9\r\n")
    assert done is not None
    assert path.read_bytes() == b"caf\xe9\r\n"
    assert await bench.history.content(done.before or "") == b"CAF\xe9\r\n"
    assert await put(bench, path, "caf\xe9\r\n", "caf\xe9\r\n") is None
    with pytest.raises(WorkspaceError, match="not read yet"):
        await apply(bench, path, edit("caf", "x"))


async def test_the_user_may_delete_and_bring_back(bench: ToolBench) -> None:
    path = bench.root / "new.sh"
    await apply(bench, path, WholeText(text="x"))
    await put(bench, path, None, "x")
    assert not path.exists()
    await put(bench, path, b"x", None)
    assert path.read_text(encoding="utf-8") == "x"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755


async def test_a_text_keeps_the_files_encoding(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_bytes("\ufeffol\u00e9\n".encode("utf-16-le"))
    await put(bench, path, "\u00e9t\u00e9\n", "ol\u00e9\n")
    assert path.read_bytes() == "\ufeff\u00e9t\u00e9\n".encode("utf-16-le")


async def test_a_file_that_is_not_what_the_user_saw_is_left_alone(bench: ToolBench) -> None:
    path = bench.root / "a.txt"
    path.write_text("theirs", encoding="utf-8")
    with pytest.raises(EditClash, match="left alone"):
        await put(bench, path, "x", "mine")
    assert path.read_text(encoding="utf-8") == "theirs"
    assert await bench.history.checkpoints() == ()


async def test_large_file_is_edited_whole(bench: ToolBench) -> None:
    path = bench.root / "big.py"
    path.write_text("".join(f"line_{n} = {n}\n" for n in range(73_000)), encoding="utf-8")
    await see(bench, path)
    await apply(bench, path, edit("line_40000 = 40000", "line_40000 = 0"))
    assert "line_40000 = 0\nline_40001" in path.read_text(encoding="utf-8")
