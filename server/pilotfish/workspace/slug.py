"""Names of worktrees.

Owns: which names can be a folder and a branch on every system, and nothing else. Pure.
See also: design 02 §1.1.
"""

import re

MAX_SLUG_CHARS = 64

_SEGMENT = re.compile(r"[A-Za-z0-9._-]+")
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?", re.IGNORECASE)
"""Names that Windows keeps for devices."""


def slug_problem(slug: str) -> str:
    """Return why a text cannot name a worktree; empty when it can."""
    if not slug:
        return "The name is empty."
    if len(slug) > MAX_SLUG_CHARS:
        return f"The name is longer than {MAX_SLUG_CHARS} characters."
    for segment in slug.split("/"):
        if not _SEGMENT.fullmatch(segment):
            return "A name consists of letters, digits, dots, underscores and dashes, with single slashes between."
        if segment.startswith((".", "-")) or segment.endswith((".", ".lock")) or ".." in segment:
            return (
                "No part of a name begins with a dot or a dash, ends with a dot or '.lock', or has "
                "two dots in a row."
            )
        if _RESERVED.fullmatch(segment):
            return f"{segment!r} is a device on Windows."
    return ""
