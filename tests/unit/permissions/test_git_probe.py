"""Whether git may read a repository without starting programs. Repositories are git's own."""

import subprocess
from pathlib import Path

import pytest
from pilotfish.permissions.git_probe import GitProbe, config_is_harmless

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@b.invalid",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@b.invalid",
}


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True, env=ENVIRONMENT,
                   capture_output=True)  # fmt: skip


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "symlink.py").write_text("x")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "x")
    return folder


def is_quiet(folder: Path) -> bool:
    return GitProbe().is_quiet(str(folder))


def test_a_fresh_repository_is_quiet_from_any_folder_in_it(repository: Path) -> None:
    (repository / "sub").mkdir()

    assert is_quiet(repository)
    assert is_quiet(repository / "sub")


def test_a_clone_with_a_branch_and_a_remote_is_quiet(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", str(repository), "clone")
    git(tmp_path / "clone", "checkout", "-qb", "topic")
    git(tmp_path / "clone", "config", "user.name", "x")

    assert is_quiet(tmp_path / "clone")


def test_no_repository_at_all_is_quiet(tmp_path: Path) -> None:
    assert is_quiet(tmp_path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("core.fsmonitor", "./hook.sh"),
        ("core.pager", "./x"),
        ("core.hooksPath", "hooks"),
        ("core.sshCommand", "./x"),
        ("core.worktree", "/"),
        ("diff.external", "./x"),
        ("diff.py.textconv", "./x"),
        ("diff.py.command", "./x"),
        ("filter.x.clean", "./x"),
        ("alias.st", "!./x"),
        ("pager.log", "./x"),
        ("include.path", "../evil"),
        ("includeIf.gitdir:/.path", "evil"),
        ("gpg.program", "./x"),
        ("remote.origin.promisor", "true"),
        ("extensions.partialClone", "origin"),
        ("merge.x.driver", "./x"),
        ("unheardof.key", "x"),
    ],
)
def test_a_setting_that_may_start_a_program_is_not_quiet(
    repository: Path, key: str, value: str
) -> None:
    git(repository, "config", key, value)

    assert not is_quiet(repository)


def test_the_built_in_file_monitor_is_quiet(repository: Path) -> None:
    git(repository, "config", "core.fsmonitor", "true")

    assert is_quiet(repository)


def test_the_answer_follows_a_changed_configuration(repository: Path) -> None:
    probe = GitProbe()
    assert probe.is_quiet(str(repository))
    git(repository, "config", "core.fsmonitor", "./hook.sh")

    assert not probe.is_quiet(str(repository))


def test_a_hook_that_reading_starts_is_not_quiet(repository: Path) -> None:
    probe = GitProbe()
    assert probe.is_quiet(str(repository))
    (repository / ".git" / "hooks" / "post-index-change").write_text("#!/bin/sh\n")

    assert not probe.is_quiet(str(repository))


def test_other_hooks_do_not_matter_to_readers(repository: Path) -> None:
    (repository / ".git" / "hooks" / "pre-commit").write_text("#!/bin/sh\n")

    assert is_quiet(repository)


def test_a_repository_inside_the_index_is_not_quiet(repository: Path) -> None:
    inner = repository / "inner"
    inner.mkdir()
    git(inner, "init", "-q")
    git(inner, "commit", "-qm", "x", "--allow-empty")
    git(repository, "add", "inner")

    assert not is_quiet(repository)


def test_a_bare_repository_in_the_way_is_not_quiet(repository: Path) -> None:
    git(repository, "init", "-q", "--bare", "trap")

    assert is_quiet(repository)
    assert not is_quiet(repository / "trap")


def test_a_worktree_uses_the_configuration_of_its_repository(
    repository: Path, tmp_path: Path
) -> None:
    git(repository, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert is_quiet(tmp_path / "tree")
    git(repository, "config", "core.fsmonitor", "./hook.sh")

    assert not is_quiet(tmp_path / "tree")


def test_the_configuration_of_one_worktree_counts(repository: Path) -> None:
    git(repository, "config", "extensions.worktreeConfig", "true")
    git(repository, "config", "--worktree", "core.fsmonitor", "./hook.sh")

    assert not is_quiet(repository)


def test_a_pointer_to_elsewhere_is_followed(repository: Path, tmp_path: Path) -> None:
    git(repository, "config", "core.fsmonitor", "./hook.sh")
    (tmp_path / "decoy").mkdir()
    (tmp_path / "decoy" / ".git").write_text(f"gitdir: {repository / '.git'}\n")

    assert not is_quiet(tmp_path / "decoy")


@pytest.mark.parametrize(
    "text",
    [
        "[core] fsmonitor = x",
        "[core]\n fsmonitor = \\\n x",
        "[core]\nfsmonitor\t=x",
        "[CORE]\nFsMonitor = x",
        '[diff "a\\"b"]\ncommand = x',
        "[diff.py]\ncommand = x",
        "no section = x",
        "[core\nbare = true",
        "[core]\nbare = true \\\nfsmonitor = x",
    ],
)
def test_odd_spellings_are_not_harmless(text: str) -> None:
    assert not config_is_harmless(text)
