"""Agents in the form of the wire.

Owns: rows and lists. Does not own: what is listed (``session.agent_roster``).
"""

from typing import Literal

from pilotfish.core.agents import AgentEntry, AgentStatus
from pilotfish.core.ids import SessionId
from pilotfish.session.agent_rows import AgentRow
from pilotfish.session.session import Session
from pilotfish.wire import agents as wire


def changed_of(session: Session) -> wire.AgentsChangedParams:
    """Return what the selector shows of a session."""
    roster, viewed = session.roster, session.roster.viewed
    return wire.AgentsChangedParams(
        session_id=session.id,
        agents=[row_to_wire(session.id, row) for row in roster.rows()],
        foreground=[row_to_wire(session.id, row) for row in roster.foreground()],
        with_work=[row_to_wire(session.id, row) for row in roster.with_work()],
        viewing=next(reversed(viewed), None),
        viewed=list(viewed),
        revision=roster.revision,
    )


def row_to_wire(session_id: SessionId, row: AgentRow) -> wire.AgentRow:
    """Return a row; ``session_id`` is the session that the user talks with."""
    facts, outcome = row.entry.facts, row.entry.outcome
    return wire.AgentRow(
        session_id=session_id,
        agent_id=facts.agent_id,
        agent_type=facts.agent_type,
        description=facts.description,
        name=facts.name,
        status=to_wire_status(row.entry.status),
        is_background=row.entry.is_background,
        started_at_ms=facts.started_ms,
        ended_at_ms=row.ended_ms,
        idle_ms=row.entry.idle_ms,
        tokens=row.tokens,
        tool_uses=row.tool_uses,
        activity=row.activity,
        activity_tool=row.activity_tool,
        open_questions=row.open_questions,
        color=facts.color or None,
        model=facts.model,
        parent_agent_id=facts.parent,
        parent_tool_call_id=facts.parent_call,
        depth=facts.depth,
        cwd=facts.cwd,
        worktree=_worktree(row.entry),
        output_file=facts.output_path,
        can_resume=outcome is not None,
        evict_at_ms=row.evict_at_ms,
        error="" if outcome is None else outcome.error,
    )


def to_wire_status(
    status: AgentStatus,
) -> Literal["running", "completed", "failed", "stopped"]:
    """Return a status in the words of clients."""
    return "stopped" if status == "killed" else status


def _worktree(entry: AgentEntry) -> wire.AgentWorktree | None:
    """Return the worktree of an agent while it is there."""
    tree, outcome = entry.facts.worktree, entry.outcome
    if tree is None or (outcome is not None and outcome.worktree_kept is False):
        return None
    changed = outcome is not None and outcome.worktree_kept is True
    return wire.AgentWorktree(path=tree.path, branch=tree.branch, changed=changed)
