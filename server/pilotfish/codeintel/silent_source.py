"""What a source of code begins with that answers few questions.

Owns: knowing nothing, as ``ports.code.CodeSource`` has it.
"""

from collections.abc import Sequence
from pathlib import Path

from typing_extensions import override

from pilotfish.ports.code import (
    CallDirection,
    CallLink,
    CodeSource,
    FileChange,
    LocateKind,
    Location,
    Position,
    Symbol,
)


class SilentSource(CodeSource):
    """Leaves every question to the next source; a subclass answers some of them."""

    name = "nobody"

    @override
    async def locate(
        self,
        kind: LocateKind,
        path: Path,
        position: Position,
    ) -> Sequence[Location] | None:
        """Know no places."""
        return None

    @override
    async def hover(self, path: Path, position: Position) -> str | None:
        """Know nothing to show."""
        return None

    @override
    async def document_symbols(self, path: Path) -> Sequence[Symbol] | None:
        """Know no outlines."""
        return None

    @override
    async def workspace_symbols(self, query: str, limit: int) -> Sequence[Symbol] | None:
        """Know no symbols of the project."""
        return None

    @override
    async def calls(
        self,
        direction: CallDirection,
        path: Path,
        position: Position,
    ) -> Sequence[CallLink] | None:
        """Know no calls."""
        return None

    @override
    async def loading(self, path: Path | None) -> Sequence[str]:
        """Load nothing that could be waited for."""
        return ()

    @override
    async def failures(self, path: Path | None) -> Sequence[str]:
        """Have nothing that could fail."""
        return ()

    @override
    async def rename(
        self,
        path: Path,
        position: Position,
        new_name: str,
    ) -> Sequence[FileChange] | None:
        """Rename nothing."""
        return None
