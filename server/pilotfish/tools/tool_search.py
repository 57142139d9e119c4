"""The ToolSearch tool.

Owns: its arguments and answers. Does not own: what fits a query (``tooling.deferred``).
See also: design 02 §10.3.
"""

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field
from typing_extensions import override

from pilotfish.core.effects import Effects
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.deferred import EXECUTE_TOOL, SEARCH_TOOL, DeferredTool, search
from pilotfish.tooling.spec import Tool, ToolArgs, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description

MAX_LISTED_NAMES = 50
"""Names that an answer without hits lists."""


class ToolSearchArgs(ToolArgs):
    """Arguments of ToolSearch."""

    query: str = Field(min_length=1, description="Names after `select:`, or words")


class ToolSearchTool(Tool[ToolSearchArgs]):
    """Finds deferred tools."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name=SEARCH_TOOL,
        description=load_description("tool_search"),
        kind="search",
        concurrency_safe=True,
    )
    args_type = ToolSearchArgs

    @override
    def title(self, args: ToolSearchArgs, ctx: ToolContext) -> str:
        """Return what is looked for."""
        return f"Find tools: {args.query}"

    @override
    async def effects(self, args: ToolSearchArgs, ctx: ToolContext) -> Effects:
        """State that nothing outside the session is touched."""
        return Effects(internal=True, read_only=True)

    async def run(self, args: ToolSearchArgs, ctx: CallContext) -> ToolResult:
        """Return descriptions and inputs of what fits."""
        found = search(args.query, ctx.deferred)
        if found:
            how = f"Run them with {EXECUTE_TOOL}."
            return text_result("\n\n".join([how, *(tool.shown() for tool in found)]))
        listed = sorted(name for name in _asked_names(args.query) if name in ctx.listed_tools)
        if listed:
            names = ", ".join(listed)
            return text_result(f"Already in your list, call directly: {names}.", is_error=True)
        return text_result(_nothing_found(ctx.deferred))


def _asked_names(query: str) -> list[str]:
    return [name.strip() for name in query.strip().removeprefix("select:").split(",")]


def _nothing_found(tools: Sequence[DeferredTool]) -> str:
    names = [tool.name for tool in tools]
    more = f" and {len(names) - MAX_LISTED_NAMES} more" if len(names) > MAX_LISTED_NAMES else ""
    return f"No tool fits. There are: {', '.join(names[:MAX_LISTED_NAMES]) or 'none'}{more}."
