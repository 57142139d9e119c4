"""What a session has used, for people.

Owns: the shape of ``_pilotfish/status`` and of ACP's usage update.
Does not own: the sums (``session.usage``), when they are sent (``edges.attachment``).
"""

from typing import Any

from pilotfish.core.messages import NO_USAGE, Usage
from pilotfish.session.session_view import SessionView
from pilotfish.session.usage import ModelUse
from pilotfish.wire.session import ModelUseMeta, PlaceMeta, StatusData, UsageMeta, WorkedMeta


def status_of(session: SessionView) -> StatusData:
    """Return what a status line shows of a session."""
    data = session.data
    total = data.used.total
    window = session.workbench.context_window()
    return StatusData(
        session_id=session.id,
        model=data.model,
        mode=data.mode,
        context_tokens=data.last_usage.context_tokens,
        context_window=window.tokens,
        context_known=window.known,
        input_tokens=total.usage.context_tokens - total.usage.output_tokens,
        output_tokens=total.usage.output_tokens,
        cost_usd=total.cost_usd,
        unpriced_calls=total.unpriced_calls,
        last=None if data.last_usage == NO_USAGE else _usage(data.last_usage),
        line=session.workbench.status_line.text,
        models=[_model(name, use) for name, use in data.used.by_model.items()],
        worked=WorkedMeta(
            turns_ms=data.worked.duration_ms,
            models_ms=data.worked.api_ms,
            answers_ms=data.worked.answer_ms,
            tools_ms=data.worked.tool_ms,
        ),
        worktree=None
        if data.worktree is None
        else PlaceMeta(path=data.worktree.path, branch=data.worktree.branch),
    )


def usage_update(status: StatusData) -> dict[str, Any]:
    """Return how full the window is and what was spent, as ACP has it."""
    update: dict[str, Any] = {
        "sessionUpdate": "usage_update",
        "used": status.context_tokens,
        "size": status.context_window,
    }
    if status.cost_usd is not None:
        update["cost"] = {"amount": status.cost_usd, "currency": "USD"}
    return update


def _model(name: str, use: ModelUse) -> ModelUseMeta:
    return ModelUseMeta(
        model=name,
        calls=use.calls,
        usage=_usage(use.usage),
        cost_usd=use.cost_usd,
        unpriced_calls=use.unpriced_calls,
    )


def _usage(usage: Usage) -> UsageMeta:
    return UsageMeta(
        input_tokens=usage.input_tokens,
        cache_read_tokens=usage.cache_read_tokens,
        cache_write_tokens=usage.cache_write_tokens,
        output_tokens=usage.output_tokens,
    )
