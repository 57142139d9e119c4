"""Files that are open in the editor, and files that are not: nothing but the edit changes."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.stage import Stage, all_text, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

GRIN = "\N{GRINNING FACE}"
PYTHON = f"# {GRIN} first\nx = 1\ny = 2\n"


def read(name: str = "a.py") -> ToolUse:
    return ToolUse("Read", {"file_path": name})


def edit(old: str, new: str, name: str = "a.py") -> ToolUse:
    return ToolUse("Edit", {"file_path": name, "old_string": old, "new_string": new})


async def run(stage: Stage, *calls: ToolUse) -> None:
    """Let the model make calls, one a step, without questions."""
    stage.play([*(Turn([call]) for call in calls), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Do it") == "end_turn"


async def test_an_edit_of_an_open_document_goes_through_the_editor(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.editor.open(path)
    stage.editor.applied.clear()

    await run(stage, read(), edit("x = 1", f"x = {GRIN}1"))

    (applied,) = stage.editor.applied
    assert applied.version == 1
    assert applied.new_text == GRIN
    place = {"line": 1, "character": 4}
    assert applied.range == {"start": place, "end": place}
    assert "a.py" in applied.label
    wanted = PYTHON.replace("x = 1", f"x = {GRIN}1")
    assert stage.editor.text(path) == path.read_text() == wanted
    assert stage.editor.saved[-1] == path


async def test_a_range_beyond_the_basic_plane_is_counted_as_the_editor_counts(
    stage: Stage,
) -> None:
    path = stage.write("a.py", f"a = '{GRIN}{GRIN}b'\n")
    stage.editor.open(path)
    stage.editor.applied.clear()
    await run(stage, read(), edit(f"{GRIN}b", f"{GRIN}c"))
    assert stage.editor.applied[0].range["start"] == {"line": 0, "character": 9}
    assert path.read_text() == f"a = '{GRIN}{GRIN}c'\n"


async def test_a_file_whose_name_has_to_be_quoted_is_edited_in_the_editor(stage: Stage) -> None:
    path = stage.write("a b#1.py", "x = 1\x0c\ny = 1\n")
    stage.editor.open(path)
    stage.editor.type_over(path, "y = 1", "y = 20")
    stage.editor.applied.clear()
    await run(stage, read("a b#1.py"), edit("y = 20", "y = 30", "a b#1.py"))
    assert len(stage.editor.applied) == 1
    assert stage.editor.text(path) == "x = 1\x0c\ny = 30\n"


async def test_the_unsaved_buffer_is_what_the_model_reads_and_edits(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.editor.open(path)
    stage.editor.type_over(path, "y = 2", "y = 20")
    stage.editor.saved.clear()

    await run(stage, read(), edit("y = 20", "y = 30"))

    assert "y = 20" in text_of(stage.results(1)[0])
    assert "y = 30" in stage.editor.text(path)
    assert stage.editor.saved == []
    assert path.read_text() == PYTHON
    assert "not saved" in text_of(stage.results()[0])


async def test_an_edit_stays_unsaved_where_the_user_wants_it_so(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    settings = stage.project / ".pilotfish" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"edit": {"saveAfterEdit": false}}')
    stage.editor.open(path)
    stage.editor.saved.clear()
    await run(stage, read(), edit("x = 1", "x = 5"), edit("y = 2", "y = 5"))
    assert stage.editor.text(path) == PYTHON.replace("x = 1", "x = 5").replace("y = 2", "y = 5")
    assert (stage.editor.saved, path.read_text()) == ([], PYTHON)
    assert "not yet on disk" in text_of(stage.results(2)[0])


async def test_a_repeated_read_gives_the_text_again_where_the_user_wants_it_so(
    stage: Stage,
) -> None:
    stage.write("a.py", PYTHON)
    await run(stage, read(), read())
    assert "has not changed since you read" in text_of(stage.results()[0])
    settings = stage.project / ".pilotfish" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"read": {"dedup": false}}')
    await run(stage, read(), read())
    assert "x = 1" in text_of(stage.results()[0])


async def test_a_name_that_a_uri_must_escape_does_not_hide_the_open_document(stage: Stage) -> None:
    path = stage.write("my file é 100%.py", PYTHON)
    stage.editor.open(path)
    stage.editor.type_over(path, "y = 2", "y = 20")
    stage.editor.applied.clear()
    await run(stage, read(path.name), edit("x = 1", "x = 5", path.name))
    assert "y = 20" in text_of(stage.results(1)[0])
    assert stage.editor.text(path) == PYTHON.replace("y = 2", "y = 20").replace("x = 1", "x = 5")
    assert path.read_text() == PYTHON


async def test_a_change_while_the_dialog_is_open_is_not_overwritten(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.editor.open(path)
    stage.play([Turn([read()]), Turn([edit("x = 1", "x = 5")]), "I see."])
    chat = await stage.chat()
    prompt = chat.send("Change x")
    question = await chat.question()
    stage.editor.type_over(path, "x = 1", "x = 100")
    question.answer("allow_once")

    assert await prompt.stop_reason() == "end_turn"

    assert stage.results()[0]["is_error"] is True
    assert "changed" in text_of(stage.results()[0])
    assert "x = 100" in stage.editor.text(path)
    assert path.read_text() == PYTHON


async def test_a_keystroke_just_before_the_edit_arrives_wins(stage: Stage) -> None:
    """The version that the edit was made for is gone: the editor refuses it."""
    path = stage.write("a.py", PYTHON)
    stage.editor.open(path)
    stage.editor.refused.clear()

    def type_faster() -> None:
        stage.editor.before_apply = None
        stage.editor.type_over(path, "y = 2", "y = 3")

    stage.editor.before_apply = type_faster
    await run(stage, read(), edit("x = 1", "x = 5"))

    assert len(stage.editor.refused) == 1
    assert stage.results()[0]["is_error"] is True
    assert "x = 1\ny = 3" in stage.editor.text(path)
    assert path.read_text() == PYTHON


async def test_closing_the_document_meanwhile_is_no_loss(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.editor.open(path)
    stage.play([Turn([read()]), Turn([edit("x = 1", "x = 5")]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Change x")
    question = await chat.question()
    stage.editor.close(path)
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert path.read_text() == PYTHON.replace("x = 1", "x = 5")


ENCODINGS: dict[str, Callable[[str], bytes]] = {
    "crlf and byte order mark": lambda text: b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode(),
    "mixed line ends": lambda text: text.replace("\n", "\r\n", 2).encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "no final line end": lambda text: text.rstrip("\n").encode(),
}


@pytest.mark.parametrize("name", ENCODINGS)
async def test_a_closed_file_keeps_every_byte_outside_the_edit(stage: Stage, name: str) -> None:
    encode = ENCODINGS[name]
    path = stage.project / "a.py"
    path.write_bytes(encode(PYTHON))
    path.chmod(0o755)
    await run(stage, read(), edit("y = 2", "y = 20"))
    assert path.read_bytes() == encode(PYTHON.replace("y = 2", "y = 20"))
    assert path.stat().st_mode & 0o777 == 0o755


async def test_a_file_changed_on_disk_since_it_was_read_is_left_alone(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.play([Turn([read()]), Turn([edit("x = 1", "x = 5")]), "I see."])
    chat = await stage.chat()
    prompt = chat.send("Change x")
    question = await chat.question()
    path.write_text("somebody else\n")
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert stage.results()[0]["is_error"] is True
    assert path.read_text() == "somebody else\n"


async def test_the_model_hears_once_what_its_edit_broke(stage: Stage) -> None:
    stage.write("a.py", PYTHON)
    await run(stage, read(), edit("x = 1", "x = (1"), read(), edit("x = (1", "x = 1"))
    notes = [one["text"] for one in stage.said(2) if one["type"] == "text"]
    assert len(notes) == 1
    assert "these diagnostics are new" in notes[0]
    assert "a.py:2" in notes[0]
    assert all_text(stage.body()).count("these diagnostics are new") == 1
    assert all_text(stage.body()).count("Fixed since they were reported") == 1


async def test_the_report_of_several_edits_comes_after_the_last(stage: Stage) -> None:
    stage.write("a.py", PYTHON)
    stage.play(
        [
            Turn([read()]),
            Turn([edit("x = 1", "x = (1"), edit("x = (1", "x = 3"), edit("y = 2", "y = [2")]),
            "Done.",
        ]
    )
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Do it")
    notes = [one["text"] for one in stage.said() if one["type"] == "text"]
    assert len(notes) == 1
    assert "a.py:3" in notes[0]
    assert "x = (1" not in notes[0]
    assert [one["note"] for one in chat.facts("note")]


async def test_a_written_file_is_told_with_its_lines(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.play([Turn([read()]), Turn([edit("y = 2", "y = 3\nz = 4")]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Do it")
    changed = chat.facts("file_changed")[0]["file"]
    assert changed["path"] == str(path)
    assert (changed["addedLines"], changed["removedLines"]) == (2, 1)
    assert changed["created"] is False


async def test_an_editor_that_does_not_save_is_mentioned(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.editor.open(path)
    answerers = stage.client.answerers
    usual = answerers["_pilotfish/editor/save"]
    answers: list[Any] = [{"saved": False, "message": "read only"}, {"saved": "perhaps"}, None]
    answerers["_pilotfish/editor/save"] = lambda _: answers.pop()
    while answers:
        stage.editor.close(path)
        path.write_text(PYTHON)
        stage.editor.open(path)
        await run(stage, read(), edit("x = 1", "x = 5"))
        assert not stage.results()[0].get("is_error")
        assert "saving it failed" in text_of(stage.results()[0])
        assert "x = 5" in stage.editor.text(path)
    answerers["_pilotfish/editor/save"] = usual


async def test_a_stop_while_the_editor_applies_an_edit_leaves_buffer_and_disk_whole(
    stage: Stage,
) -> None:
    path = stage.write("a.py", PYTHON)
    stage.editor.open(path)
    stage.play([Turn([read()]), Turn([edit("x = 1", "x = 5")]), "Later."])
    chat = await stage.chat(permissionMode="acceptEdits")
    stopped = asyncio.Event()

    def stop_now() -> None:
        stage.editor.before_apply = None
        chat.stop()
        stopped.set()

    stage.editor.before_apply = stop_now
    prompt = chat.send("Change x")
    assert await prompt.stop_reason() == "cancelled"
    assert stopped.is_set()
    assert stage.editor.text(path) == PYTHON.replace("x = 1", "x = 5")
    assert await chat.ask("Go on") == "end_turn"


async def test_a_document_that_is_read_only_in_the_editor_is_left_alone(stage: Stage) -> None:
    path = stage.write("a.py", PYTHON)
    stage.editor.open(path)
    answerers = stage.client.answerers
    usual = answerers["workspace/applyEdit"]
    answerers["workspace/applyEdit"] = lambda _: {"applied": False, "failureReason": "read-only"}
    try:
        await run(stage, read(), edit("x = 1", "x = 5"))
    finally:
        answerers["workspace/applyEdit"] = usual
    assert stage.results()[0]["is_error"] is True
    assert "is read-only in the editor; nothing was written" in text_of(stage.results()[0])
    assert path.read_text() == PYTHON


async def test_what_a_document_in_another_encoding_opens_with_is_not_saved(stage: Stage) -> None:
    """VS Code brings back what was not saved when its window was closed."""
    path = stage.write("a.py", "typed = 'yesterday'\n" + PYTHON)
    stage.editor.open(path)
    stage.editor.saved.clear()
    on_disk = "# café à la carte, où déjà été\n".encode("latin-1")
    path.write_bytes(on_disk)
    await run(stage, read(), edit("x = 1", "x = 5"))
    assert "unsaved changes" in text_of(stage.results()[0])
    assert "x = 5" in stage.editor.text(path)
    assert stage.editor.saved == []
    assert path.read_bytes() == on_disk
