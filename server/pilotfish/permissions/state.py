"""What a decision depends on, beside the call.

Owns: the immutable snapshot that a decision is made on.
Does not own: how it comes about (the session builds a fresh one for every call).
See also: design 05 §7.3.
"""

from dataclasses import field
from pathlib import Path

from pilotfish.config.modes import UNASKED_MODES
from pilotfish.config.schema import SkippedQuestion
from pilotfish.core.agents import AgentMemory
from pilotfish.core.permission import PermissionMode, PermissionRule, UnreadSettings
from pilotfish.permissions.probe import DiskProbe, Probe
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True)
class PermissionState:
    """Rules, mode, folders and trust at one moment."""

    mode: PermissionMode
    project_root: Path
    cwd: Path
    """Where the session started; relative rule paths hang on it."""
    home: Path
    """The user's home folder."""
    state_folder: Path
    """Pilotfish's own folder, which no tool may write without a question."""
    roots: tuple[Path, ...]
    """Workspace folders as real paths."""
    additional_dirs: tuple[Path, ...] = ()
    """More trusted folders as real paths."""
    other_projects: tuple[Path, ...] = ()
    """Folders that relative rule paths hang on as well: what is forbidden in a project stays so while
    a session works in a worktree of it."""
    rules: tuple[PermissionRule, ...] = ()
    pre_plan_mode: PermissionMode = "default"
    """The mode that plan mode was entered from; it decides about reads outside the project."""
    trusted: bool = False
    """Whether the user vouches for the project's own settings."""
    can_ask: bool = False
    """Whether somebody is there to answer a question."""
    bypass_available: bool = False
    """Whether ``bypassPermissions`` and ``fullAccess`` may take effect; if not, they act as
    ``default``."""
    session_edit_grant: bool = False
    """Whether the user allowed all edits inside the project for this session."""
    ask_beats_allow: bool = False
    skipped: tuple[SkippedQuestion, ...] = ()
    """Kinds of calls that the user wants no questions about."""
    protect_secrets: bool = False
    """Whether reading files that usually hold secrets asks."""
    secret_variables: frozenset[str] = frozenset()
    """Variables of the environment of commands that look as if they held a secret."""
    managed_rules_only: bool = False
    """Whether only managed rules may allow, so that a dialog has no lasting rule to offer."""
    unread: tuple[UnreadSettings, ...] = ()
    """Broken settings files that may forbid what nobody can read now."""
    plan_file: Path | None = None
    """The one file that plan mode may write."""
    results_folder: Path | None = None
    """Where the session keeps results that were too long for the model; it may read them."""
    memory: AgentMemory | None = None
    """That of the sub-agent whose call is judged."""
    plan_prompts: tuple[str, ...] = ()
    """What the approved plan may run without further questions, in words."""
    probe: Probe = field(default_factory=DiskProbe)

    @property
    def effective_mode(self) -> PermissionMode:
        """The mode that really acts; ``fullAccess`` acts as ``bypassPermissions``."""
        return self._acting(self.mode)

    @property
    def effective_pre_plan_mode(self) -> PermissionMode:
        """The mode that decides, in plan mode, about what reaches outside the project."""
        before = self._acting(self.pre_plan_mode)
        return "default" if before == "plan" else before

    @property
    def asks(self) -> bool:
        """Whether a question may be put: somebody is there and the mode does not forbid it."""
        mode = self.effective_mode
        acting = self.effective_pre_plan_mode if mode == "plan" else mode
        return self.can_ask and acting != "dontAsk"

    @property
    def trusted_dirs(self) -> tuple[Path, ...]:
        """Folders whose files may be read without a question."""
        return self.roots + self.additional_dirs

    def _acting(self, mode: PermissionMode) -> PermissionMode:
        if mode not in UNASKED_MODES:
            return mode
        return "bypassPermissions" if self.bypass_available else "default"
