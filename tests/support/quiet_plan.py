"""A plan mode that is off, for tools that do not care."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pilotfish.core.permission import PermissionMode


@dataclass(frozen=True)
class QuietPlan:
    """Implements ``ports.planning.PlanPort``; nothing may be done with it."""

    file: Path
    is_on: bool = False
    mode_after: PermissionMode = "default"

    async def read(self) -> str:
        """There is no plan."""
        return ""

    async def write(self, text: str) -> None:
        """Fail."""
        raise AssertionError(f"a plan of {len(text)} characters was written")

    def enter(self) -> None:
        """Fail."""
        raise AssertionError("plan mode was entered")

    def approve(
        self, mode: PermissionMode | None, allowed_prompts: Sequence[str]
    ) -> PermissionMode:
        """Fail."""
        raise AssertionError(f"a plan was approved: {mode}, {allowed_prompts}")

    def start_afresh(self, prompt: str) -> None:
        """Fail."""
        raise AssertionError(f"the conversation was cleared for {prompt!r}")
