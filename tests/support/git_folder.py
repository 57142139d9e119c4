"""Real git repositories for tests, independent of whoever runs them."""

import os
import subprocess
from pathlib import Path

import pytest

BROKEN_LINKS = [
    pytest.param(b"gitdir: a\0b\n", id="nul"),
    pytest.param(b"\xff", id="no-text"),
    pytest.param(b"gitdir: " + b"a" * 5_000, id="long-name"),
]
"""What a file ``.git`` may hold that leads to no repository."""

VARIABLES = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.invalid",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.invalid",
}


def git(folder: Path, *arguments: str) -> str:
    """Run a git command and return what it wrote."""
    result = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        env={**os.environ, **VARIABLES},
        check=True,
        capture_output=True,
        text=True,
    )
    return result.stdout.strip()


def make_repository(folder: Path, **files: str) -> Path:
    """Make a repository with a commit that holds some files, ``a.txt`` at least."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for name, text in (files or {"a": "one\ntwo\nthree\n"}).items():
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")
    commit(folder)
    return folder.resolve()


def commit(folder: Path, message: str = "A commit") -> str:
    """Commit everything in a folder; returns the commit."""
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--no-verify", "-m", message)
    return git(folder, "rev-parse", "HEAD")


def add_submodule(root: Path, name: str = "inner") -> None:
    """Put another repository, with the file ``a.txt``, into a repository."""
    inner = make_repository(root.parent / f"origin-of-{name}")
    git(root, "-c", "protocol.file.allow=always", "submodule", "-q", "add", str(inner), name)
    git(root, "commit", "-q", "-m", "A submodule")
