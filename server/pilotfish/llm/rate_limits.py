"""How much of what a provider grants in a time is used up.

Owns: reading it from the headers of an answer. Pure; what a server writes there is judged, not trusted.
"""

import math
from collections.abc import Mapping

from pilotfish.util.records import dataclass

_PREFIX = "anthropic-ratelimit-unified-"

_WINDOWS = {"five_hour": "5h", "seven_day": "7d"}
"""Our names for the windows of time (design 04 §7.3), and those in headers."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RateLimit:
    """One window of time."""

    used_percentage: float
    """0 to 100."""
    resets_at: int | None
    """Seconds since the epoch; None where the provider does not say."""


RateLimits = Mapping[str, RateLimit]
"""By window, ``five_hour`` and ``seven_day``; a window that nothing is known of is not there."""

NO_LIMITS: RateLimits = {}


def rate_limits_of(headers: Mapping[str, str]) -> RateLimits:
    """Return what the headers of an answer tell; names in lower case."""
    found: dict[str, RateLimit] = {}
    for window, short in _WINDOWS.items():
        used = _number(headers.get(f"{_PREFIX}{short}-utilization", ""))
        if used is None:
            continue
        resets = _number(headers.get(f"{_PREFIX}{short}-reset", ""))
        found[window] = RateLimit(
            used_percentage=min(100.0 * used, 100.0),
            resets_at=None if resets is None else int(resets),
        )
    return found


def _number(text: str) -> float | None:
    """Return a number that is not negative; None for anything else."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None
