"""Users who type on in a document just as an edit is written there."""

import pytest

from tests.support.stage import Stage, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_what_the_user_types_right_behind_an_edit_is_no_failure_of_it(stage: Stage) -> None:
    """The news of both may come in one breath, before anybody has looked at the first."""
    path = stage.write("a.py", "x = 1\ny = 2\nz = 3\n")
    stage.editor.open(path)

    def type_on() -> None:
        stage.editor.after_apply = None
        stage.editor.type_over(path, "z = 3", "z = 30")

    stage.editor.after_apply = type_on
    use = ToolUse("Edit", {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 5"})
    stage.play([Turn([ToolUse("Read", {"file_path": "a.py"})]), Turn([use]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Do it") == "end_turn"
    (result,) = stage.results()
    assert not result.get("is_error"), result
    assert "z = 30" in text_of(result)
    assert "text changed further" in text_of(result)
    assert stage.editor.text(path) == path.read_text() == "x = 5\ny = 2\nz = 30\n"
    params = {"sessionId": chat.id, "path": str(path)}
    (file,) = (await stage.client.request("_pilotfish/edits/changes", params))["files"]
    # What waits for review is the agent's change and not the user's.
    assert [one["newLines"] for one in file["hunks"]] == [["x = 5\n"]]
