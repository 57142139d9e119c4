"""What a measurement returns.

Owns: the record.
"""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Row:
    """One line of the table."""

    name: str
    value: str
    aim: str
    baseline: str = ""
    note: str = ""
