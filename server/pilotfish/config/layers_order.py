"""Which of several values wins.

Owns: the rule that the strongest layer decides about a single value. Pure.
"""

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def strongest(values: Iterable[T | None], otherwise: T) -> T:
    """Return the last value that is set; values come weakest layer first."""
    chosen = otherwise
    for value in values:
        if value is not None:
            chosen = value
    return chosen
