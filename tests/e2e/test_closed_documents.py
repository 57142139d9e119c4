"""Documents that the editor closes just as an edit is written, as it closes a diff that is answered."""

from typing import Any

import pytest

from tests.support.stage import Stage, text_of
from tests.support.wire_client import Json
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "x = 1\ny = 2\n"
CHANGED = "x = 5\ny = 2\n"


async def change(stage: Stage) -> Json:
    """Let the model change the file; returns the result of its call."""
    use = ToolUse("Edit", {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 5"})
    stage.play([Turn([ToolUse("Read", {"file_path": "a.py"})]), Turn([use]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Do it") == "end_turn"
    return stage.results()[0]


@pytest.mark.parametrize("reopens", [False, True])
async def test_a_document_that_is_closed_meanwhile_takes_the_edit(
    stage: Stage,
    reopens: bool,
) -> None:
    """Editors without the document refuse the edit, or open it again for it."""
    path = stage.write("a.py", TEXT)
    stage.editor.open(path)

    def close() -> None:
        stage.editor.before_apply = None
        stage.editor.close(path)
        if reopens:
            stage.editor.open(path)

    stage.editor.before_apply = close
    result = await change(stage)
    assert not result.get("is_error"), result
    assert path.read_text() == CHANGED
    assert (path in stage.editor.documents) is reopens
    assert not reopens or stage.editor.text(path) == CHANGED


async def test_a_document_that_is_saved_and_closed_with_the_edit_has_it(stage: Stage) -> None:
    path = stage.write("a.py", TEXT)
    stage.editor.open(path)
    apply = stage.client.answerers["workspace/applyEdit"]

    def apply_and_close(params: Json) -> Any:
        answer = apply(params)
        path.write_text(stage.editor.text(path))
        stage.editor.close(path)
        return answer

    stage.client.answerers["workspace/applyEdit"] = apply_and_close
    try:
        result = await change(stage)
    finally:
        stage.client.answerers["workspace/applyEdit"] = apply
    assert not result.get("is_error"), result
    assert path.read_text() == CHANGED


async def test_what_was_dropped_with_the_document_is_not_written(stage: Stage) -> None:
    path = stage.write("a.py", TEXT)
    stage.editor.open(path)
    stage.editor.type_over(path, "y = 2", "y = 20")

    def drop() -> None:
        stage.editor.before_apply = None
        stage.editor.close(path)

    stage.editor.before_apply = drop
    result = await change(stage)
    assert result["is_error"] is True
    assert "changed in the meantime" in text_of(result)
    assert path.read_text() == TEXT
