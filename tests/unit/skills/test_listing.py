"""The list of skills that goes into every request."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.commands import CommandSource
from pilotfish.skills.listing import MAX_ENTRY_CHARS, list_skills, listing_budget
from pilotfish.skills.model import Skill


def skill(name: str, description: str, source: CommandSource = "userSettings") -> Skill:
    return Skill(name=name, description=description, source=source, path=Path("/s") / name)


def test_the_budget_is_a_hundredth_of_the_window() -> None:
    assert listing_budget(200_000) == 8_000


def test_all_fit() -> None:
    listed = list_skills([skill("a", "x" * 300), skill("b", "short")], 8_000)
    first, second = listed.split("\n")
    assert first == f"- a: {'x' * (MAX_ENTRY_CHARS - 1)}…"
    assert second == "- b: short"


def test_when_to_use_it_is_told_as_well() -> None:
    found = Skill(
        name="a", description="Does.", when_to_use="At night.", source="bundled", path=Path("/s")
    )
    assert list_skills([found], 100) == "- a: Does. At night."


def test_others_share_what_the_bundled_ones_leave() -> None:
    bundled = skill("own", "o" * 100, "bundled")
    others = [skill(f"s{number}", "d" * 200) for number in range(4)]
    lines = list_skills([bundled, *others], 400).split("\n")
    assert lines[0] == f"- own: {'o' * 100}"
    assert len({len(line) for line in lines[1:]}) == 1
    assert all(line.endswith("…") for line in lines[1:])
    assert sum(len(line) + 1 for line in lines) <= 400


def test_with_too_little_room_names_are_left() -> None:
    bundled = skill("own", "o" * 100, "bundled")
    others = [skill(f"s{number}", "d" * 200) for number in range(20)]
    lines = list_skills([bundled, *others], 300).split("\n")
    assert lines[0] == f"- own: {'o' * 100}"
    assert lines[1:] == [f"- s{number}" for number in range(20)]


@given(
    st.lists(
        st.tuples(
            st.text("abc-", min_size=1, max_size=20),
            st.text(max_size=400),
            st.sampled_from(["bundled", "userSettings", "projectSettings"]),
        ),
        max_size=30,
    ),
    st.integers(0, 9_000),
)
def test_within_the_budget_or_names_alone(
    rows: list[tuple[str, str, CommandSource]], budget: int
) -> None:
    skills = [skill(name, " ".join(text.split()), source) for name, text, source in rows]
    listed = list_skills(skills, budget)
    assert listed == list_skills(skills, budget)
    lines = listed.split("\n") if skills else []
    assert len(lines) == len(skills)
    for one, line in zip(skills, lines, strict=True):
        assert line.startswith(f"- {one.name}")
        if one.source == "bundled":
            assert line == list_skills([one], 9_000)
    names_only = all(
        line == f"- {one.name}"
        for one, line in zip(skills, lines, strict=True)
        if one.source != "bundled"
    )
    assert names_only or sum(len(line) + 1 for line in lines) <= budget


@pytest.mark.parametrize("budget", [0, 1])
def test_nothing_to_list(budget: int) -> None:
    assert list_skills([], budget) == ""
