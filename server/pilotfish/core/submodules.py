"""What is said of the submodules of a worktree.

Owns: the words. Does not own: which ones are empty (``workspace.worktree``).
"""

from collections.abc import Sequence

MAX_NAMED = 20


def told_of_submodules(empty: Sequence[str]) -> str:
    """Tell a model of the folders that are empty in its worktree; empty when there are none."""
    if not empty:
        return ""
    named = ", ".join(empty[:MAX_NAMED])
    more = f" and {len(empty) - MAX_NAMED} more" if len(empty) > MAX_NAMED else ""
    return (
        f"Git leaves the folders of submodules empty in a new worktree: {named}{more}. Do not take their "
        "files for deleted, and write nothing into them. `git submodule update --init` fetches them."
    )
