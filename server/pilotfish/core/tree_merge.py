"""Bringing what an agent did in its own working tree into the main one, as data.

Owns: what would become of each file, and what became of all. Does not own: doing it
(``session.tree_merge``).
"""

from typing import Literal

from pilotfish.util.records import dataclass

MergeAction = Literal["create", "change", "merge", "delete", "nothing", "conflict"]
"""``change``: only the agent changed it. ``merge``: both did, in different lines. ``conflict``: it is
left alone."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeFile:
    """A file that differs between an agent's working tree and the commit that it began with."""

    path: str
    """In the main tree, absolute."""
    tree_path: str
    """In the agent's."""
    action: MergeAction
    added: int = 0
    """Lines that would come to the main tree."""
    removed: int = 0
    """Lines that would go."""
    reason: str = ""
    """With ``conflict``: why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class MergeOutcome:
    """What came of it."""

    changed: tuple[str, ...]
    refused: tuple[tuple[str, str], ...]
    """Files that were left alone, with the reason."""
