"""Which files a skill waits for.

Owns: the patterns, as in ``.gitignore``. Does not own: which files were worked with (the session).
See also: design 03 §4.14.
"""

import re
from collections.abc import Iterable
from pathlib import Path

from pilotfish.skills.model import Skill


def is_about(skill: Skill, file: Path) -> bool:
    """Tell whether a file is one that a skill waits for.

    Args:
        skill: The skill.
        file: Relative to the project's folder.
    """
    return any(_matches(pattern, file.as_posix()) for pattern in skill.paths)


def waiting_for(skills: Iterable[Skill], file: Path) -> set[str]:
    """Return the names of the skills that wait for a file."""
    return {skill.name for skill in skills if is_about(skill, file)}


def _matches(pattern: str, file: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines([pattern]).match_file(file)
    except (ValueError, re.error):  # no pattern: it matches nothing
        return False
