"""Worktrees with the real git: what is made, kept, removed and refused."""

import asyncio
import os
import shutil
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from pilotfish.core.errors import WorktreeError
from pilotfish.util.clock import SystemClock
from pilotfish.workspace.git import Git
from pilotfish.workspace.process import Governor
from pilotfish.workspace.repository import branch_at, find_repository
from pilotfish.workspace.worktree import Kept, Removed, Worktree, Worktrees

from tests.support.git_folder import add_submodule, commit, git, make_repository
from tests.support.waiting import until


@asynccontextmanager
async def worktrees_of(tmp_path: Path) -> AsyncGenerator[Worktrees]:
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    governor = Governor(SystemClock(), kill_after_s=0.5)
    try:
        yield Worktrees(Git(governor, {"PATH": os.environ["PATH"], "HOME": str(home)}))
    finally:
        await governor.close()


@pytest.fixture
async def worktrees(tmp_path: Path) -> AsyncGenerator[Worktrees]:
    async with worktrees_of(tmp_path) as made:
        yield made


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repository")


def branches(root: Path) -> list[str]:
    return git(root, "branch", "--format=%(refname:short)").splitlines()


async def test_a_worktree_has_a_folder_a_branch_and_the_committed_files(
    worktrees: Worktrees, root: Path
) -> None:
    (root / "a.txt").write_text("not committed", encoding="utf-8")
    made = await worktrees.prepare(root, "fix")
    assert made.path == root / ".pilotfish" / "worktrees" / "fix"
    assert (made.branch, made.repository, made.reused) == ("worktree/fix", root, False)
    assert made.base == git(root, "rev-parse", "HEAD")
    assert (made.path / "a.txt").read_text(encoding="utf-8") == "one\ntwo\nthree\n"
    assert git(made.path, "branch", "--show-current") == "worktree/fix"
    # The main tree is as it was, and does not see the other as new files.
    assert git(root, "status", "--porcelain") == "M a.txt"
    assert git(root, "branch", "--show-current") == "main"


async def test_a_clean_one_is_removed_with_its_branch(worktrees: Worktrees, root: Path) -> None:
    made = await worktrees.prepare(root, "team/fix")
    assert await worktrees.finish(made) == Removed(worktree=made)
    assert not made.path.parent.exists()
    assert branches(root) == ["main"]
    assert git(root, "worktree", "list").count("\n") == 0


@pytest.mark.parametrize("work", ["changed", "new", "deleted", "staged", "in a new folder"])
async def test_uncommitted_work_is_kept(worktrees: Worktrees, root: Path, work: str) -> None:
    made = await worktrees.prepare(root, "fix")
    if work == "deleted":
        (made.path / "a.txt").unlink()
    else:
        name = {"new": "b.txt", "in a new folder": "sub/deep/c.txt"}.get(work, "a.txt")
        (made.path / name).parent.mkdir(parents=True, exist_ok=True)
        (made.path / name).write_text("work", encoding="utf-8")
    if work == "staged":
        git(made.path, "add", "-A")
    kept = await worktrees.finish(made)
    assert isinstance(kept, Kept)
    assert kept.changes.describe() == "1 uncommitted file"
    assert kept.worktree.path == made.path
    assert made.path.is_dir()


async def test_commits_are_kept_wherever_they_are(worktrees: Worktrees, root: Path) -> None:
    made = await worktrees.prepare(root, "fix")
    (made.path / "a.txt").write_text("work", encoding="utf-8")
    commit(made.path)
    kept = await worktrees.finish(made)
    assert isinstance(kept, Kept)
    assert kept.changes.describe() == "1 new commit"
    # On the branch, with something else checked out; and on no branch at all.
    git(made.path, "checkout", "-q", "--detach", "HEAD~1")
    assert (await worktrees.changes(made)).commits == 1
    git(made.path, "branch", "-f", "worktree/fix", "HEAD")
    assert (await worktrees.changes(made)).is_clean
    (made.path / "b.txt").write_text("more", encoding="utf-8")
    commit(made.path)
    assert (await worktrees.changes(made)).commits == 1


async def test_what_git_cannot_tell_is_kept(worktrees: Worktrees, root: Path) -> None:
    made = await worktrees.prepare(root, "fix")
    index = root / ".git" / "worktrees" / "fix" / "index"
    index.write_bytes(b"broken")
    kept = await worktrees.finish(made)
    assert isinstance(kept, Kept)
    assert "unknown" in kept.changes.describe()
    assert "git ls-files failed" in kept.changes.unknown
    assert made.path.is_dir()


@pytest.mark.parametrize(
    "damage", ["base lost", "base nonsense", "branch gone", "merge under way", "pointer gone"]
)
async def test_a_doubtful_state_is_kept(worktrees: Worktrees, root: Path, damage: str) -> None:
    made = await worktrees.prepare(root, "fix")
    admin = root / ".git" / "worktrees" / "fix"
    match damage:
        case "base lost":
            (admin / "pilotfish-base").unlink()
        case "base nonsense":
            (admin / "pilotfish-base").write_text("--all", encoding="utf-8")
        case "branch gone":
            git(made.path, "checkout", "-q", "--detach")
            git(root, "branch", "-D", "worktree/fix")
        case "merge under way":
            (admin / "MERGE_HEAD").write_text(f"{made.base}\n", encoding="utf-8")
        case _:
            (made.path / ".git").unlink()
    again = await worktrees.reopen(made.path) or made
    finished = await worktrees.finish(again)
    assert isinstance(finished, Kept)
    assert finished.changes.unknown
    assert made.path.is_dir()


async def test_discarding_removes_work_and_a_locked_one_stays(
    worktrees: Worktrees, root: Path
) -> None:
    made = await worktrees.prepare(root, "fix")
    (made.path / "a.txt").write_text("work", encoding="utf-8")
    commit(made.path)
    (made.path / "b.txt").write_text("more", encoding="utf-8")
    git(root, "worktree", "lock", str(made.path))
    kept = await worktrees.discard(made)
    assert isinstance(kept, Kept)
    assert "lock" in kept.changes.unknown
    git(root, "worktree", "unlock", str(made.path))
    assert isinstance(await worktrees.discard(made), Removed)
    assert not made.path.exists()
    assert branches(root) == ["main"]


async def test_an_existing_one_is_used_again_with_what_it_began_with(
    worktrees: Worktrees, root: Path
) -> None:
    made = await worktrees.prepare(root, "fix")
    (made.path / "b.txt").write_text("work", encoding="utf-8")
    commit(made.path)
    os.utime(made.path, (1, 1))
    again = await worktrees.prepare(root, "fix")
    assert (again.path, again.base, again.reused) == (made.path, made.base, True)
    assert made.path.stat().st_mtime > 1
    # The commits of the first time count, so that the second cannot lose them.
    assert (await worktrees.changes(again)).commits == 1


async def test_a_kept_branch_without_its_folder_is_taken_up_again(
    worktrees: Worktrees, root: Path
) -> None:
    made = await worktrees.prepare(root, "fix")
    (made.path / "b.txt").write_text("work", encoding="utf-8")
    commit(made.path)
    shutil.rmtree(made.path)
    assert await worktrees.reopen(made.path) is None
    again = await worktrees.prepare(root, "fix")
    assert (again.path / "b.txt").read_text(encoding="utf-8") == "work"
    assert isinstance(await worktrees.finish(again), Kept)


async def test_from_inside_a_worktree_the_next_is_made_in_the_main_folder(
    worktrees: Worktrees, root: Path
) -> None:
    first = await worktrees.prepare(root, "first")
    (first.path / "b.txt").write_text("work", encoding="utf-8")
    begun = commit(first.path)
    (first.path / "sub").mkdir()
    second = await worktrees.prepare(first.path / "sub", "second")
    assert second.path == root / ".pilotfish" / "worktrees" / "second"
    assert second.base == begun


@pytest.mark.parametrize("slug", ["../x", "", "a b", "-d", "x" * 65, ".git", "a/../../../b"])
async def test_a_hostile_name_reaches_no_disk(worktrees: Worktrees, root: Path, slug: str) -> None:
    with pytest.raises(WorktreeError, match="cannot name a worktree"):
        await worktrees.prepare(root, slug)
    assert not (root / ".pilotfish").exists()


async def test_links_on_the_way_are_refused(worktrees: Worktrees, root: Path) -> None:
    elsewhere = root.parent / "elsewhere"
    elsewhere.mkdir()
    (root / ".pilotfish").symlink_to(elsewhere)
    with pytest.raises(WorktreeError, match="is a link"):
        await worktrees.prepare(root, "fix")
    (root / ".pilotfish").unlink()
    (root / ".pilotfish" / "worktrees").mkdir(parents=True)
    (root / ".pilotfish" / "worktrees" / "fix").symlink_to(elsewhere)
    with pytest.raises(WorktreeError, match="is a link"):
        await worktrees.prepare(root, "fix")
    assert list(elsewhere.iterdir()) == []


async def test_what_is_in_the_way_is_left_alone(worktrees: Worktrees, root: Path) -> None:
    taken = root / ".pilotfish" / "worktrees" / "fix"
    taken.mkdir(parents=True)
    (taken / "mine").write_text("x", encoding="utf-8")
    with pytest.raises(WorktreeError, match="no worktree of this repository"):
        await worktrees.prepare(root, "fix")
    assert (taken / "mine").exists()
    await worktrees.prepare(root, "outer")
    with pytest.raises(WorktreeError, match="another one cannot be inside"):
        await worktrees.prepare(root, "outer/inner")


@pytest.mark.parametrize("kind", ["none", "bare", "pointer", "link", "empty", "submodule"])
async def test_what_is_no_plain_repository_is_refused(
    worktrees: Worktrees, root: Path, kind: str
) -> None:
    folder = root.parent / "other"
    folder.mkdir()
    match kind:
        case "bare":
            git(folder, "init", "-q", "--bare")
        case "pointer":
            # Somebody else's repository, named by a file that anybody can write.
            (folder / ".git").write_text(f"gitdir: {root / '.git'}\n", encoding="utf-8")
        case "link":
            (folder / ".git").symlink_to(root / ".git")
        case "empty":
            git(folder, "init", "-q")
        case "submodule":
            git(root, "-c", "protocol.file.allow=always", "submodule", "-q", "add",
                str(make_repository(root.parent / "inner")), "inner")  # fmt: skip
            folder = root / "inner"
        case _:
            pass
    with pytest.raises(WorktreeError):
        await worktrees.prepare(folder, "fix")
    assert branches(root) == ["main"]


@pytest.fixture
def with_submodule(root: Path) -> Path:
    add_submodule(root)
    return root


async def test_a_worktree_has_its_submodules_empty_and_goes_when_nothing_was_done(
    worktrees: Worktrees, with_submodule: Path
) -> None:
    made = await worktrees.prepare(with_submodule, "fix")
    assert list((made.path / "inner").iterdir()) == []
    assert made.empty == ("inner",)
    assert (await worktrees.prepare(with_submodule, "fix")).empty == ("inner",)
    assert (await worktrees.changes(made)).is_clean
    assert isinstance(await worktrees.finish(made), Removed)
    assert (with_submodule / "inner" / "a.txt").exists(), "that of the main tree stays"


async def test_work_in_the_empty_folder_of_a_submodule_is_not_lost(
    worktrees: Worktrees, with_submodule: Path
) -> None:
    """Git tells nothing of it: for git the folder belongs to a repository that is not there."""
    made = await worktrees.prepare(with_submodule, "fix")
    (made.path / "inner" / "new.txt").write_text("work", encoding="utf-8")
    assert git(made.path, "status", "--porcelain") == ""
    kept = await worktrees.finish(made)
    assert isinstance(kept, Kept)
    assert kept.changes.describe() == (
        "its state is unknown (git does not look into the folder of the submodule inner)"
    )
    assert (made.path / "inner" / "new.txt").read_text(encoding="utf-8") == "work"


async def test_a_submodule_that_was_fetched_in_a_worktree_keeps_it(
    worktrees: Worktrees, with_submodule: Path
) -> None:
    made = await worktrees.prepare(with_submodule, "fix")
    git(made.path, "-c", "protocol.file.allow=always", "submodule", "-q", "update", "--init")
    assert (await worktrees.prepare(with_submodule, "fix")).empty == (), "it is not empty any more"
    kept = await worktrees.finish(made)
    assert isinstance(kept, Kept)
    assert "git keeps modules for it" in kept.changes.describe()
    assert isinstance(await worktrees.discard(made), Removed), "the user may still have it go"
    assert not made.path.exists()


def test_a_forged_pointer_leads_to_no_repository(root: Path, tmp_path: Path) -> None:
    git(root, "worktree", "add", "-q", "-b", "x", str(tmp_path / "linked"))
    assert find_repository(tmp_path / "linked") is not None
    forged = tmp_path / "forged"
    forged.mkdir()
    shutil.copy(tmp_path / "linked" / ".git", forged / ".git")
    assert find_repository(forged) is None


PROGRAM = "touch {marker}; exit 1"


@pytest.mark.parametrize(
    ("key", "refused"),
    [
        ("core.fsmonitor", False),
        ("core.hooksPath", False),
        ("core.sshCommand", False),
        ("core.pager", False),
        ("diff.external", False),
        ("alias.status", False),
        ("filter.evil.smudge", True),
        ("filter.evil.process", True),
        ("core.worktree", True),
        ("lfs.customtransfer.x.path", True),
        ("unheard.of", True),
    ],
)
async def test_a_repository_runs_nothing_of_its_own(
    worktrees: Worktrees, tmp_path: Path, key: str, *, refused: bool
) -> None:
    root = make_repository(tmp_path / "repository")
    marker = tmp_path / "ran"
    program = tmp_path / "hooks"
    program.mkdir()
    for name in ("post-checkout", "post-index-change", "reference-transaction", "evil"):
        hook = program / name
        hook.write_text(f"#!/bin/sh\n{PROGRAM.format(marker=marker)}\n", encoding="utf-8")
        hook.chmod(0o755)
    (root / ".gitattributes").write_text("* filter=evil\n", encoding="utf-8")
    commit(root)
    shutil.copytree(program, root / ".git" / "hooks", dirs_exist_ok=True)
    git(root, "config", key, str(program if key == "core.hooksPath" else program / "evil"))
    if refused:
        with pytest.raises(WorktreeError, match="configuration has"):
            await worktrees.prepare(root, "fix")
    else:
        made = await worktrees.prepare(root, "fix")
        (made.path / "b.txt").write_text("x", encoding="utf-8")
        assert isinstance(await worktrees.finish(made), Kept)
        assert isinstance(await worktrees.discard(made), Removed)
    assert not marker.exists()


async def test_configuration_put_in_later_keeps_the_worktree(
    worktrees: Worktrees, root: Path, tmp_path: Path
) -> None:
    made = await worktrees.prepare(root, "fix")
    marker = tmp_path / "ran"
    git(root, "config", "extensions.worktreeConfig", "true")
    git(made.path, "config", "--worktree", "filter.x.clean", f"touch {marker}")
    finished = await worktrees.finish(made)
    assert isinstance(finished, Kept)
    assert "filter.x.clean" in finished.changes.unknown
    assert isinstance(await worktrees.discard(made), Kept)
    assert not marker.exists()


async def test_a_filter_of_the_users_own_works(tmp_path: Path, root: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        '[filter "shout"]\n\tsmudge = tr a-z A-Z\n\tclean = tr A-Z a-z\n', encoding="utf-8"
    )
    (root / ".gitattributes").write_text("*.txt filter=shout\n", encoding="utf-8")
    commit(root)
    async with worktrees_of(tmp_path) as worktrees:
        made = await worktrees.prepare(root, "fix")
        assert (made.path / "a.txt").read_text(encoding="utf-8") == "ONE\nTWO\nTHREE\n"
        assert isinstance(await worktrees.finish(made), Removed)


async def test_ten_at_once_do_not_get_into_each_others_way(
    worktrees: Worktrees, root: Path
) -> None:
    made = await asyncio.gather(*(worktrees.prepare(root, f"agent-{n}") for n in range(10)))
    assert len({one.path for one in made}) == 10
    for one in made[:5]:
        (one.path / "b.txt").write_text("work", encoding="utf-8")
    finished = await asyncio.gather(*(worktrees.finish(one) for one in made))
    assert [isinstance(one, Kept) for one in finished] == [True] * 5 + [False] * 5


async def test_a_cancelled_start_leaves_nothing(
    worktrees: Worktrees, root: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    ready = tmp_path / "ready"
    (home / ".gitconfig").write_text(
        f'[filter "slow"]\n\tsmudge = "touch {ready}; sleep 60"\n', encoding="utf-8"
    )
    (root / ".gitattributes").write_text("a.txt filter=slow\n", encoding="utf-8")
    commit(root)
    starting = asyncio.create_task(worktrees.prepare(root, "fix"))
    await until(ready.exists)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    assert not (root / ".pilotfish" / "worktrees" / "fix").exists()
    assert branches(root) == ["main"]
    (home / ".gitconfig").unlink()
    assert isinstance(await worktrees.prepare(root, "fix"), Worktree)


async def test_the_branch_around_a_folder_is_known_without_asking_git(
    worktrees: Worktrees, root: Path, tmp_path: Path
) -> None:
    (root / "deep" / "er").mkdir(parents=True)
    assert branch_at(root / "deep" / "er") == "main"
    git(root, "checkout", "-q", "-b", "feature/one")
    assert branch_at(root) == "feature/one"
    made = await worktrees.prepare(root, "fix")
    assert branch_at(made.path) == "worktree/fix"
    git(root, "checkout", "-q", "--detach")
    assert branch_at(root) == ""
    assert branch_at(tmp_path) == ""
    (root / ".git" / "HEAD").write_text("ref: refs/heads/.invalid\n", encoding="utf-8")
    assert branch_at(root) == ""
