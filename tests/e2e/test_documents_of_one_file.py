"""A file with several names, because of links, that is open by more than one of them."""

import pytest

from tests.support.stage import Stage
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "x = 1\ny = 2\n"


@pytest.mark.parametrize("closes", [False, True])
async def test_what_is_typed_by_one_name_stays_when_the_other_is_opened_and_closed(
    stage: Stage, closes: bool
) -> None:
    path = stage.write("a.py", TEXT)
    link = stage.project / "link.py"
    link.symlink_to(path)
    stage.editor.open(path)
    stage.editor.open(link)
    stage.editor.type_over(path, "y = 2", "y = 20")
    if closes:
        stage.editor.close(link)
    use = ToolUse("Edit", {"file_path": "a.py", "old_string": "x = 1", "new_string": "x = 5"})
    stage.play([Turn([ToolUse("Read", {"file_path": "a.py"})]), Turn([use]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    assert await chat.ask("Do it") == "end_turn"
    assert not stage.results()[0].get("is_error"), stage.results()
    assert stage.editor.text(path) == "x = 5\ny = 20\n"
    assert path.read_text() == TEXT  # the user had not saved
