"""Results are kept in the session's folder and nowhere else."""

from pathlib import Path

import pytest
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import TextBlock
from pilotfish.tooling.budget import ResultBudget, result_file

from tests.support.stage import names_in


@pytest.mark.parametrize("call", ["../../x", "/etc/x", "a/b", "x\0", "x" * 300, "", ".", "\ud800"])
def test_whatever_the_id_is_the_file_lies_in_the_folder(tmp_path: Path, call: str) -> None:
    file = result_file(tmp_path, ToolUseId(call))
    assert file.parent == tmp_path
    file.write_text("x", encoding="utf-8")
    assert file == result_file(tmp_path, ToolUseId(call))


def test_a_plain_id_is_the_name(tmp_path: Path) -> None:
    assert result_file(tmp_path, ToolUseId("toolu_1"), ".cwd") == tmp_path / "toolu_1.cwd"


async def test_a_long_result_of_an_odd_id_is_kept_where_the_preview_says(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    content = (TextBlock(text="x" * 100),)
    fitted = await ResultBudget(folder).fit(ToolUseId("../../up"), content, max_chars=10)
    [file] = folder.iterdir()
    assert str(file) in str(fitted[0])
    assert names_in(tmp_path) == ["results"]
