"""Which folders inside a project are looked at for skills."""

from pathlib import Path

import pytest
from pilotfish.session import nested_skills
from pilotfish.session.nested_skills import NestedSkills


def place(root: Path, folder: str, kind: str = ".pilotfish/skills") -> Path:
    (root / folder / kind).mkdir(parents=True)
    return root / folder


async def test_folders_on_the_way_to_a_file_count_the_deepest_first(tmp_path: Path) -> None:
    place(tmp_path, ".")
    outer, inner = place(tmp_path, "a", ".claude/commands"), place(tmp_path, "a/b")
    place(tmp_path, "other")
    nested = NestedSkills(tmp_path)
    nested.worked_with(tmp_path / "a" / "b" / "deep" / "file.txt")
    nested.worked_with(tmp_path.parent / "elsewhere" / "file.txt")
    assert await nested.look()
    assert nested.found == (inner, outer)
    nested.worked_with(tmp_path / "a" / "b" / "file.txt")
    assert not await nested.look(), "nothing is looked at twice"


async def test_what_git_ignores_is_somebody_elses(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("vendor/\n", "utf-8")
    place(tmp_path, "vendor/lib")
    nested = NestedSkills(tmp_path)
    nested.worked_with(tmp_path / "vendor" / "lib" / "file.txt")
    assert not await nested.look()
    assert nested.found == ()


async def test_what_is_remembered_has_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nested_skills, "MAX_NESTED", 3)
    nested = NestedSkills(tmp_path)
    for number in range(5):
        folder = place(tmp_path, f"part-{number}")
        nested.worked_with(folder / "file.txt")
        await nested.look()
    assert nested.found == tuple(tmp_path / f"part-{number}" for number in range(3))
    assert not await NestedSkills(None).look()
