"""Finding skills: which folder counts, and what a hostile folder can do."""

import os
from pathlib import Path

import pytest
from pilotfish.definitions.catalog import Catalog, listed
from pilotfish.definitions.files import MAX_FILE_BYTES
from pilotfish.definitions.loading import Known
from pilotfish.skills.loader import (
    MAX_SKILLS,
    SkillSources,
    load_skills,
    project_levels,
    read_document,
)
from pilotfish.skills.model import Skill
from pilotfish.skills.template import SkillError


def write(folder: Path, name: str, body: str = "Do it.") -> Path:
    file = folder / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\ndescription: d\n---\n{body}\n", encoding="utf-8")
    return file


@pytest.fixture
def sources(tmp_path: Path) -> SkillSources:
    home = tmp_path / "home"
    project = home / "work" / "project"
    project.mkdir(parents=True)
    return SkillSources(
        state_folder=home / ".pilotfish", user_home=home, project_root=project, trusted=True
    )


def own(known: Known[Skill]) -> dict[str, Path]:
    return {n: one.path for n, one in Catalog(known).active().items() if one.source != "bundled"}


def test_the_order_of_the_sources(sources: SkillSources) -> None:
    assert sources.project_root is not None
    project = sources.project_root
    weakest_first = [
        write(project.parent / ".claude/skills", "a"),
        write(project.parent / ".pilotfish/skills", "a"),
        write(project / ".claude/skills", "a"),
        write(project / ".pilotfish/commands", "a"),
        write(project / ".pilotfish/skills", "a"),
        write(sources.user_home / ".claude/skills", "a"),
        write(sources.state_folder / "skills", "a"),
    ]
    while weakest_first:
        known = load_skills(sources)
        assert own(known) == {"a": weakest_first[-1]}
        rows = [row for row in listed(known) if row.found.name == "a"]
        assert [row.found.path for row in rows] == weakest_first[::-1]
        assert [row.replaced_by is None for row in rows] == [True] + [False] * (len(rows) - 1)
        weakest_first.pop().unlink()


def test_single_files_are_for_the_older_folders_alone(sources: SkillSources) -> None:
    assert sources.project_root is not None
    for folder in ("skills", "commands"):
        file = sources.project_root / ".claude" / folder / f"in-{folder}.md"
        file.parent.mkdir(parents=True)
        file.write_text("Do it.", encoding="utf-8")
    assert list(own(load_skills(sources))) == ["in-commands"]


def test_an_untrusted_project_is_not_even_read(sources: SkillSources) -> None:
    assert sources.project_root is not None
    file = write(sources.project_root / ".pilotfish/skills", "a")
    untrusted = SkillSources(
        state_folder=sources.state_folder,
        user_home=sources.user_home,
        project_root=sources.project_root,
    )
    known = load_skills(untrusted)
    assert own(known) == {}
    assert known.untrusted == (file,)
    skill = next(one for one in load_skills(sources).found if one.name == "a")
    with pytest.raises(SkillError, match="does not count any more"):
        read_document(skill, untrusted)


def test_a_link_is_loaded_once_and_may_not_leave_the_project(
    sources: SkillSources, tmp_path: Path
) -> None:
    assert sources.project_root is not None
    folder = sources.project_root / ".pilotfish/skills"
    real = write(folder, "a")
    (folder / "b").symlink_to(real.parent)
    outside = write(tmp_path / "elsewhere", "c")
    (folder / "c").symlink_to(outside.parent)
    known = load_skills(sources)
    assert own(known) == {"a": real}
    assert ["leads out of the project" in one.text for one in known.problems] == [True]


def test_a_user_may_link_anywhere(sources: SkillSources, tmp_path: Path) -> None:
    outside = write(tmp_path / "elsewhere", "c")
    folder = sources.state_folder / "skills"
    folder.mkdir(parents=True)
    (folder / "c").symlink_to(outside.parent)
    assert own(load_skills(sources)) == {"c": folder / "c" / "SKILL.md"}


def test_what_cannot_be_read_is_told(sources: SkillSources) -> None:
    folder = sources.state_folder / "skills"
    write(folder, "good")
    large = write(folder, "large")
    large.write_bytes(b"x" * (MAX_FILE_BYTES + 1))
    latin = write(folder, "latin")
    latin.write_bytes(b"---\ndescription: \xff\n---\nx")
    (folder / "empty").mkdir()
    os.mkfifo(folder / "empty" / "SKILL.md")
    known = load_skills(sources)
    assert list(own(known)) == ["good"]
    assert {one.path.parent.name for one in known.problems} == {"large", "latin"}


def test_there_is_a_limit(sources: SkillSources) -> None:
    folder = sources.state_folder / "skills"
    for number in range(MAX_SKILLS + 1):
        write(folder, f"s{number:04}")
    known = load_skills(sources)
    assert len(known.found) == MAX_SKILLS
    assert any("more than 500" in one.text for one in known.problems)


def test_levels_end_below_the_home_or_with_the_repository(tmp_path: Path) -> None:
    home = tmp_path / "home"
    inner = home / "a" / "b"
    assert list(project_levels(inner, home)) == [inner, home / "a"]
    assert list(project_levels(home, home)) == [home]
    elsewhere = tmp_path / "srv" / "repo" / "sub"
    elsewhere.mkdir(parents=True)
    assert list(project_levels(elsewhere, home)) == [elsewhere]
    (tmp_path / "srv" / "repo" / ".git").mkdir()
    assert list(project_levels(elsewhere, home)) == [elsewhere, elsewhere.parent]


def test_a_skill_is_read_as_its_file_is_when_it_is_used(sources: SkillSources) -> None:
    file = write(sources.state_folder / "skills", "a", "First.")
    skill = next(one for one in load_skills(sources).found if one.name == "a")
    file.write_text("---\nallowed-tools: Read\n---\nSecond.", encoding="utf-8")
    document = read_document(skill, sources)
    assert (document.body, document.skill.allowed_tools) == ("Second.", ("Read",))
    file.unlink()
    with pytest.raises(SkillError):
        read_document(skill, sources)
