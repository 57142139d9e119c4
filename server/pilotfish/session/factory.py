"""What sessions are built from.

Owns: what a client can ask for with a new session, and the seam to the composition root, which
builds each session's workbench and knows what all sessions share.
Does not own: which sessions there are (``session.manager``), a workbench (``session.workbench``).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from pilotfish.agents.loader import KnownAgents
from pilotfish.codeintel.index.hub import IndexHub
from pilotfish.codeintel.sources import CodeSources
from pilotfish.config.code_intelligence import CodeIntelligenceSettings
from pilotfish.core.commands import CommandFacts
from pilotfish.core.permission import PermissionMode
from pilotfish.ports.processes import WatchOutside
from pilotfish.ports.terminals import TerminalPort
from pilotfish.session.health import Check
from pilotfish.session.model_options import ProviderFacts
from pilotfish.session.session import Session
from pilotfish.session.workbench import Workbench
from pilotfish.util.records import dataclass
from pilotfish.workspace.process import RunningProcess

if TYPE_CHECKING:
    from pilotfish.permissions.language.service import SettingsLanguage


@dataclass(frozen=True, kw_only=True, slots=True)
class NewSession:
    """What a client asks for."""

    cwd: Path
    extra_roots: tuple[Path, ...] = ()
    mode: PermissionMode | None = None
    """None: what the settings say."""
    model: str | None = None
    allowed_tools: tuple[str, ...] = ()
    """Rules in the form of the settings, allowed for this session."""
    disallowed_tools: tuple[str, ...] = ()
    system_prompt_append: str | None = None
    max_turns: int | None = None
    max_budget_usd: float | None = None
    one_shot: bool = False
    """Whether the session ends with its first turn: a command must not go on without it then."""


class WorkbenchFactory(Protocol):
    """Builds what a session's turns are made of; implemented in the composition root."""

    async def build(self, session: Session, options: NewSession) -> Workbench:
        """Build the workbench of a session.

        Raises:
            PilotfishError: The settings make it impossible; says what is wrong.
        """
        ...

    def configure(self, settings: dict[str, Any], *, trusted: bool | None) -> None:
        """Take over changed editor settings, and whether the editor trusts the workspace."""
        ...

    def set_roots(self, roots: Sequence[Path]) -> None:
        """Take over changed workspace folders."""
        ...

    async def describe_provider(self) -> ProviderFacts:
        """Return where the model of new sessions runs, without secrets."""
        ...

    async def agent_types(self, root: Path | None) -> KnownAgents:
        """Return the agents that are defined for a folder now; None: the first workspace folder."""
        ...

    async def commands(self, root: Path | None) -> tuple[CommandFacts, ...]:
        """Return what a new session offers behind a slash; None: in the first workspace folder."""
        ...

    async def examine(self, folder: Path) -> tuple[Check, ...]:
        """Return what is well and what is not, as seen from a folder."""
        ...

    def settings_language(self) -> "SettingsLanguage":
        """Return what knows the settings files as texts."""
        ...

    def code_for_editor(self) -> CodeSources:
        """Return who can be asked about code on behalf of the editor, which is not among them."""
        ...

    async def code_settings(self) -> CodeIntelligenceSettings:
        """Return the settings of code intelligence for the first workspace folder."""
        ...

    def index(self) -> IndexHub:
        """Return the indexes of workspaces."""
        ...

    def children(self) -> tuple[RunningProcess, ...]:
        """Return the child processes that run now."""
        ...

    def offer_terminals(self, terminals: TerminalPort) -> None:
        """Take over that the client can run commands in its terminals."""
        ...

    @property
    def watch_outside(self) -> WatchOutside:
        """What watches commands that the client starts for us."""
        ...

    def stop_child(self, pid: int) -> bool:
        """End a child process and what it started; False when there is none of that number."""
        ...

    async def close(self) -> None:
        """End what all sessions share: child processes, connections."""
        ...
