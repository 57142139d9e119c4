"""What a session's turns are made of, as the session sees it.

Owns: the seam between a session and the settings, model, tools and gates behind it; implemented by
``session.equipment``.
"""

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

from pilotfish.config.schema import SettingsProblem
from pilotfish.core.events import NoteAdded, PromptSubmitted
from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.permission import PermissionDecision, PermissionMode
from pilotfish.core.permission_updates import PermissionUpdate, RulesUpdate
from pilotfish.engine.state import TurnIdentity
from pilotfish.engine.turn import Turn
from pilotfish.permissions.overview import RuleOverview
from pilotfish.ports.agents import AgentDesk
from pilotfish.session.background import BackgroundTasks
from pilotfish.session.commands import CommandDesk
from pilotfish.session.edit_review import EditReview
from pilotfish.session.internal_fork import InternalForks
from pilotfish.session.model_options import ContextWindow, ModelOptions
from pilotfish.session.prompt_intake import PromptIntake
from pilotfish.session.side_calls import SideCalls
from pilotfish.session.status_line import StatusLine


class Workbench(Protocol):
    """Settings, model, tools and gates of one session."""

    @property
    def start_mode(self) -> PermissionMode:
        """The mode that a new session begins in."""
        ...

    @property
    def review(self) -> EditReview:
        """The session's changes, for people."""
        ...

    @property
    def background(self) -> BackgroundTasks:
        """The session's commands in the background, for people."""
        ...

    @property
    def agents(self) -> AgentDesk:
        """The agents of the session, at whatever depth."""
        ...

    @property
    def status_line(self) -> StatusLine:
        """The user's own status line."""
        ...

    @property
    def intake(self) -> PromptIntake:
        """What becomes of pictures and documents in prompts."""
        ...

    @property
    def commands(self) -> CommandDesk:
        """What the user can type behind a slash."""
        ...

    @property
    def side_calls(self) -> SideCalls:
        """Small questions to a cheap model, on the session's bill."""
        ...

    @property
    def forks(self) -> InternalForks:
        """Asks the conversation's model beside the conversation."""
        ...

    @property
    def start_model(self) -> str:
        """The model that a new session begins with."""
        ...

    async def build_turn(
        self, identity: TurnIdentity, take_queued: Callable[[], list[PromptSubmitted]]
    ) -> Turn:
        """Build a turn from the settings as they are now.

        Raises:
            PilotfishError: No model can be used; says what is wrong and what to do.
        """
        ...

    async def commit_message(self, folder: Path) -> str:
        """Return a message for what has changed in the repository around a folder.

        Raises:
            PilotfishError: It cannot be written; says why.
        """
        ...

    def hidden_files(self, paths: Iterable[Path]) -> frozenset[Path]:
        """Return those of some absolute paths that a Read deny rule hides. Blocking."""
        ...

    def holds_grants(self) -> bool:
        """Tell whether something was granted that ends with the session in this process."""
        ...

    def why_mode_unavailable(self, mode: PermissionMode) -> str:
        """Return why a mode cannot be chosen here; empty when it can."""
        ...

    def note_for_mode(self, old: PermissionMode, new: PermissionMode, /) -> NoteAdded | None:
        """Return what the model must know of a changed mode."""
        ...

    def context_window(self) -> ContextWindow:
        """Return the model's window."""
        ...

    def model_options(self) -> ModelOptions:
        """Return what can be chosen about the model."""
        ...

    def require_model(self, name: str) -> str:
        """Return the id of a model by name or short name.

        Raises:
            ModelError: It cannot be used here; says why and what to do.
        """
        ...

    def describe_provider(self) -> dict[str, str]:
        """Return kind and description of where the model runs, without secrets."""
        ...

    async def rules(self) -> RuleOverview:
        """Return the rules in force, where they come from and what is wrong with them."""
        ...

    async def change_rules(self, update: PermissionUpdate) -> bool:
        """Change what holds for this session alone; returns whether anything changed.

        Raises:
            SessionError: The session cannot take it; says why.
        """
        ...

    async def settings_changed(self, removed: RulesUpdate | None = None) -> None:
        """Take over changed settings at once, for the calls that wait for the user, too.

        Args:
            removed: Rules that left a file; what a dialog granted with them goes, too.
        """
        ...

    def news(self) -> tuple[str, ...]:
        """Return what the user should know of this process's start, one sentence or two each."""
        ...

    def problems(self) -> tuple[SettingsProblem, ...]:
        """Return what is wrong with the settings files, as last read."""
        ...

    async def explain(self, tool: str, tool_input: JsonObject) -> PermissionDecision:
        """Return what would be decided about a call, with its trace. Runs nothing."""
        ...

    async def close(self) -> None:
        """Release what belongs to this session alone."""
        ...
