"""The skills of a session.

Owns: which skill of a name counts, and what was found beside those.
Does not own: reading files (``loader``), when they are read again (the session).
See also: design 03 §4.2 (SK-1), §4.14.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from pilotfish.skills.loader import KnownSkills
from pilotfish.skills.model import Skill

_NOTHING = KnownSkills(skills=())


@dataclass(frozen=True, kw_only=True, slots=True)
class ListedSkill:
    """A skill among all that were found."""

    skill: Skill
    shadowed_by: Skill | None
    """The one that counts instead; None when this one does."""


class SkillCatalog:
    """What was last found."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.take(_NOTHING)

    def take(self, known: KnownSkills) -> None:
        """Replace what is known."""
        self._known = known
        self._active = MappingProxyType(_strongest(known.skills))

    @property
    def known(self) -> KnownSkills:
        """Return everything that was found, shadowed and broken skills included."""
        return self._known

    def active(self) -> Mapping[str, Skill]:
        """Return the skills that count, by name, in the order of their names."""
        return self._active


def listed(known: KnownSkills) -> list[ListedSkill]:
    """Return all skills by name, of each name the one that counts first."""
    active = _strongest(known.skills)
    rows = [
        ListedSkill(
            skill=skill,
            shadowed_by=None if active[skill.name] is skill else active[skill.name],
        )
        for skill in known.skills
    ]
    return sorted(rows, key=lambda row: row.skill.name.lower())


def _strongest(skills: Iterable[Skill]) -> dict[str, Skill]:
    """Return the first skill of each name: those that come later are shadowed."""
    by_name: dict[str, Skill] = {}
    for skill in skills:
        by_name.setdefault(skill.name, skill)
    return dict(sorted(by_name.items()))
