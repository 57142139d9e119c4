"""Where code may appear: in folders that held none."""

import os
import shutil
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pilotfish.codeintel.index import folders
from pilotfish.codeintel.index.folders import FolderChoice, News
from pilotfish.codeintel.index.selection import Listing

from tests.support.index_stage import IndexStage
from tests.support.waiting import until


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


def listing(*files: Path, complete: bool = True) -> Listing:
    return Listing(files, complete)


def code(*paths: str) -> News:
    return News(code=frozenset(paths))


def test_a_folder_is_ignored_once_its_code_is_not_listed(tmp_path: Path) -> None:
    for name in ("out", "out/sub", "links", ".hidden", "node_modules/big"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "links" / "loop").symlink_to(tmp_path)
    choice = FolderChoice(tmp_path)
    listed = listing(tmp_path / "a.py", tmp_path / ".hidden" / "b.py")
    at_first = {"", "out", "out/sub", "links"}
    assert choice.choose(listed, {"a.py"}) == at_first
    (tmp_path / "out" / "x.js").touch()
    assert choice.choose(listed, {"a.py"}, code("a2.py", "out/x.js")) == {"", "links"}
    assert choice.choose(listed, {"a.py"}) == {"", "links"}
    (tmp_path / "out" / "x.js").unlink()
    choice.forget()
    assert choice.choose(listed, {"a.py"}) == at_first


@pytest.mark.parametrize("how", ["gone", "link", "cut short"])
def test_a_folder_is_not_ignored_for_a_file_that_nobody_lists_anyhow(
    tmp_path: Path, how: str
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    choice = FolderChoice(tmp_path)
    choice.choose(listing(), set())
    if how == "link":
        (place / "x.py").symlink_to(tmp_path / "elsewhere.py")
    elif how == "cut short":
        (place / "x.py").touch()
    listed = listing(complete=how != "cut short")
    assert choice.choose(listed, set(), code("place/x.py")) == {"", "place"}
    assert choice.choose(listing(), set()) == {"", "place"}


def test_a_folder_that_was_ignored_and_is_made_anew_is_on_trial_again(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "x.js").touch()
    choice = FolderChoice(tmp_path)
    assert choice.choose(listing(), set(), code("out/x.js")) == {""}
    (out / "x.js").unlink()
    out.rmdir()
    assert choice.choose(listing(), set()) == {""}
    out.mkdir()
    assert choice.choose(listing(), set(), News(folders=True)) == {"", "out"}


def test_in_a_folder_of_files_that_are_not_listed_only_code_is_news(tmp_path: Path) -> None:
    for name in ("build", "empty", "build/made", "empty/made", "empty/made.py"):
        (tmp_path / name).mkdir()
    (tmp_path / "build" / "a.o").touch()
    choice = FolderChoice(tmp_path)
    choice.choose(listing(tmp_path / "a.py"), {"a.py"})
    assert not choice.news_of(["build/made", "build/b.o", "empty/b.o", "empty/.hid/a.py"]).is_any
    assert choice.news_of(["build/x.py"]) == code("build/x.py")
    assert choice.news_of(["empty/made"]) == News(folders=True)
    assert choice.news_of(["empty/made.py"]) == News(folders=True)
    assert choice.news_of(["build"]) == News(folders=True), "it may have gone"
    assert choice.news_of(["build/.gitignore"]) == News(rules=True)
    (tmp_path / "build" / "a.o").unlink()
    assert choice.news_of(["build/made"]) == News(folders=True), "it holds no files any more"


def test_folders_are_looked_into_again_only_when_one_may_have_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    look_into = folders._look_into

    def look(folder: str) -> tuple[list[str], bool]:
        looked.append(folder)
        return look_into(folder)

    monkeypatch.setattr(folders, "_look_into", look)
    choice = FolderChoice(tmp_path)
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    choice.choose(listing(first), {"a.py"})
    looked.clear()
    choice.choose(listing(first, second), {"a.py", "b.py"}, code("b.py"))
    assert looked == []
    choice.choose(listing(first, second), {"a.py", "b.py"}, News(folders=True))
    assert looked == [f"{tmp_path}{os.sep}"]
    choice.choose(listing(first, tmp_path / "new" / "c.py"), {"a.py", "new/c.py"}, code("new/c.py"))
    assert looked[1:] == [f"{tmp_path}{os.sep}", f"{tmp_path}{os.sep}new"]


async def test_the_disk_is_asked_about_new_paths_beside_the_event_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[int] = set()
    is_folder = FolderChoice._is_folder

    def ask(choice: FolderChoice, path: str) -> bool:
        asked.add(threading.get_ident())
        return is_folder(choice, path)

    monkeypatch.setattr(FolderChoice, "_is_folder", ask)
    async with IndexStage.open(tmp_path) as stage:
        await stage.watching()
        stage.write("data.bin", "")
        await until(lambda: bool(asked))
    assert threading.get_ident() not in asked


async def test_an_ignored_folder_that_is_built_in_costs_no_looks(tmp_path: Path) -> None:
    lists = 0
    async with IndexStage.open(tmp_path) as stage:
        stage.write(".ignore", "build/\n")
        stage.write("build/a.o", "")
        await stage.watching()
        index = stage.hub.index_of(stage.root)
        assert index is not None
        list_files = index._parts.list_files

        async def counted(root: Path, /) -> Listing:
            nonlocal lists
            lists += 1
            return await list_files(root)

        index._parts = replace(index._parts, list_files=counted)
        for number in range(5):
            (stage.root / "build" / f"made{number}").mkdir()
            # Whoever sees this has seen the folder, too.
            stage.write("mark.py", f"def mark_{number}(): ...\n")
            await stage.until_names(lambda names, n=number: names == [f"mark_{n}"])
        assert lists <= 1, "only for the mark, which was new at first"


def test_nobody_looks_for_more_below_a_folder_with_files_that_are_not_listed(
    tmp_path: Path,
) -> None:
    (tmp_path / "data" / "deep").mkdir(parents=True)
    (tmp_path / "data" / "ignored.bin").write_bytes(b"\0")
    found = FolderChoice(tmp_path).choose(listing(tmp_path / "a.py"), {"a.py"})
    assert found == {"", "data"}


def test_folders_of_code_come_first_and_the_others_have_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folders, "MAX_OTHERS", 3)
    for number in range(9):
        (tmp_path / f"empty{number}").mkdir()
    files = [tmp_path / f"p{number}" / "m.py" for number in range(9)]
    present = {f"p{number}/m.py" for number in range(9)}
    found = FolderChoice(tmp_path).choose(listing(*files), present)
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
