"""A runner that runs nothing.

Owns: telling the model, for each call, why it may not use tools here. For conversations that carry a
list of tools only because their cache needs it.
"""

from typing_extensions import override

from pilotfish.core.calls import (
    CallScope,
    PreparedCall,
    RejectedCall,
    ToolCall,
    ToolOutcome,
    text_outcome,
)
from pilotfish.ports.tool_runner import ToolRunner


class RefusingRunner(ToolRunner):
    """Refuses every call; implements ``ports.tool_runner.ToolRunner``."""

    def __init__(self, why: str) -> None:
        """Set it up; ``why`` is for the model, and says what to do instead."""
        self._why = why

    @override
    def is_concurrency_safe(self, call: ToolCall) -> bool:
        """Nothing runs, so order does not matter."""
        return True

    @override
    def starts_early(self, call: ToolCall) -> bool:
        """Nothing is gained by it."""
        return False

    @override
    async def prepare(self, call: ToolCall, scope: CallScope) -> PreparedCall | RejectedCall:
        """Refuse the call."""
        return RejectedCall(call=call, message=self._why)

    @override
    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        """Refuse the call, should anybody have prepared one elsewhere."""
        return text_outcome(self._why, status="denied")
