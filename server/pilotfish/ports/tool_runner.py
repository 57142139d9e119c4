"""The one road to a tool.

The executor runs tools; each gate (history, permissions, hooks) wraps another runner and has the
same interface, so the engine sees one runner whatever is stacked.
"""

from typing import Protocol

from pilotfish.core.calls import CallScope, PreparedCall, RejectedCall, ToolCall, ToolOutcome


class ToolRunner(Protocol):
    """Prepares and runs tool calls."""

    def is_concurrency_safe(self, call: ToolCall) -> bool:
        """Tell whether the call may run beside others. Cheap, no I/O; unknown calls are not."""
        ...

    def starts_early(self, call: ToolCall) -> bool:
        """Tell whether a call that may run beside others may begin before its reply is complete."""
        ...

    async def prepare(self, call: ToolCall, scope: CallScope) -> PreparedCall | RejectedCall:
        """Validate the arguments and gather facts. Changes nothing; may read files.

        Called right before ``run``, when the calls that must come first are done.
        """
        ...

    async def run(self, call: PreparedCall, scope: CallScope) -> ToolOutcome:
        """Run the call. Failures come back as outcomes; only cancellation escapes."""
        ...
