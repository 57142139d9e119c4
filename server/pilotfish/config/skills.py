"""``skills`` of a settings file: what the tools that a skill names mean for it.

Owns: the section, its merged form. Does not own: skills (``skills``), using them (``session.skill_use``).
See also: design 03 §4.10.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

from pilotfish.config.section import Section

AllowedToolsMode: TypeAlias = Literal["grant", "restrict"]
"""``grant``: what ``allowed-tools`` names runs unasked. ``restrict``: an agent that works on the skill has
no other tools, either."""


class SkillsSection(Section):
    """``skills`` of a settings file."""

    allowed_tools_mode: AllowedToolsMode | None = None


def merge_allowed_tools(sections: Iterable[SkillsSection]) -> AllowedToolsMode:
    """Merge sections: one that restricts is enough, since it takes something away."""
    restricts = any(one.allowed_tools_mode == "restrict" for one in sections)
    return "restrict" if restricts else "grant"
