"""A worktree that a session works in.

Owns: the record, and those of the kept events (``core.events``) that are about it.
Does not own: making and removing one (``workspace.worktree``).
"""

from typing import Literal

from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionWorktree:
    """Where a session works instead of in its own folder."""

    slug: str
    path: str
    """Absolute, real."""
    branch: str
    repository: str
    """The main folder of the repository."""
    base: str | None
    """The commit that it began with; None: nobody knows."""
    folder: str
    """What stands for the session's folder in it: the same part of the repository."""
    reused: bool = False
    """Whether it was there before the session."""
    empty: tuple[str, ...] = ()
    """Folders of submodules, which were empty in it when the session came; for reading."""
    original_branch: str = ""
    """What the session's own folder had checked out; empty where that is no branch."""


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeEntered:
    """The session works in a worktree from here on."""

    worktree: SessionWorktree
    type: Literal["worktree_entered"] = "worktree_entered"


@dataclass(frozen=True, kw_only=True, slots=True)
class WorktreeLeft:
    """The session works in its own folder again."""

    path: str
    how: Literal["kept", "removed", "gone"]
    """``gone``: somebody else took the folder away."""
    type: Literal["worktree_left"] = "worktree_left"
