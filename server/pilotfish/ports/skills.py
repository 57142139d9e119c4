"""The seam between the Skill tool and the session that knows the skills."""

from collections.abc import Callable
from typing import Protocol

from typing_extensions import override

from pilotfish.core.calls import ToolProgress
from pilotfish.core.errors import SessionError
from pilotfish.core.ids import ToolUseId, TurnId
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillCall:
    """The call in which the model asks for a skill."""

    turn_id: TurnId
    call: ToolUseId
    on_progress: Callable[[ToolProgress], None]


class SkillDesk(Protocol):
    """The skills that one agent's model may use. ``session.skill_desk`` implements it."""

    def problem(self, name: str) -> str:
        """Return why a skill cannot be used by the model, and what to do; empty when it can."""
        ...

    def unsafe_properties(self, name: str) -> tuple[str, ...]:
        """Return what of a skill the user has to agree to; empty when nothing of it is doubtful."""
        ...

    async def use(self, name: str, arguments: str, call: SkillCall) -> str:
        """Make a skill active and return its text, or what an agent's work on it came to.

        Raises:
            PilotfishError: It cannot be used; says why.
        """
        ...


class NoSkills(SkillDesk):
    """Stands in where there are none."""

    _WHY = "There are no skills here."

    @override
    def problem(self, name: str) -> str:
        """Say that there are none."""
        return self._WHY

    @override
    def unsafe_properties(self, name: str) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    @override
    async def use(self, name: str, arguments: str, call: SkillCall) -> str:
        """Refuse."""
        raise SessionError(self._WHY)
