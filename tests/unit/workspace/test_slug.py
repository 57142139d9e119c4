"""Names of worktrees: whatever is accepted is one folder and one branch, below where it belongs."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pilotfish.workspace.slug import slug_problem

HOSTILE = st.text(alphabet="ab./\\-_~ \0\n:@{}*?[^%é", max_size=70) | st.text(max_size=70)


@given(HOSTILE)
@example("../x")
@example("a/../../b")
@example("/etc")
@example("a//b")
@example(".git")
@example("-b")
@example("a.lock")
@example("a/.")
@example("C:\\x")
@example("x" * 64)
@example("ñ")
@settings(max_examples=400)
def test_an_accepted_name_stays_below_its_folder(slug: str) -> None:
    if slug_problem(slug):
        return
    folder = Path("/repository/.pilotfish/worktrees")
    path = folder / slug
    assert ".." not in path.parts
    assert path.is_relative_to(folder)
    assert path != folder
    assert path.as_posix() == f"{folder}/{slug}"
    assert slug.isascii()
    assert len(slug) <= 64


@given(st.from_regex(r"[a-z._/-]{1,20}", fullmatch=True))
@settings(max_examples=60, deadline=None)
def test_git_agrees_that_an_accepted_name_is_a_branch(slug: str) -> None:
    if not slug_problem(slug):
        name = f"refs/heads/worktree/{slug}"
        assert subprocess.run(["git", "check-ref-format", name], check=False).returncode == 0


@pytest.mark.parametrize("slug", ["a", "fix-login", "team/ada_2.0", "A.b-c", "x" * 64])
def test_plain_names_are_accepted(slug: str) -> None:
    assert slug_problem(slug) == ""


@pytest.mark.parametrize("slug", ["", "x" * 65, "a b", "a/", "/a", "..", "a..b", "con", "NUL.txt"])
def test_a_refusal_says_why(slug: str) -> None:
    assert slug_problem(slug).endswith((".", "Windows."))
