"""Writes that are cut off leave the old file or the new one, and nothing beside it."""

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pilotfish.core.errors import WorkspaceError
from pilotfish.workspace.disk import write_file
from pilotfish.workspace.unfinished import UnfinishedWrites, temporary_beside

from tests.support.cut_off import reports_of


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that another user may enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        folder.chmod(0o755)
        yield folder


@pytest.mark.parametrize(
    ("kind", "before"), [("kill-edit", "old"), ("kill-create", "none"), ("kill-linked", "old")]
)
def test_killed_before_any_call_it_leaves_old_or_new(
    open_folder: Path, kind: str, before: str
) -> None:
    found = reports_of(kind, open_folder)
    assert len(found) > 15
    assert [one["signal"] for one in found] == [9] * (len(found) - 1) + [None]
    contents = [one["swept"] for one in found]
    assert set(contents) == {before, "new"}
    # It changes once, and never back.
    assert contents == sorted(contents, key=lambda content: content == "new")
    assert [one["left"] for one in found] == [[]] * len(found)
    assert found[-1]["told"] == "done"


@pytest.mark.parametrize("kind", ["kill-in-place", "kill-in-place-shorter"])
def test_an_overwriting_that_was_killed_is_finished_at_the_next_start(
    open_folder: Path, kind: str
) -> None:
    found = reports_of(kind, open_folder)
    assert [one["signal"] for one in found] == [9] * 5
    assert "mixture" in {one["content"] for one in found}
    for one in found:
        assert one["kept"] == one["left"] == []
        if one["content"] == "mixture":
            assert one["swept"] == "new"
            (news,) = one["news"]
            assert "a.txt had been cut off in its middle; it was finished now" in news
        else:
            assert one["swept"] == one["content"]
            assert one["news"] == []


def test_an_overwriting_for_which_there_is_no_room_is_undone(open_folder: Path) -> None:
    for one in reports_of("full-in-place", open_folder):
        assert (one["content"], one["kept"], one["left"]) == ("old", [], [])
        assert "cannot be written: No space left on device" in one["told"]


def test_a_torn_file_that_was_changed_since_is_left_alone_and_the_user_told(
    open_folder: Path,
) -> None:
    (one,) = reports_of("changed-since", open_folder)
    assert one["swept"] == "mixture"
    (news,) = one["news"]
    assert "could not be finished (it was changed by somebody else since)" in news
    before = news.partition("Its text before is in ")[2].partition(",")[0]
    assert Path(before).read_bytes() == b"old line\n" * 2_000
    assert one["kept"] == []


@pytest.mark.parametrize(
    ("kind", "before", "signal"),
    [
        ("cut-edit", "old", 25),
        ("cut-create", "none", 25),
        ("full-edit", "old", None),
        ("full-create", "none", None),
    ],
)
def test_stopped_in_the_middle_of_the_data_it_leaves_the_old_file(
    open_folder: Path, kind: str, before: str, signal: int | None
) -> None:
    for one in reports_of(kind, open_folder):
        assert (one["content"], one["signal"], one["left"]) == (before, signal, [])
        if signal is None:
            assert "cannot be written: File too large" in one["told"]


@pytest.mark.parametrize(
    ("kind", "content", "told"),
    [
        ("read-only-file", "old", "is read-only; nothing was written"),
        ("read-only-folder", "new", "done"),
        ("new-in-read-only-folder", "none", "cannot be written: Permission denied"),
    ],
)
def test_without_rights_it_says_so(open_folder: Path, kind: str, content: str, told: str) -> None:
    (one,) = reports_of(kind, open_folder)
    assert one["content"] == content
    assert told in one["told"]
    assert one["left"] == []


def test_any_name_that_a_file_can_have_can_be_written(tmp_path: Path) -> None:
    for name in ("x" * 255, "\N{CJK UNIFIED IDEOGRAPH-4E2D}" * 85):
        write_file(tmp_path / name, b"x", expected=None)
        assert (tmp_path / name).read_bytes() == b"x"


@pytest.mark.parametrize("name", ["x" * 256, "/".join(["y" * 200] * 30)])
def test_a_path_that_is_too_long_is_an_error_with_the_reason(tmp_path: Path, name: str) -> None:
    with pytest.raises(WorkspaceError, match="File name too long"):
        write_file(tmp_path / name, b"x", expected=None)


def test_sweeping_spares_what_is_alive_and_what_is_not_ours(tmp_path: Path) -> None:
    unfinished = UnfinishedWrites(tmp_path / "notes")
    alive = temporary_beside(tmp_path / "alive.txt")
    alive.touch()
    precious = tmp_path / "precious.txt"
    precious.touch()
    with unfinished.noted(alive):
        gone = subprocess.run(
            [sys.executable, "-c", "import os; print(os.getpid())"], stdout=-1, check=True
        )
        (tmp_path / "notes" / f"{int(gone.stdout)}-x").write_bytes(bytes(precious))
        (tmp_path / "notes" / "odd").write_bytes(bytes(precious))
        assert unfinished.sweep() == 0
        assert alive.exists()
        assert precious.exists()
    assert [each.name for each in (tmp_path / "notes").iterdir()] == ["odd"]
