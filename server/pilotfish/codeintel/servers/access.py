"""What a session may use of the language servers."""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path

from pilotfish.codeintel.servers.pythons import ProgramPlaces
from pilotfish.codeintel.servers.registry import BUILT_IN, ServerDefinition
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True)
class ServerAccess:
    """The settings of a session, as far as they concern language servers."""

    roots: tuple[Path, ...]
    """The workspace's folders, resolved."""
    trusted: bool
    """Whether the user vouches for the workspace. If not, nothing is started."""
    enabled: bool = True
    """Whether the user wants language servers at all."""
    table: tuple[ServerDefinition, ...] = BUILT_IN
    """The servers that may be used, those to be preferred first."""
    python: str = ""
    """The Python that the user has named for the workspace; empty for none."""
    python_by_folder: Mapping[str, str] = field(default_factory=dict[str, str])
    """The same for single folders, by their paths; goes before ``python``."""

    def places(self, environment: Mapping[str, str]) -> ProgramPlaces:
        """Return where programs are looked for.

        Args:
            environment: The variables of the process.
        """
        return ProgramPlaces(
            environment=environment, python=self.python, python_by_folder=self.python_by_folder
        )
