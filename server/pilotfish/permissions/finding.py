"""What one phase of the chain says.

Owns: the record. Does not own: the phases (``decide``, ``mode_gates``).
"""

from pilotfish.core.permission import Behavior, PermissionRule, RiskTier
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """What a phase says when it has an answer."""

    behavior: Behavior
    reason: str
    rule: PermissionRule | None = None
    risk: RiskTier = "normal"
    hide_always: bool = False
