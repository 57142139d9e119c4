"""What people change about their permissions.

Owns: the closed union of changes, as data.
Does not own: carrying them out (``session.rules_desk``), their form on the wire (``wire``).
See also: design 05 §3.6.
"""

from typing import Literal, TypeAlias

from pilotfish.core.permission import Behavior, PermissionMode, RuleDestination
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class RulesUpdate:
    """Rules of one behaviour are added, removed, or become all there are."""

    kind: Literal["addRules", "removeRules", "replaceRules"]
    destination: RuleDestination
    behavior: Behavior
    rules: tuple[str, ...]
    """As they stand in a settings file."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ModeUpdate:
    """The session's mode, or the mode that a file lets new sessions begin in."""

    kind: Literal["setMode"]
    destination: RuleDestination
    mode: PermissionMode


@dataclass(frozen=True, kw_only=True, slots=True)
class DirectoriesUpdate:
    """Folders beside the workspace become trusted, or are no longer."""

    kind: Literal["addDirectories", "removeDirectories"]
    destination: RuleDestination
    directories: tuple[str, ...]
    """Absolute, or relative to the project."""


PermissionUpdate: TypeAlias = RulesUpdate | ModeUpdate | DirectoriesUpdate
