"""Globs over paths, in bounded time.

Owns: ``*``, ``**``, ``?``, ``[…]``, ``{a,b}``, case ignored, dot files included.
Does not own: anchors and what a match means (``path_rules``).

Rules may come from a repository that wants to stall the editor. General glob libraries compile a
pattern to one regular expression, in which several ``**`` take seconds on a deep path; here names
are compared one by one.
"""

import fnmatch
import re
from functools import lru_cache

MAX_BRACE_RESULTS = 64
"""Patterns that one pattern with braces may stand for; more match nothing."""

_WILD = re.compile(r"[*?\[]")
_BRACES = re.compile(r"\{([^{}]*,[^{}]*)\}")


@lru_cache(maxsize=1024)
def expand_braces(pattern: str) -> tuple[str, ...] | None:
    """Return the patterns that a pattern stands for; None when they are too many."""
    done: list[str] = []
    pending = [pattern]
    while pending:
        current = pending.pop()
        match = _BRACES.search(current)
        if match is None:
            done.append(current)
        else:
            head, tail = current[: match.start()], current[match.end() :]
            pending.extend(head + choice + tail for choice in match.group(1).split(","))
        if len(done) + len(pending) > MAX_BRACE_RESULTS:
            return None
    return tuple(done)


@lru_cache(maxsize=4096)
def matches(pattern: str, path: str) -> bool:
    """Tell whether a pattern without braces matches a path, or names a folder that it lies in.

    Both start with a slash. Time grows with the product of their lengths.
    """
    wanted = [part.casefold() for part in pattern.split("/") if part]
    names = [part.casefold() for part in path.split("/") if part]
    # reachable: how many names the parts so far may have used up.
    reachable = {0}
    for part in wanted:
        if part == "**":
            reachable = set(range(min(reachable), len(names) + 1))
        else:
            test = _name_test(part)
            reachable = {i + 1 for i in reachable if i < len(names) and test.match(names[i])}
        if not reachable:
            return False
    if not wanted:
        return False
    # A pattern that ends in a plain name covers what lies below it; `src/*` stays in one folder.
    return len(names) in reachable or not _WILD.search(wanted[-1])


@lru_cache(maxsize=1024)
def _name_test(part: str) -> re.Pattern[str]:
    # The standard library's translation does not backtrack over earlier stars.
    return re.compile(fnmatch.translate(re.sub(r"\\([*?\[])", r"[\1]", part)))
