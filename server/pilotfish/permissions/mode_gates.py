"""Gates that a mode puts in front of all allow rules.

Owns: what passes in plan mode and in delegate mode.
Does not own: what the modes do where no rule decided (``modes``).
"""

from collections.abc import Sequence

from pilotfish.permissions.case import Case, PathAccess
from pilotfish.permissions.delegate import coordinates
from pilotfish.permissions.finding import Finding


def plan_gate(case: Case) -> Finding | None:
    """Refuse in plan mode what may change something; no rule opens this gate."""
    if case.state.effective_mode != "plan" or _is_plan_safe(case):
        return None
    return Finding(
        behavior="deny", reason="Plan mode only reads, and this call may change something."
    )


_PLAN_SAFE_FAMILIES = frozenset({"internal", "skill", "mcp_resource", "enter_plan", "dialog"})
"""They change nothing that plan mode protects, or ask in it (design 05 §7.1)."""


def _is_plan_safe(case: Case) -> bool:
    if case.family in _PLAN_SAFE_FAMILIES:
        return True
    if case.family == "shell":
        return case.shell_is_harmless
    if case.family == "edit":
        return is_plan_file(case)
    return case.call.effects.read_only


def is_plan_file(case: Case) -> bool:
    """Tell whether a call writes the session's plan file and nothing else."""
    return _is_plan(case, case.writes)


def reads_plan_file(case: Case) -> bool:
    """Tell whether a call reads the session's plan file and nothing else."""
    return _is_plan(case, case.reads)


def _is_plan(case: Case, accesses: Sequence[PathAccess]) -> bool:
    plan = case.state.plan_file
    if plan is None or not accesses:
        return False
    real = case.state.probe.real_path(str(plan))
    return all(access.facts.real == real for access in accesses)


def delegate_gate(case: Case) -> Finding | None:
    """Refuse in delegate mode what does more than coordinate."""
    if case.state.effective_mode != "delegate" or coordinates(case.call.tool):
        return None
    reason = f"{case.call.tool} is not available in the mode delegate, which only coordinates."
    return Finding(behavior="deny", reason=reason)
