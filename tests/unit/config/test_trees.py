"""Telling a project from the worktrees inside of it."""

from pathlib import Path

import pytest
from pilotfish.config.trees import is_in_other_tree, repository_around


@pytest.mark.parametrize(
    ("path", "root", "other"),
    [
        ("/p/a.py", "/p", False),
        ("/p/.pilotfish/worktrees/x/a.py", "/p/.pilotfish/worktrees/x", False),
        ("/p/a.py", "/p/.pilotfish/worktrees/x", True),
        ("/p/.pilotfish/worktrees/y/a.py", "/p/.pilotfish/worktrees/x", True),
        ("/p/.pilotfish/worktrees/x/a.py", "/p/src", True),
        ("/usr/lib/python/os.py", "/p/.pilotfish/worktrees/x", False),
        ("/usr/lib/python/os.py", "/p", False),
        ("/p/.pilotfish/worktrees", "/p/src", False),
    ],
)
def test_trees_are_told_apart(path: str, root: str, *, other: bool) -> None:
    assert is_in_other_tree(Path(path), Path(root)) == other


def test_the_innermost_repository_counts() -> None:
    path = Path("/p/.pilotfish/worktrees/x/sub/.pilotfish/worktrees/y/a.py")
    assert repository_around(path) == Path("/p/.pilotfish/worktrees/x/sub")
    assert repository_around(Path("/p/.pilotfish/worktrees")) is None
    assert repository_around(Path("/p/.pilotfish/settings.json")) is None
