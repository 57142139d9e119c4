"""What a decision depends on, beside the call.

Owns: the immutable snapshot that a decision is made on.
Does not own: how it comes about (the session builds a fresh one for every call).
See also: design 05 §7.3.
"""

from dataclasses import dataclass, field
from pathlib import Path

from pilotfish.core.permission import PermissionMode, PermissionRule
from pilotfish.permissions.probe import DiskProbe, Probe


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
    rules: tuple[PermissionRule, ...] = ()
    pre_plan_mode: PermissionMode = "default"
    """The mode that plan mode was entered from; it decides about reads outside the project."""
    trusted: bool = False
    """Whether the user vouches for the project's own settings."""
    can_ask: bool = False
    """Whether somebody is there to answer a question."""
    bypass_available: bool = False
    """Whether ``bypassPermissions`` may take effect; if not, it acts as ``default``."""
    session_edit_grant: bool = False
    """Whether the user allowed all edits inside the project for this session."""
    ask_beats_allow: bool = False
    plan_file: Path | None = None
    """The one file that plan mode may write."""
    probe: Probe = field(default_factory=DiskProbe)

    @property
    def effective_mode(self) -> PermissionMode:
        """The mode that really acts."""
        if self.mode == "bypassPermissions" and not self.bypass_available:
            return "default"
        return self.mode

    @property
    def trusted_dirs(self) -> tuple[Path, ...]:
        """Folders whose files may be read without a question."""
        return self.roots + self.additional_dirs
