"""The list of skills that the model chooses from.

Owns: its form, and its limit: it goes into every request of a session.
Does not own: which skills are in it.
See also: design 03 §4.13.
"""

from collections.abc import Sequence

from pilotfish.skills.model import Skill

MAX_ENTRY_CHARS = 250
"""Longest description in the list."""

CHARS_PER_TOKEN = 4

SHARE_OF_WINDOW = 0.01
"""How much of the model's window the list may take."""

LEAST_SHARE_CHARS = 20
"""With less room than this for each, names alone say as much."""


def listing_budget(window_tokens: int) -> int:
    """Return how many characters the list may have for a model's window."""
    return int(window_tokens * CHARS_PER_TOKEN * SHARE_OF_WINDOW)


def list_skills(skills: Sequence[Skill], budget: int) -> str:
    """Return a line for each skill, in the order given.

    Those that come with Pilotfish keep their descriptions; the others share what is left.
    """
    whole = [_line(skill, _said(skill, MAX_ENTRY_CHARS)) for skill in skills]
    if sum(len(line) + 1 for line in whole) <= budget:
        return "\n".join(whole)
    bundled = [skill.source == "bundled" for skill in skills]
    used = sum(len(line) + 1 for line, fixed in zip(whole, bundled, strict=True) if fixed)
    others = [skill for skill, fixed in zip(skills, bundled, strict=True) if not fixed]
    room = budget - used - sum(len(_line(skill, "x")) for skill in others)
    share = min(MAX_ENTRY_CHARS, room // max(len(others), 1))
    lines = (
        line if fixed else _line(skill, _said(skill, share) if share >= LEAST_SHARE_CHARS else "")
        for skill, line, fixed in zip(skills, whole, bundled, strict=True)
    )
    return "\n".join(lines)


def _line(skill: Skill, said: str) -> str:
    return f"- {skill.name}: {said}" if said else f"- {skill.name}"


def _said(skill: Skill, room: int) -> str:
    text = " ".join(part for part in (skill.description, skill.when_to_use) if part)
    return text if len(text) <= room else text[: max(room - 1, 0)].rstrip() + "…"
