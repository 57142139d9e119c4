"""Which files a skill waits for."""

from pathlib import Path

import pytest
from pilotfish.skills.conditions import waiting_for
from pilotfish.skills.model import Skill


@pytest.mark.parametrize("wrong", ["!", "[z-a].py", "x\\"])
def test_a_pattern_that_is_none_matches_nothing_and_the_others_count(wrong: str) -> None:
    def skill(name: str, *paths: str) -> Skill:
        return Skill(
            name=name, description="d", source="projectSettings", path=Path("/s"), paths=paths
        )

    skills = [skill("wrong", wrong), skill("both", wrong, "*.py"), skill("other", "/src/")]
    assert waiting_for(skills, Path("a.py")) == {"both"}
    assert waiting_for(skills, Path("src/a.ts")) == {"other"}
