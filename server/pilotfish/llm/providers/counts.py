"""Numbers of tokens, as servers send them.

Owns: what of a usage record is a count. Pure.
"""

from collections.abc import Mapping
from typing import Any

MAX_COUNT = 1_000_000_000
"""More than any reply has; what is beyond is no count and must not get into sums and prices."""


def count_in(wire: Mapping[str, Any], key: str) -> int:
    """Return a count; 0 where there is none. Some servers send whole numbers as ``7.0``."""
    value = wire.get(key)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 < value <= MAX_COUNT else 0
