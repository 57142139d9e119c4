"""The repository map: the most important definitions of a folder, in few words.

Owns: what fits into a number of tokens, and its form.
Does not own: what is important (``ranking``). Pure.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from pilotfish.codeintel.index.ranking import RankedSymbol

CHARS_PER_TOKEN = 4
"""What a token is taken for; code has rather less, and a map is no place for exactness."""

MAX_LINE_CHARS = 120
"""Longest signature."""

HideFiles = Callable[[Iterable[Path]], frozenset[Path]]
"""Returns those of some files that may not be shown. Blocking."""

_INTRODUCTION = """# Repository map
The definitions that the rest of this repository uses most, as of the start of this session, from an index \
of names. It is a part of the whole and may be out of date: look before you rely on it."""


def render_map(
    ranked: Sequence[RankedSymbol], root: Path, max_tokens: int, hidden: HideFiles
) -> str:
    """Return the map within a number of tokens; empty when there is nothing to show. Blocking.

    Args:
        ranked: The most important first.
        root: The folder that the paths are relative to.
        max_tokens: Most tokens, by estimate.
        hidden: Says which files may not be shown.
    """
    concealed = hidden({root / one.path for one in ranked})
    most = max_tokens * CHARS_PER_TOKEN
    room = most - len(_INTRODUCTION)
    chosen: list[RankedSymbol] = []
    paths: set[str] = set()
    for one in ranked:
        if root / one.path in concealed:
            continue
        cost = len(_line(one)) + (0 if one.path in paths else len(one.path) + 3)
        if cost > room:
            break
        room -= cost
        paths.add(one.path)
        chosen.append(one)
    # How often the name of a type is repeated over its members shows only in the whole.
    while chosen:
        text = _whole(chosen)
        if len(text) <= most:
            return text
        chosen.pop()
    return ""


def _whole(ranked: Iterable[RankedSymbol]) -> str:
    files: dict[str, list[RankedSymbol]] = {}
    for one in ranked:
        files.setdefault(one.path, []).append(one)
    parts = [_INTRODUCTION]
    for path, chosen in files.items():
        parts.append(f"{path}:\n{''.join(_lines(chosen))}".rstrip())
    return "\n\n".join(parts)


def _lines(chosen: Iterable[RankedSymbol]) -> Iterator[str]:
    """Yield the lines of a file in its order, members under the name of what they belong to."""
    container = ""
    for one in sorted(chosen, key=lambda one: one.line):
        if one.container and one.container != container:
            yield f"  {_clean(one.container)}\n"
        container = one.container or _name_of(one.text)
        yield _line(one)


def _name_of(signature: str) -> str:
    """Return the name in a signature of a type, so that its members follow it without repeating it."""
    words = signature.replace("(", " ").replace("[", " ").replace(":", " ").split()
    return words[1] if len(words) > 1 else ""


def _line(one: RankedSymbol) -> str:
    text = one.text if len(one.text) <= MAX_LINE_CHARS else one.text[: MAX_LINE_CHARS - 3] + "..."
    return f"{'  ' * (one.depth + 1)}{_clean(text)}\n"


def _clean(text: str) -> str:
    """Return text of the repository as what cannot look like anything but a part of a line."""
    return "".join(each if each.isprintable() else " " for each in text)
