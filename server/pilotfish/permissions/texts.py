"""What the model reads when a call was not run.

Owns: the wording of design 05 §7.7. Does not own: when each is used (``gate``).
"""

from pilotfish.core.permission import PermissionDecision

_NOTHING_RAN = "Nothing was run."


def refused_by_chain(decision: PermissionDecision) -> str:
    """Say why the chain refused a call."""
    if decision.phase == "deny_rules":
        return (
            f"{decision.reason} {_NOTHING_RAN} Do not look for another way to do the same; if it "
            "is needed, tell the user."
        )
    if decision.phase == "plan_gate":
        return (
            f"{decision.reason} {_NOTHING_RAN} Go on reading and finish the plan; changes can come "
            "once the user has left plan mode."
        )
    if decision.phase == "delegate_gate":
        return f"{decision.reason} {_NOTHING_RAN} Hand the work to an agent instead."
    return f"{decision.reason} {_NOTHING_RAN}"


def refused_by_user(reason: str) -> str:
    """Say that the user refused, which ends the turn."""
    said = f" The user says: {reason}" if reason else ""
    return f"The user refused this call. {_NOTHING_RAN} Wait for what the user wants next.{said}"


def refused_to_agent(reason: str) -> str:
    """Say to a sub-agent that the user refused, which leaves the rest of its task to it."""
    said = f" The user says: {reason}" if reason else ""
    return (
        f"The user refused this call. {_NOTHING_RAN} Do not try the same in another way: go on "
        f"without it, or report what cannot be done.{said}"
    )


def answered_with_feedback(feedback: str) -> str:
    """Pass on what the user wants instead."""
    return f"{_NOTHING_RAN} Instead of agreeing, the user says: {feedback}"


def withdrawn() -> str:
    """Say that nobody answered."""
    return f"The question whether to run this was withdrawn without an answer. {_NOTHING_RAN}"


def change_not_possible(problem: str) -> str:
    """Say that the user's own change of the call does not work."""
    return f"The user changed this call before agreeing, but it cannot run so: {problem} {_NOTHING_RAN}"
