"""Where code may appear: in folders that held none."""

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from pilotfish.codeintel.index import folders
from pilotfish.codeintel.index.folders import FolderChoice

from tests.support.index_stage import IndexStage


def hold_nothing(folder: Path) -> None:
    folder.mkdir()


def hold_texts(folder: Path) -> None:
    folder.mkdir()
    (folder / "notes.txt").write_text("notes\n")


def hold_what_python_left(folder: Path) -> None:
    (folder / "__pycache__").mkdir(parents=True)
    (folder / "__pycache__" / "old.pyc").write_bytes(b"\0")


def lie_in_an_empty_one(folder: Path) -> None:
    folder.parent.rmdir()
    folder.mkdir(parents=True)


@pytest.mark.parametrize("name", ["place", "deep/place"])
@pytest.mark.parametrize(
    "prepare", [hold_nothing, hold_texts, hold_what_python_left, lie_in_an_empty_one]
)
async def test_code_is_found_in_a_folder_that_held_none(
    tmp_path: Path, prepare: Callable[[Path], None], name: str
) -> None:
    async with IndexStage.open(tmp_path) as stage:
        place = stage.root / "outer" / name
        place.parent.mkdir(parents=True)
        prepare(place)
        (stage.root / ".ignore").write_text("__pycache__\n")
        await stage.watching()
        (place / "first.py").write_text("def first(): ...\n")
        await stage.until_names(lambda names: names == ["first"])


async def test_code_is_found_in_a_folder_that_is_made_long_before(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        await stage.watching()
        for name in ("made", "made/inner"):
            (stage.root / name).mkdir()
            # Whoever sees this has seen the folder, too.
            stage.write("mark.py", f"def mark_{len(name)}(): ...\n")
            await stage.until_names(lambda names, name=name: names == [f"mark_{len(name)}"])
        stage.write("made/inner/late.py", "def late(): ...\n")
        await stage.until_names(lambda names: "late" in names)


async def test_code_is_found_in_a_folder_that_was_a_file(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        file = stage.write("place.py", "def first(): ...\n")
        await stage.watching()
        file.unlink()
        stage.write("place.py/inner.py", "def second(): ...\n")
        await stage.until_names(lambda names: names == ["second"])
        shutil.rmtree(file)
        stage.write("place.py", "def third(): ...\n")
        await stage.until_names(lambda names: names == ["third"])


def test_a_folder_is_ignored_once_its_code_is_not_listed(tmp_path: Path) -> None:
    for name in ("out", "out/sub", "links", ".hidden", "node_modules/big"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "links" / "loop").symlink_to(tmp_path)
    choice = FolderChoice(tmp_path)
    listed = [tmp_path / "a.py", tmp_path / ".hidden" / "b.py"]
    at_first = {"", "out", "out/sub", "links"}
    assert choice.choose(listed, {"a.py"}) == at_first
    assert choice.choose(listed, {"a.py"}, ["a2.py", "out/x.js"]) == {"", "links"}
    assert choice.choose(listed, {"a.py"}) == {"", "links"}
    choice.forget()
    assert choice.choose(listed, {"a.py"}) == at_first


def test_nobody_looks_for_more_below_a_folder_with_files_that_are_not_listed(
    tmp_path: Path,
) -> None:
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "ignored.bin").write_bytes(b"\0")
    assert FolderChoice(tmp_path).choose([tmp_path / "a.py"], {"a.py"}) == {"", "data"}


def test_folders_of_code_come_first_and_the_others_have_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "MAX_OTHERS", 3)
    for number in range(9):
        (tmp_path / f"empty{number}").mkdir()
    code = [tmp_path / f"p{number}" / "m.py" for number in range(9)]
    found = FolderChoice(tmp_path).choose(code, {f"p{number}/m.py" for number in range(9)})
    assert found == {"", *(f"p{number}" for number in range(9)), "empty0", "empty1", "empty2"}


@pytest.mark.skipif(sys.platform != "linux", reason="other systems take no such names")
@pytest.mark.parametrize("name", [b"\xff.py", b"fold\xff/m.py"])
async def test_names_that_are_no_text_cost_no_index(
    tmp_path: Path, name: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with IndexStage.open(tmp_path) as stage:
        await stage.watching()
        stage.write(os.fsdecode(name), "def odd(): ...\n")
        stage.write("a.py", "def first(): ...\n")
        await stage.until_names(lambda names: names == ["first"])
        stage.write("place/b.py", "def second(): ...\n")
        await stage.until_names(lambda names: names == ["first", "second"])
    assert "failed" not in caplog.text
