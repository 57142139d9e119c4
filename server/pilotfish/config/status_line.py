"""``statusLine`` of a settings file: a command of the user that writes a line about the session.

Owns: the keys and which layer's count: never those of a project, whose commands nobody has looked at.
See also: design 04 §7.
"""

from collections.abc import Iterable
from typing import Literal

from pydantic import Field

from pilotfish.config.section import Section
from pilotfish.util.records import dataclass


class StatusLineSection(Section):
    """``statusLine`` of a settings file."""

    type: Literal["command"] | None = None
    command: str | None = None
    refresh_interval: float | None = None
    padding: int | None = Field(default=None, ge=0, le=20)


@dataclass(frozen=True, kw_only=True, slots=True)
class StatusLineSettings:
    """The user's own status line."""

    command: str = ""
    """For the shell; empty: there is none."""
    refresh_s: float = 0.0
    """How often it runs without anything happening, in seconds; 0 or less: never."""
    padding: int = 0
    """Spaces on both sides."""


def merge_status_line(sections: Iterable[StatusLineSection]) -> StatusLineSettings:
    """Return the strongest of the sections that may count, weakest first; it is taken whole."""
    chosen = StatusLineSettings()
    for section in sections:
        if section.command is not None:
            chosen = StatusLineSettings(
                command=section.command.strip(),
                refresh_s=section.refresh_interval or 0.0,
                padding=section.padding or 0,
            )
    return chosen
