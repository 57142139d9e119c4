"""Names that were meant to be another one.

Owns: what counts as a slip of the keyboard, the same for settings, rules, models and commands. A name that is
merely somewhat alike is no slip: to propose it would send people the wrong way.
"""

from collections.abc import Iterable

_LETTERS_PER_SLIP = 4
"""One slip in so many letters may be; one may always."""


def slip_of(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that this one is misspelt for, by letters alone; None where there is none."""
    written = name.casefold()
    if not written:
        return None
    most = max(1, len(written) // _LETTERS_PER_SLIP)
    nearest: str | None = None
    for one in known:
        meant = one.casefold()
        # The first letter is the one that is right, and long names are not compared in vain.
        if meant[:1] != written[0] or abs(len(meant) - len(written)) > most:
            continue
        slips = _slips(written, meant)
        if slips <= most:
            nearest, most = one, slips - 1
    return nearest


def _slips(written: str, meant: str) -> int:
    """Count letters that are missing, too many, wrong, or in each other's place."""
    before: list[int] = []
    row = list(range(len(meant) + 1))
    for at, letter in enumerate(written, 1):
        earlier, before, row = before, row, [at]
        for to, other in enumerate(meant, 1):
            cost = min(before[to] + 1, row[to - 1] + 1, before[to - 1] + (letter != other))
            swapped = to > 1 and earlier and letter == meant[to - 2] and written[at - 2] == other
            row.append(min(cost, earlier[to - 2] + 1) if swapped else cost)
    return row[-1]
