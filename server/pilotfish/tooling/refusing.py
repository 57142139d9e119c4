"""A runner that runs nothing.

Owns: telling the model, for each call, why it may not use tools here. For conversations that carry a
list of tools only because their cache needs it.
"""

from pilotfish.core.calls import (
    CallScope,
    PreparedCall,
    RejectedCall,
    ToolCall,
    ToolOutcome,
    text_outcome,
)


class RefusingRunner:
    """Refuses every call; implements ``ports.tool_runner.ToolRunner``."""

    def __init__(self, why: str) -> None:
        """Set it up; ``why`` is for the model, and says what to do instead."""
        self._why = why

    def is_concurrency_safe(self, call: ToolCall) -> bool:  # noqa: ARG002
        """Nothing runs, so order does not matter."""
        return True

    def starts_early(self, call: ToolCall) -> bool:  # noqa: ARG002
        """Nothing is gained by it."""
        return False

    async def prepare(self, call: ToolCall, scope: CallScope) -> PreparedCall | RejectedCall:  # noqa: ARG002
        """Refuse the call."""
        return RejectedCall(call=call, message=self._why)

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:  # noqa: ARG002
        """Refuse the call, should anybody have prepared one elsewhere."""
        return text_outcome(self._why, status="denied")
