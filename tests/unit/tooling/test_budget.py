"""Results are kept in the session's folder and nowhere else."""

from pathlib import Path

import pytest
from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import TextBlock
from pilotfish.tooling.budget import ResultBudget, result_file

from tests.support.full_disk import files_end_at
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


async def test_the_longest_results_of_a_reply_give_way_until_all_fit(tmp_path: Path) -> None:
    def text(size: int) -> tuple[TextBlock, ...]:
        return (TextBlock(text="line\n" * (size // 5)),)

    results = {
        ToolUseId(f"c{at}"): text(size) for at, size in enumerate([90_000, 95_000, 60_000, 50])
    }
    fitted = await ResultBudget(tmp_path).fit_together(results)
    assert list(fitted) == ["c1"]
    assert (tmp_path / "c1.txt").read_text(encoding="utf-8") == results[ToolUseId("c1")][0].text
    assert "95,000 characters, and the results of this reply together more than 200,000" in str(
        fitted[ToolUseId("c1")][0]
    )


async def test_results_that_fit_and_small_ones_stay_as_they_are(tmp_path: Path) -> None:
    budget = ResultBudget(tmp_path)
    small = (TextBlock(text="x" * 3_000),)
    assert await budget.fit_together({ToolUseId("a"): small}) == {}
    many = {ToolUseId(f"c{at}"): small for at in range(100)}
    assert await budget.fit_together(many) == {}
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("together", [False, True])
@pytest.mark.parametrize("fault", ["full", "no folder"])
async def test_a_result_that_cannot_be_kept_is_still_a_result(
    tmp_path: Path, fault: str, together: bool
) -> None:
    folder = tmp_path / "results"
    if fault == "no folder":
        folder.write_text("a file", encoding="utf-8")
    budget = ResultBudget(folder)
    call, content = ToolUseId("c"), (TextBlock(text="line\n" * 50_000),)
    with files_end_at(10_000):
        if together:
            fitted = (await budget.fit_together({call: content}))[call]
        else:
            fitted = await budget.fit(call, content, max_chars=10_000)
    said = str(fitted[0])
    assert "could not be kept" in said
    assert ("File too large" if fault == "full" else "File exists") in said
    assert "line" in said.partition("It begins:")[2]
    assert names_in(tmp_path) == ["results"]
    assert fault == "no folder" or list(folder.iterdir()) == []
