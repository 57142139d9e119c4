"""Whatever says which files are ignored counts for the index when it changes.

In the folder as soon as it does, outside of it for the next answer; for processes that only read the
index after a while.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pilotfish.codeintel.index import watch as watching
from pilotfish.codeintel.index.selection import Listing
from pilotfish.codeintel.index.watch import Signs, watch_folders

from tests.support.git_folder import BROKEN_LINKS, commit, git, make_repository
from tests.support.index_stage import IndexStage
from tests.support.waiting import WAIT_S, until_answer


async def has_two_files(stage: IndexStage) -> None:
    """Make the index of two files that nobody ignores, and see it follow them."""
    stage.write("a.py", "def kept(): ...\n")
    stage.write("b.py", "def dropped(): ...\n")
    await stage.watching()
    assert len(await stage.names("")) == 2


async def test_a_changed_ignore_file_counts(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        (stage.root / ".git").mkdir()
        await has_two_files(stage)
        stage.write(".gitignore", "b.py\n")
        await stage.until_names(lambda names: names == ["kept"])


async def test_what_git_ignores_in_this_clone_alone_counts_when_it_changes(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        exclude = stage.write(".git/info/exclude", "")
        await has_two_files(stage)
        # Editors write a new file and put it in the place of the old one.
        stage.write(".git/info/new", "b.py\n").replace(exclude)
        await stage.until_names(lambda names: names == ["kept"])
        exclude.write_text("a.py\n")
        await stage.until_names(lambda names: names == ["dropped"])


async def test_a_linked_worktree_heeds_what_its_clone_alone_ignores(tmp_path: Path) -> None:
    main = make_repository(tmp_path / "main")
    for name, text in (("a.py", "def kept(): ...\n"), ("b.py", "def other(): ...\n")):
        (main / name).write_text(text)
    commit(main)
    git(main, "worktree", "add", "-q", str(tmp_path / "project"))
    async with IndexStage.open(tmp_path) as stage:
        stage.write("new.py", "def untracked(): ...\n")
        await stage.watching()
        assert sorted(await stage.names("")) == ["kept", "other", "untracked"]
        (main / ".git" / "info" / "exclude").write_text("new.py\n")
        await stage.until_names(lambda names: names == ["kept", "other"])


OUTSIDE = [
    ".git/info/exclude",
    ".gitignore",
    "above/.gitignore",
    "above/.ignore",
    "../.ignore",
    "../.rgignore",
]


@pytest.mark.parametrize("name", OUTSIDE)
async def test_a_folder_of_a_repository_heeds_what_its_repository_ignores(
    tmp_path: Path, name: str
) -> None:
    repository = tmp_path / "repository"
    rules = repository / name
    root = repository / "above" / "part"
    for folder in (rules.parent, root, repository / ".git"):
        folder.mkdir(parents=True, exist_ok=True)
    async with IndexStage.open(tmp_path, root=root) as stage:
        await has_two_files(stage)
        rules.write_text("b.py\n")
        await stage.until_names(lambda names: names == ["kept"])


async def test_a_folder_of_no_repository_heeds_what_is_ignored_above_it(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        await has_two_files(stage)
        (tmp_path / ".ignore").write_text("b.py\n")
        assert await stage.names("") == ["kept"], "the next answer is that of the new rules"


async def test_what_git_ignores_in_this_clone_alone_may_be_said_later(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        (stage.root / ".git").mkdir()
        await has_two_files(stage)
        stage.write(".git/info/exclude", "b.py\n")
        assert await stage.names("") == ["kept"]


async def test_nothing_outside_the_folder_is_watched(tmp_path: Path) -> None:
    """Where a system can only watch a folder with all below it, that would be the user's home."""
    watched: set[Path] = set()

    def watch(folders: Sequence[Path], stop: asyncio.Event) -> Signs:
        watched.update(folders)
        return watch_folders(folders, stop)

    (tmp_path / ".gitconfig").write_text("[core]\n\texcludesFile = ~/ignored\n")
    async with IndexStage.open(tmp_path, watch=watch) as stage:
        (stage.root / ".git").mkdir()
        await has_two_files(stage)
        assert watched == {stage.root}
        (tmp_path / "ignored").write_text("b.py\n")
        assert await stage.names("") == ["kept"]


async def test_what_the_user_ignores_everywhere_counts_when_it_changes(tmp_path: Path) -> None:
    settings, chosen = tmp_path / ".gitconfig", tmp_path / "mine" / "ignored"
    chosen.parent.mkdir()
    async with IndexStage.open(tmp_path) as stage:
        (stage.root / ".git").mkdir()
        await has_two_files(stage)
        chosen.write_text("b.py\n")
        settings.write_text('[core]\n\texcludesFile = "~/mine/ignored"\n')
        await stage.until_names(lambda names: names == ["kept"])
        chosen.write_text("a.py\n")
        await stage.until_names(lambda names: names == ["dropped"])
        settings.unlink()
        await stage.until_names(lambda names: names == ["dropped", "kept"])


async def test_who_reads_along_is_told_nothing_of_what_is_ignored_by_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "LOOK_AGAIN_S", 0.05)
    async with IndexStage.open(tmp_path) as keeper:
        (keeper.root / ".git").mkdir()
        await has_two_files(keeper)
        async with IndexStage.open(tmp_path) as reader:
            index = await reader.ready()
            assert index.state.phase == "reading"
            assert await reader.knows("dropped")
            keeper.write(".git/info/exclude", "b.py\n")
            await reader.until_names(lambda names: names == ["kept"])


async def test_the_map_holds_nothing_that_is_ignored_by_now(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        (stage.root / ".git").mkdir()
        await has_two_files(stage)
        index = await stage.ready()

        async def is_whole() -> bool:
            return {one.path for one in await index.map(5)} == {"a.py", "b.py"}

        await until_answer(is_whole)
        stage.write(".git/info/exclude", "b.py\n")
        assert {one.path for one in await index.map(5)} == {"a.py"}


async def test_a_folder_that_becomes_a_repository_heeds_its_ignore_files(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write(".gitignore", "b.py\n")
        await has_two_files(stage)
        git(stage.root, "init", "-q")
        await stage.until_names(lambda names: names == ["kept"])
        (stage.root / ".git" / "info" / "exclude").write_text("a.py\n")
        await stage.until_names(lambda names: names == [])


@pytest.mark.parametrize("link", BROKEN_LINKS)
@pytest.mark.parametrize("place", ["", "part"])
async def test_a_git_file_that_leads_nowhere_costs_no_index(
    tmp_path: Path, link: bytes, place: str
) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write("part/a.py", "def found(): ...\n")
        (stage.root / place / ".git").write_bytes(link)
        await stage.ready()
        assert await stage.names("found") == ["found"]


async def test_an_excludes_file_with_an_impossible_name_costs_no_index(tmp_path: Path) -> None:
    (tmp_path / ".gitconfig").write_text(f"[core]\n\texcludesFile = ~/{'a' * 5_000}/ignored\n")
    async with IndexStage.open(tmp_path) as stage:
        (stage.root / ".git").mkdir()
        stage.write("a.py", "def found(): ...\n")
        index = await stage.ready()
        states: list[str] = []
        index.listen(lambda state: states.append(state.phase))
        await stage.watching()
        assert "failed" not in states


async def test_who_waits_for_the_present_rules_waits_no_longer_than_the_index_is_kept(
    tmp_path: Path,
) -> None:
    looks = asyncio.Event()

    async def never(_: Path, /) -> Listing:
        looks.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with IndexStage.open(tmp_path) as stage:
        await has_two_files(stage)
        index = stage.hub.index_of(stage.root)
        assert index is not None
        index._parts = replace(index._parts, list_files=never)
        (tmp_path / ".ignore").write_text("b.py\n")
        async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
            group.create_task(index.usable(10 * WAIT_S))
            await looks.wait()
            await index.close()
