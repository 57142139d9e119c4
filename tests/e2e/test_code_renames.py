"""Renames: worked out by the editor's language servers, made through the edit pipeline, as one question."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.code_editor import MAIN, SHOP, CodeEditor, changes, span
from tests.support.stage import Stage, text_of
from tools.fake_model import ToolUse, Turn

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest.fixture
def shared_stage(shared_code_stage: Stage) -> Stage:
    return shared_code_stage


RENAME = ToolUse(
    "LSP",
    {
        "operation": "rename",
        "file_path": "shop.py",
        "line": 1,
        "symbol": "total",
        "new_name": "sum_up",
    },
)
NEW_SHOP = SHOP.replace("total", "sum_up")
NEW_MAIN = MAIN.replace("total", "sum_up")


def project(stage: Stage, code: CodeEditor) -> tuple[Path, Path]:
    shop, main = stage.write("shop.py", SHOP), stage.write("src/main.py", MAIN)
    in_main = (span(1, 17, 22), span(3, 6, 11), span(3, 18, 23))
    code.answers["rename"] = {
        "known": True,
        "documents": [
            changes(main, "sum_up", *in_main),
            changes(shop, "sum_up", span(4, 6, 11), span(0, 4, 9)),
        ],
    }
    return shop, main


async def test_a_rename_is_one_question_with_all_files(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.play([Turn([RENAME]), "Done."])
    chat = await stage.chat()
    prompt = chat.send("Rename it")
    question = await chat.question()
    assert question.call["title"] == "Rename total to sum_up in 2 files"
    assert question.call["kind"] == "edit"
    assert question.meta["reason"] == "It changes 2 files of the project."
    diffs = question.call["content"]
    assert [(one["path"], one["newText"]) for one in diffs] == [
        (str(shop), NEW_SHOP),
        (str(main), NEW_MAIN),
    ]
    assert shop.read_text() == SHOP
    question.answer("allow_once")
    assert await prompt.stop_reason() == "end_turn"
    assert (shop.read_text(), main.read_text()) == (NEW_SHOP, NEW_MAIN)
    assert len(chat.questions()) == 1
    (result,) = stage.results()
    assert text_of(result) == (
        "Renamed in 5 places of 2 files (worked out by the editor's language servers):\n"
        "shop.py: 2\nsrc/main.py: 3\n"
        "Texts and comments may still hold the old name: look with Grep if that matters."
    )
    assert code.params("rename")["newName"] == "sum_up"


async def test_a_rename_can_be_reviewed_and_taken_back(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.play([Turn([RENAME]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    found = await stage.client.request("_pilotfish/edits/changes", {"sessionId": chat.id})
    assert sorted(Path(one["path"]).name for one in found["files"]) == ["main.py", "shop.py"]
    marks = await stage.client.request("_pilotfish/edits/checkpoints", {"sessionId": chat.id})
    turn = marks["turns"][0]["turnId"]
    await stage.client.request(
        "_pilotfish/edits/rewind",
        {"sessionId": chat.id, "turnId": turn, "what": "files"},
    )
    assert (shop.read_text(), main.read_text()) == (SHOP, MAIN)


async def test_a_refused_rename_changes_nothing(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.play([Turn([RENAME])])
    chat = await stage.chat()
    prompt = chat.send("Rename it")
    (await chat.question()).answer("reject_once")
    await prompt.stop_reason()
    assert (shop.read_text(), main.read_text()) == (SHOP, MAIN)


async def test_a_file_that_changes_while_the_user_thinks_stops_the_whole_rename(
    stage: Stage, code: CodeEditor
) -> None:
    shop, main = project(stage, code)
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat()
    prompt = chat.send("Rename it")
    question = await chat.question()
    main.write_text(MAIN + "# the user was here\n")
    question.answer("allow_once")
    await prompt.stop_reason()
    assert shop.read_text() == SHOP
    assert main.read_text() == MAIN + "# the user was here\n"
    (result,) = stage.results()
    assert f"{main} changed since the edit was worked out; nothing was written." in text_of(result)


async def test_a_clash_in_the_second_file_puts_the_first_one_back(
    stage: Stage, code: CodeEditor
) -> None:
    shop, main = project(stage, code)
    stage.editor.open(main)

    def type_faster() -> None:
        stage.editor.before_apply = None
        assert shop.read_text() == NEW_SHOP
        stage.editor.type_over(main, "# 🐟 uses the shop", "# mine")

    stage.editor.before_apply = type_faster
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    assert shop.read_text() == SHOP
    assert "total" in stage.editor.text(main)
    assert "sum_up" not in stage.editor.text(main)
    (result,) = stage.results()
    assert "The files that were written before it are as they were." in text_of(result)
    found = await stage.client.request("_pilotfish/edits/changes", {"sessionId": chat.id})
    assert found["files"] == []
    assert chat.facts("file_changed") == []


async def test_open_documents_are_changed_in_the_editor(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.editor.open(main)
    stage.play([Turn([RENAME]), "Done."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    assert stage.editor.text(main) == NEW_MAIN
    assert (shop.read_text(), main.read_text()) == (NEW_SHOP, NEW_MAIN)


async def test_a_rule_for_one_file_stops_the_whole_rename(stage: Stage, code: CodeEditor) -> None:
    shop, main = project(stage, code)
    stage.settings(deny=["Edit(./src/**)"])
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    assert (shop.read_text(), main.read_text()) == (SHOP, MAIN)
    (result,) = stage.results()
    assert "Edit(./src/**)" in text_of(result)


async def test_plan_mode_renames_nothing(stage: Stage, code: CodeEditor) -> None:
    shop, _ = project(stage, code)
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat(permissionMode="plan")
    await chat.ask("Rename it")
    assert shop.read_text() == SHOP


async def rename_result(stage: Stage) -> str:
    stage.play([Turn([RENAME]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    assert chat.questions() == []
    (result,) = stage.results()
    return text_of(result)


async def test_renames_that_cannot_be(stage: Stage, code: CodeEditor, tmp_path: Path) -> None:
    shop, main = project(stage, code)
    outside = tmp_path / "outside.py"
    outside.write_text("total = 1\n")
    good = changes(shop, "sum_up", span(0, 4, 9))

    async def answer(*documents: Any, **more: Any) -> str:
        code.answers["rename"] = {"known": True, "documents": list(documents), **more}
        return await rename_result(stage)

    assert "outside the project" in await answer(good, changes(outside, "sum_up", span(0, 0, 5)))
    assert "overlap" in await answer(good, changes(shop, "x", span(0, 6, 12)))
    assert "not in the file" in await answer(changes(shop, "x", span(90, 0, 5)))
    gone = stage.project / "gone.py"
    assert "does not exist" in await answer(good, changes(gone, "x", span(0, 0, 5)))
    assert "cannot be renamed there" in await answer()
    assert "has this name already" in await answer(changes(shop, "total", span(0, 4, 9)))
    assert "Nobody here can rename" in await answer(
        good, other_operations=True, otherOperations=True
    )
    untitled = changes(shop, "x", span(0, 4, 9)) | {"uri": "untitled:a"}
    assert "Nobody here can rename" in await answer(good, untitled)
    many = [changes(stage.project / f"{n}.py", "x", span(0, 0, 1)) for n in range(300)]
    assert "too much for one rename" in await answer(*many)
    assert (shop.read_text(), main.read_text()) == (SHOP, MAIN)
    assert outside.read_text() == "total = 1\n"


async def test_a_rename_keeps_every_other_byte(stage: Stage, code: CodeEditor) -> None:
    path = stage.project / "shop.py"
    before = (
        b"\xef\xbb\xbfdef total():\r\n    '\xf0\x9f\x90\x9f'; total()\n\tend = 'caf\xc3\xa9'\r\n"
    )
    path.write_bytes(before)
    ranges = (span(0, 4, 9), span(1, 10, 15))
    code.answers["rename"] = {"known": True, "documents": [changes(path, "sum_up", *ranges)]}
    await rename_result(stage)
    assert path.read_bytes() == before.replace(b"total", b"sum_up")


async def test_a_renamed_file_must_still_be_read_before_it_is_edited(
    stage: Stage, code: CodeEditor
) -> None:
    _, main = project(stage, code)
    edit = {"file_path": "src/main.py", "old_string": "sum_up([2])", "new_string": "1"}
    stage.play([Turn([RENAME]), Turn([ToolUse("Edit", edit)]), "I see."])
    chat = await stage.chat(permissionMode="acceptEdits")
    await chat.ask("Rename it")
    (result,) = stage.results()
    assert "was not read yet" in text_of(result)
    assert main.read_text() == NEW_MAIN
