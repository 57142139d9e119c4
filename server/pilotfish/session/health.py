"""What is well and what is not, as ``pilotfish doctor`` and the editor show it."""

from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    value: str
    problem: str = ""
    """What is wrong and what to do; empty when nothing is."""
