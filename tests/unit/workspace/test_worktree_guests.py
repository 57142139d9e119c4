"""The lock on the worktrees of a repository, when another process does not let go of it."""

import os
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from filelock import FileLock
from pilotfish.core.errors import WorktreeError
from pilotfish.util.clock import SystemClock
from pilotfish.workspace import worktree_guests
from pilotfish.workspace.git import Git
from pilotfish.workspace.process import Governor
from pilotfish.workspace.worktree import Kept, Removed, Worktrees

from tests.support.git_folder import make_repository


@pytest.fixture
async def worktrees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[Worktrees]:
    monkeypatch.setattr(worktree_guests, "LOCK_WAIT_S", 0.2)
    (tmp_path / "home").mkdir()
    governor = Governor(SystemClock(), kill_after_s=0.5)
    try:
        variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")}
        yield Worktrees(Git(governor, variables))
    finally:
        await governor.close()


async def test_nobody_waits_for_it_without_end(worktrees: Worktrees, tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repository")
    fix = await worktrees.prepare(root, "fix")
    file = root / ".git" / "pilotfish-worktrees.lock"
    with FileLock(str(file)):
        with pytest.raises(WorktreeError, match="Another Pilotfish has been working") as refused:
            await worktrees.prepare(root, "more")
        assert str(file) in refused.value.message
        with pytest.raises(WorktreeError):
            await worktrees.finish(fix)
        assert fix.path.is_dir()
        # A chat that works there already is not kept from it, and is seen from now on.
        assert await worktrees.enter(fix.path, "me") is not None
    kept = await worktrees.finish(fix)
    assert isinstance(kept, Kept)
    assert kept.changes.workers == ("me",)
    assert isinstance(await worktrees.finish(fix, "me"), Removed)
    await worktrees.prepare(root, "more")
