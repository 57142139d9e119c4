"""Which files git ignores: compared with git itself."""

import os
import subprocess
from pathlib import Path

import pytest
from pilotfish.config.store import readable_git_folder
from pilotfish.workspace.git_ignore import ignored_files

from tests.support.git_folder import BROKEN_LINKS, commit, git, make_repository

FILES = (
    "a.py", "a.log", "build/x.py", "build/keep/y.py", "src/build/z.py", "src/keep.log",
    "src/deep/b.log", "src/deep/c.py", "docs/private/d.md", "docs/e.md", "own.py", "ä b/f.tmp",
    "[x].py", "trailing .py",
)  # fmt: skip

RULES = {
    ".gitignore": "# a comment\n/build/\n*.log\n!keep.log\ndocs/private\n\\[x].py\n",
    "src/.gitignore": "deep/*.py\n!b.log\n",
    "build/.gitignore": "!keep/\n",
    "ä b/.gitignore": "*.tmp\n",
    ".git/info/exclude": "own.py\n",
}


def repository(folder: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    for name, text in {**dict.fromkeys(FILES, ""), **RULES}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def test_it_says_what_git_says(tmp_path: Path) -> None:
    root = repository(tmp_path / "repository")
    asked = "\0".join(FILES)
    git = subprocess.run(
        ["git", "check-ignore", "--stdin", "-z"],
        input=asked.encode(), cwd=root, capture_output=True, check=True,
    )  # fmt: skip
    expected = {root / name for name in git.stdout.decode().split("\0") if name}
    assert root / "build/keep/y.py" in expected
    assert ignored_files([root / name for name in FILES], [root]) == expected


def test_the_repository_may_begin_above_the_folder(tmp_path: Path) -> None:
    root = repository(tmp_path / "repository")
    deep, kept = root / "src" / "deep" / "c.py", root / "src" / "deep" / "b.log"
    assert ignored_files([deep, kept], [root / "src"]) == {deep}


def test_the_innermost_repository_decides(tmp_path: Path) -> None:
    root = repository(tmp_path / "repository")
    inner = repository(root / "build" / "worktree")
    asked = [inner / "a.py", inner / "a.log", root / "build" / "x.py"]
    assert ignored_files(asked, [root]) == {inner / "a.log", root / "build" / "x.py"}


def test_without_a_repository_nothing_is_ignored(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("*\n")
    assert ignored_files([tmp_path / "a.py", Path("/etc/hosts")], [tmp_path]) == frozenset()


def test_a_pattern_that_is_none_does_not_switch_off_the_others(tmp_path: Path) -> None:
    root = repository(tmp_path / "repository")
    (root / ".gitignore").write_text("!\n[z-a]\n\\\n*.log\n")
    assert ignored_files([root / "a.log", root / "a.py"], [root]) == {root / "a.log"}


@pytest.mark.timeout(5)
def test_an_ignore_file_that_is_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    root = repository(tmp_path / "repository")
    (root / "src" / ".gitignore").unlink()
    os.mkfifo(root / "src" / ".gitignore")
    asked = [root / "src" / "a.log", root / "src" / "a.py"]
    assert ignored_files(asked, [root]) == {asked[0]}


def test_a_linked_worktree_shares_what_its_clone_alone_ignores(tmp_path: Path) -> None:
    root = make_repository(tmp_path / "repository")
    (root / "a.py").write_text("")
    commit(root)
    linked = tmp_path / "linked"
    git(root, "worktree", "add", "-q", str(linked))
    (root / ".git" / "info" / "exclude").write_text("own.py\n")
    files = [linked / "a.py", linked / "own.py"]
    assert ignored_files(files, [linked]) == {linked / "own.py"}


@pytest.mark.parametrize("link", BROKEN_LINKS)
@pytest.mark.parametrize("place", ["", "part"])
def test_a_git_file_that_leads_nowhere_leaves_the_ignore_files(
    tmp_path: Path, link: bytes, place: str
) -> None:
    folder = tmp_path / place
    folder.mkdir(exist_ok=True)
    (folder / ".git").write_bytes(link)
    (folder / ".gitignore").write_text("*.log\n")
    assert ignored_files([folder / "a.log", folder / "a.py"], [tmp_path]) == {folder / "a.log"}


def test_where_a_repository_is_is_looked_up_once_for_many_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Path] = []

    def look(start: Path) -> Path | None:
        asked.append(start)
        return readable_git_folder(start)

    monkeypatch.setattr("pilotfish.workspace.git_ignore.readable_git_folder", look)
    root = repository(tmp_path / "repository")
    ignored_files([root / name for name in FILES], [root])
    assert asked == [root]
