"""Notebooks and several edits at once, through the whole server."""

import json
from pathlib import Path

import pytest

from tests.support.documents import code, markdown, notebook_text
from tests.support.stage import Stage, text_of
from tests.support.wire_notebook import WireNotebook
from tools.fake_model import ToolUse, Turn
from tools.fake_model.jsontypes import JsonValue

pytestmark = pytest.mark.asyncio(loop_scope="session")


def replace(source: str) -> ToolUse:
    return ToolUse(
        "NotebookEdit", {"notebook_path": "n.ipynb", "cell_id": "c1", "new_source": source}
    )


def read() -> ToolUse:
    return ToolUse(
        "ExecuteTool", {"tool_name": "NotebookRead", "params": {"notebook_path": "n.ipynb"}}
    )


async def test_a_cell_is_edited_after_one_question_and_nothing_else_changes(stage: Stage) -> None:
    path = stage.write("n.ipynb", notebook_text(code("c1", ["a = 1"]), markdown("c2", ["# T"])))
    stage.play([Turn([read()]), Turn([replace("a = 2")]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Change it")
    question = await chat.question()
    assert question.call["title"] == "n.ipynb cell c1"
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    wanted = notebook_text(
        code("c1", ["a = 2"], outputs=[], execution_count=None), markdown("c2", ["# T"])
    )
    assert path.read_text(encoding="utf-8") == wanted
    assert len(chat.questions()) == 1


async def test_unsaved_cells_are_left_alone_where_the_editor_cannot_change_them(
    tmp_path: Path,
) -> None:
    async with Stage.open(tmp_path, editor={"save": True}) as plain:
        text = notebook_text(code("c1", ["a = 1\n", "b = 1"]))
        path = plain.write("n.ipynb", text)
        opened = WireNotebook(plain.client, path)
        opened.type_over(0, "a = 1 # typed\nb = 1")
        plain.play([Turn([read()]), Turn([replace("a = 2")]), "I see."])
        chat = await plain.chat(permissionMode="acceptEdits")
        assert await chat.ask("Change it") == "end_turn"
        assert "a = 1 # typed" in text_of(plain.results(1)[0])
        assert "cannot be edited until the user saves it" in text_of(plain.results(1)[0])
        assert "Ask the user to save it" in text_of(plain.results()[0])
        assert path.read_text(encoding="utf-8") == text
        opened.close()


async def test_unsaved_cells_are_read_and_changed_in_the_editor(stage: Stage) -> None:
    text = notebook_text(code("c1", ["a = 1\n", "b = 1"]), markdown("c2", ["# T"]))
    path = stage.write("my notes é.ipynb", text)
    name = path.name
    opened = WireNotebook(stage.client, path)
    opened.type_over(0, "a = 1 # typed\nb = 1")
    insert: dict[str, JsonValue] = {
        "notebook_path": name,
        "cell_id": "c1",
        "edit_mode": "insert",
        "cell_type": "code",
        "new_source": "c = 3",
    }
    steps = [
        Turn([ToolUse("NotebookRead", {"notebook_path": name})]),
        Turn([ToolUse("NotebookEdit", {"notebook_path": name, "cell_id": "c2", "new_source": "# U"})]),
        Turn([ToolUse("NotebookEdit", insert)]),
        "Done.",
    ]  # fmt: skip
    stage.play(steps)
    chat = await stage.chat()
    prompt = chat.send("Change it")
    for at in (1, 2):
        question = await chat.question(at)
        (diff,) = [part for part in question.call["content"] if part["type"] == "diff"]
        assert "a = 1 # typed" in diff["oldText"]
        question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert "not saved to disk" in text_of(stage.results()[0])
    assert opened.sources == ["a = 1 # typed\nb = 1", "c = 3", "# U"]
    assert opened.undo_steps == 2
    assert path.read_text(encoding="utf-8") == text

    opened.close()


async def test_a_cell_that_the_user_changes_meanwhile_is_not_overwritten(stage: Stage) -> None:
    text = notebook_text(code("c1", ["a = 1"]))
    path = stage.write("n.ipynb", text)
    opened = WireNotebook(stage.client, path)
    opened.before_edit = lambda: opened.type_over(0, "mine")
    stage.play([Turn([read()]), Turn([replace("a = 2")]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Change it") == "end_turn"
    assert "changed in the editor; the edit was not applied" in text_of(stage.results()[0])
    assert opened.sources == ["mine"]
    assert path.read_text(encoding="utf-8") == text
    opened.close()


async def test_a_clean_open_notebook_is_changed_in_the_editor_and_saved(stage: Stage) -> None:
    path = stage.write("n.ipynb", notebook_text(code("c1", ["a = 1"]), markdown("c2", "# T")))
    opened = WireNotebook(stage.client, path)
    stage.play([Turn([read()]), Turn([replace("a = 2")]), Turn([replace("a = 3")]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Change it twice") == "end_turn"
    assert "replaced" in text_of(stage.results()[0])
    assert opened.undo_steps == 2
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert [cell["source"] for cell in cells] == [["a = 3"], ["# T"]]
    assert cells[0]["outputs"] == []
    opened.close()


async def test_several_edits_are_one_question_with_the_whole_diff(stage: Stage) -> None:
    path = stage.write("a.py", "x = 1\ny = 2\nz = 3\n")
    edits: list[JsonValue] = [
        {"old_string": "x = 1", "new_string": "x = 10"},
        {"old_string": "z = 3", "new_string": "z = 30"},
    ]
    call = ToolUse("MultiEdit", {"file_path": "a.py", "edits": edits})
    stage.play([Turn([ToolUse("Read", {"file_path": "a.py"})]), Turn([call]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Change both")
    question = await chat.question()
    (diff,) = [part for part in question.call["content"] if part["type"] == "diff"]
    assert diff["newText"] == "x = 10\ny = 2\nz = 30\n"
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert path.read_text(encoding="utf-8") == "x = 10\ny = 2\nz = 30\n"


async def test_results_that_are_too_much_together_are_shortened_once_and_for_all(
    stage: Stage,
) -> None:
    for name, letter, lines in (("a", "a", 900), ("b", "b", 950), ("c", "c", 800)):
        stage.write(f"{name}.txt", f"{letter * 90}\n" * lines)
    reads = [ToolUse("Read", {"file_path": f"{name}.txt"}) for name in "abc"]
    last = ToolUse("Read", {"file_path": "a.txt", "limit": 1})
    stage.play([Turn(reads), Turn([last]), "Done."])
    chat = await stage.chat()
    assert await chat.ask("Read them") == "end_turn"
    told = [text_of(one) for one in stage.results(1)]
    assert ["of this reply together more than 200,000" in one for one in told] == [
        False,
        True,
        False,
    ]
    history = stage.body(2)["messages"][2]["content"]
    assert [text_of(one) for one in history] == told
    await stage.client.request("session/close", {"sessionId": chat.id})
    stage.chats.remove(chat)
    stage.play(["Hello again."])
    again, _ = await stage.reload(chat.id)
    assert await again.ask("Go on") == "end_turn"
    assert [text_of(one) for one in stage.body()["messages"][2]["content"]] == told


async def test_a_long_result_can_be_read_on_without_a_question(stage: Stage) -> None:
    stage.write("big.txt", "needle in a line that is not short at all\n" * 2_000)
    search = {"pattern": "needle", "output_mode": "content", "head_limit": 0}
    stage.play([Turn([ToolUse("Grep", search)]), "Next."])
    chat = await stage.chat()
    assert await chat.ask("Search") == "end_turn"
    told = text_of(stage.results()[0])
    file = told.partition("All of it is in ")[2].partition(".txt")[0] + ".txt"
    stage.play([Turn([ToolUse("Read", {"file_path": file, "offset": 1999, "limit": 2})]), "Done."])
    assert await chat.ask("Read on") == "end_turn"
    assert "2000\tbig.txt:2000:needle" in text_of(stage.results()[0])
    assert chat.questions() == []
