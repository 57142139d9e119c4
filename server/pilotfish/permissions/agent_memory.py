"""An agent's own memory, as permissions see it.

Owns: that a tool which an agent has for its memory alone writes nowhere else.
Does not own: where the memory is (``session.agent_memory``), what its folder counts as (``paths``).
See also: design 03 §1.3 (AG-6).
"""

from pilotfish.permissions.case import Case
from pilotfish.permissions.finding import Finding
from pilotfish.permissions.paths import is_memory


def memory_gate(case: Case) -> Finding | None:
    """Refuse what would let an agent without writing tools write outside its memory."""
    memory = case.state.memory
    if memory is None or case.call.tool not in memory.limited_tools:
        return None
    if case.writes and all(is_memory(access.facts, case.state) for access in case.writes):
        return None
    where = (
        f"its memory, {memory.folder}" if memory.folder else "its memory, and there is none here"
    )
    return Finding(
        behavior="deny", reason=f"This agent has {case.call.tool} only to write to {where}."
    )
