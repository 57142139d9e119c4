"""All that a child has started, as one thing that can be asked and ended.

Owns: what the governor must be able to do with it on any system, and which kind a system has.
Does not own: the kinds (``posix_group``, ``windows_group``), when something is ended
(``workspace.process``).
"""

import sys
from collections.abc import Callable
from typing import Any, Protocol

from pilotfish.workspace.posix_group import POSIX_OPTIONS, PosixGroup
from pilotfish.workspace.windows_group import WINDOWS_OPTIONS, put_into_job


class ProcessGroup(Protocol):
    """A child and what it has started."""

    def lives(self, *, leader_ended: bool) -> bool:
        """Tell whether anything of it still runs.

        Args:
            leader_ended: Whether the child itself has ended and was reaped.
        """
        ...

    def end(self, *, by_force: bool) -> None:
        """Ask all of it to end, or have the system end it. Nothing happens when it is gone."""
        ...

    def close(self) -> None:
        """Let go of what the system keeps for it."""
        ...


class GroupKind:
    """How children of a system are started and held together."""

    def __init__(self, options: dict[str, Any], hold: Callable[[int], ProcessGroup]) -> None:
        """Set it up.

        Args:
            options: For ``subprocess``, so that a child begins a group of its own.
            hold: Makes the group of a child that was just started, by its number.
        """
        self.options = options
        self.hold = hold


def group_kind(platform: str = sys.platform) -> GroupKind:
    """Return what holds children together on a system (``sys.platform``)."""
    if platform == "win32":
        return GroupKind(WINDOWS_OPTIONS, put_into_job)
    return GroupKind(POSIX_OPTIONS, PosixGroup)
