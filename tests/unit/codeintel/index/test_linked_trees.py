"""Working trees of one repository within each other: each has an index of its own, with its own files."""

import os
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from pilotfish.codeintel.index import hub
from pilotfish.config.linked_trees import MAX_TREES, linked_trees_in

from tests.support.index_stage import IndexStage
from tests.support.waiting import WAIT_S


def git(folder: Path, *arguments: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
    subprocess.run(["git", *who, *arguments], cwd=folder, check=True, capture_output=True)


def repository(root: Path, ignored: str) -> Path:
    """Make one with another working tree in the folder ``next``; returns that."""
    root.mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / ".gitignore").write_text(ignored)
    (root / "shared.py").write_text("def shared(): ...\n")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "first")
    git(root, "worktree", "add", "-q", "next", "-b", "next")
    (root / "next" / "own.py").write_text("def of_next(): ...\n")
    return root / "next"


@pytest.mark.parametrize("ignored", ["", "next/\n"])
async def test_another_working_tree_has_its_own_index(tmp_path: Path, ignored: str) -> None:
    tree = repository(tmp_path / "project", ignored)
    async with IndexStage.open(tmp_path) as stage:
        await stage.ready()
        assert [one.path for one in await stage.symbols("shared")] == [stage.root / "shared.py"]
        assert not await stage.knows("of_next")
        index = await stage.hub.add(tree, "another")
        assert index is not None
        assert index.root == tree
        assert stage.hub.index_of(tree / "own.py") is index
        await stage.until_names(lambda names: names == ["of_next", "shared", "shared"])


async def test_a_folder_of_the_same_tree_shares_the_index(tmp_path: Path) -> None:
    tree = repository(tmp_path / "project", "")
    (tree.parent / "part").mkdir()
    async with IndexStage.open(tmp_path) as stage:
        index = await stage.ready()
        assert await stage.hub.add(tree.parent / "part", "another") is index


async def test_a_folder_that_only_holds_the_working_trees_of_a_bare_repository_has_their_files(
    tmp_path: Path,
) -> None:
    repository(tmp_path / "made", "")
    holder = tmp_path / "project"
    git(tmp_path, "clone", "-q", "--bare", str(tmp_path / "made"), str(holder / "bare"))
    (holder / ".git").write_text("gitdir: ./bare\n")
    git(holder, "worktree", "add", "-q", "one", "main")
    async with IndexStage.open(tmp_path) as stage:
        await stage.ready()
        assert [one.path for one in await stage.symbols("shared")] == [holder / "one" / "shared.py"]


async def test_whoever_works_in_the_whole_of_an_indexed_folder_waits_for_no_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository(tmp_path / "project", "")
    async with IndexStage.open(tmp_path) as stage:
        index = await stage.ready()
        looked: list[Path] = []

        def look(root: Path) -> frozenset[Path]:
            looked.append(root)
            return frozenset()

        monkeypatch.setattr(hub, "linked_trees_in", look)
        stage.hub.add_soon(stage.root, "another")
        assert stage.hub.index_of(stage.root) is index
        assert looked == []


@pytest.fixture
def slow_disk(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Have looks for working trees wait until the event is set."""
    answers = threading.Event()

    def look(root: Path) -> frozenset[Path]:
        assert threading.current_thread() is not threading.main_thread(), "the loop waits for it"
        answers.wait()
        return linked_trees_in(root)

    monkeypatch.setattr(hub, "linked_trees_in", look)
    yield answers
    answers.set()


async def test_a_disk_that_is_slow_to_tell_of_working_trees_holds_up_nobody(
    tmp_path: Path, slow_disk: threading.Event
) -> None:
    tree = repository(tmp_path / "project", "")
    async with IndexStage.open(tmp_path) as stage:
        outer = await stage.ready()
        stage.hub.add_soon(tree, "another")
        stage.hub.add_soon(tree, "another")
        assert await stage.hub.found(tree, 0) is outer
        slow_disk.set()
        index = await stage.hub.found(tree, WAIT_S)
        assert index is not None
        assert index.root == tree
        await stage.until_names(lambda names: names == ["of_next", "shared", "shared"])


async def test_whoever_has_gone_when_the_disk_tells_keeps_no_index(
    tmp_path: Path, slow_disk: threading.Event
) -> None:
    tree = repository(tmp_path / "project", "")
    async with IndexStage.open(tmp_path) as stage:
        outer = await stage.ready()
        stage.hub.add_soon(tree, "another")
        stage.hub.let_go("another")
        slow_disk.set()
        stage.hub.add_soon(tree, "a third")
        index = await stage.hub.found(tree, WAIT_S)
        assert index is not outer
        stage.hub.let_go("a third")
        assert stage.hub.index_of(tree) is outer


@pytest.mark.timeout(WAIT_S)
def test_a_note_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    tree = repository(tmp_path / "project", "")
    note = tree.parent / ".git" / "worktrees" / "pipe"
    note.mkdir()
    os.mkfifo(note / "gitdir")
    assert linked_trees_in(tree.parent) == {tree}


def test_of_any_number_of_notes_some_are_looked_at(tmp_path: Path) -> None:
    root = tmp_path / "project"
    repository(root, "")
    for number in range(MAX_TREES + 5):
        note = root / ".git" / "worktrees" / f"{number}"
        note.mkdir(parents=True)
        (note / "gitdir").write_text(f"{root}/{number}/.git\n")
    assert len(linked_trees_in(root)) == MAX_TREES


def test_notes_that_tell_nothing_are_passed_over(tmp_path: Path) -> None:
    tree = repository(tmp_path / "project", "")
    notes = tree.parent / ".git" / "worktrees"
    for name, text in (("empty", b""), ("odd", b"\xff\xfe"), ("far", b"/elsewhere/.git\n")):
        (notes / name).mkdir()
        (notes / name / "gitdir").write_bytes(text)
    assert linked_trees_in(tree.parent) == {tree}
    assert linked_trees_in(tree) == frozenset()
    assert linked_trees_in(tmp_path) == frozenset()
