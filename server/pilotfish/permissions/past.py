"""A call of the past, as it is judged again.

Owns: the record of what was asked for and what came of it.
Does not own: reading it from transcripts (``session.past_calls``).
"""

from pathlib import Path
from typing import Literal

from pilotfish.core.calls import PreparedCall
from pilotfish.core.ids import SessionId
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionMode, PermissionRule
from pilotfish.permissions.assumed import assume_call
from pilotfish.util.records import dataclass
from pilotfish.util.text_span import shortened

PastOutcome = Literal["allowed", "approved", "rejected", "withdrawn", "refused", "unanswerable"]
"""``allowed`` and ``refused`` without a question; ``unanswerable``: nobody was there to ask; the
others after one: the user agreed, the user refused, the question went away unanswered."""

ASKED: frozenset[PastOutcome] = frozenset({"approved", "rejected", "withdrawn"})
"""Outcomes of calls that the user was asked about."""

MAX_EXAMPLE_CHARS = 200
"""Longest title of a call that a report quotes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PastCall:
    """A call with the circumstances that held when it was decided."""

    session_id: SessionId
    tool: str
    title: str
    input: JsonObject
    cwd: Path
    """The session's folder: project root and working folder."""
    mode: PermissionMode
    pre_plan_mode: PermissionMode
    granted: tuple[PermissionRule, ...]
    """Rules that held for the session beside the settings."""
    outcome: PastOutcome

    def prepared(self) -> PreparedCall:
        """Return the call as its tool would have stated it. Looks at the disk, so it may block."""
        return assume_call(self.tool, self.input, self.cwd)

    def example(self) -> str:
        """Return its title, cut, on one line."""
        return shortened(" ".join(self.title.split()), MAX_EXAMPLE_CHARS)
