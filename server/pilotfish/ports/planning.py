"""Plan mode as the tools see it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from pilotfish.core.permission import PermissionMode


class PlanPort(Protocol):
    """The plan mode of one session. ``session.plan_mode`` implements it."""

    @property
    def is_on(self) -> bool:
        """Whether the session is in plan mode."""
        ...

    @property
    def file(self) -> Path:
        """The one file that plan mode may write; it need not exist."""
        ...

    @property
    def mode_after(self) -> PermissionMode:
        """The mode that plan mode goes back to."""
        ...

    async def read(self) -> str:
        """Return the plan as it stands, in the editor when it is open there; empty without one."""
        ...

    async def write(self, text: str) -> None:
        """Replace the plan by what the user made of it.

        Raises:
            WorkspaceError: The file cannot be written.
        """
        ...

    def enter(self) -> None:
        """Switch to plan mode; once there it does nothing.

        Raises:
            SessionError: The mode is not available here.
        """
        ...

    def approve(
        self, mode: PermissionMode | None, allowed_prompts: Sequence[str]
    ) -> PermissionMode:
        """Leave plan mode because the user agreed, and grant what the plan asked for.

        Args:
            mode: The mode that the user chose; None or one that is not available: the mode before.
            allowed_prompts: What may run without further questions, in words.

        Returns:
            The mode that holds from now on.
        """
        ...

    def start_afresh(self, prompt: str) -> None:
        """Make the model forget the conversation, todo list and read files; go on with a prompt."""
        ...
