"""What a source of code begins with that answers few questions.

Owns: knowing nothing, as ``ports.code.CodeSource`` has it.
"""

from collections.abc import Sequence
from pathlib import Path

from pilotfish.ports.code import (
    CallDirection,
    CallLink,
    FileChange,
    LocateKind,
    Location,
    Position,
    Symbol,
)


class SilentSource:
    """Leaves every question to the next source; a subclass answers some of them."""

    name = "nobody"

    async def locate(
        self,
        kind: LocateKind,  # noqa: ARG002
        path: Path,  # noqa: ARG002
        position: Position,  # noqa: ARG002
    ) -> Sequence[Location] | None:
        """Know no places."""
        return None

    async def hover(self, path: Path, position: Position) -> str | None:  # noqa: ARG002
        """Know nothing to show."""
        return None

    async def document_symbols(self, path: Path) -> Sequence[Symbol] | None:  # noqa: ARG002
        """Know no outlines."""
        return None

    async def workspace_symbols(self, query: str, limit: int) -> Sequence[Symbol] | None:  # noqa: ARG002
        """Know no symbols of the project."""
        return None

    async def calls(
        self,
        direction: CallDirection,  # noqa: ARG002
        path: Path,  # noqa: ARG002
        position: Position,  # noqa: ARG002
    ) -> Sequence[CallLink] | None:
        """Know no calls."""
        return None

    async def loading(self, path: Path | None) -> Sequence[str]:  # noqa: ARG002
        """Load nothing that could be waited for."""
        return ()

    async def failures(self, path: Path | None) -> Sequence[str]:  # noqa: ARG002
        """Have nothing that could fail."""
        return ()

    async def rename(
        self,
        path: Path,  # noqa: ARG002
        position: Position,  # noqa: ARG002
        new_name: str,  # noqa: ARG002
    ) -> Sequence[FileChange] | None:
        """Rename nothing."""
        return None
