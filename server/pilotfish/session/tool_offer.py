"""Which tools the model is offered, and what it hears when that changes.

Owns: the list that goes with each request, the same bytes for an agent's whole life, and the notes about
tools that came or went since.
Does not own: which tools there are (``session_tools``), which rules and modes take away
(``permission_source``), what an agent's definition leaves it (``agent_plan``).
See also: design 02 §10.1, §10.5. A changed list would make every request pay for the whole conversation again.
"""

from collections.abc import Callable

from pilotfish.core.events import NoteAdded
from pilotfish.llm.model import ToolSchema
from pilotfish.session.permission_source import PermissionSource
from pilotfish.tooling.deferred import EXECUTE_TOOL, SEARCH_TOOL
from pilotfish.tooling.registry import ToolRegistry


def allowed_tools(
    registry: ToolRegistry, permissions: PermissionSource
) -> Callable[[], ToolRegistry]:
    """Return what returns a session's tools without those that rules or mode take away.

    It returns the same object while nothing changes.
    """
    latest = (frozenset[str](), registry)

    def allowed() -> ToolRegistry:
        nonlocal latest
        removed = permissions.removed_tools() | {
            name for name in registry.names() if not permissions.is_offered(name)
        }
        if latest[0] != removed:
            latest = (removed, registry.without(removed) if removed else registry)
        return latest[1]

    return allowed


class ToolOffer:
    """The tools of one agent, the main one included, as its model knows them."""

    def __init__(self, allowed: Callable[[], ToolRegistry]) -> None:
        """Set it up.

        Args:
            allowed: Returns the tools that it may use now; the same object while nothing changes.
        """
        self._allowed = allowed
        self._listed: tuple[ToolSchema, ...] | None = None
        """What requests carry; fixed by the first."""
        self._told: frozenset[str] = frozenset()
        """The tools that the model knows it has."""
        self._now: tuple[ToolRegistry, ToolRegistry] | None = None
        """What was allowed when this was last looked at, and what may be called of it."""

    def registry(self) -> ToolRegistry:
        """Return the tools that may be called now; the same object while nothing changes."""
        allowed = self._allowed()
        if self._now is None or self._now[0] is not allowed:
            self._now = (allowed, self._callable(allowed))
        return self._now[1]

    def _callable(self, allowed: ToolRegistry) -> ToolRegistry:
        if self._listed is None:
            return allowed
        unlisted = allowed.listed - {schema.name for schema in self._listed}
        if any(schema.name == EXECUTE_TOOL for schema in self._listed):
            return allowed.deferring(unlisted)
        # Nothing in its list would reach them.
        return allowed.without(unlisted) if unlisted else allowed

    def schemas(self) -> tuple[ToolSchema, ...]:
        """Return the list that goes with each request; the same object for its whole life."""
        if self._listed is None:
            first = self._allowed()
            self._listed = first.schemas()
            self._told = frozenset(first.names())
        return self._listed

    def news(self) -> NoteAdded | None:
        """Return what the model must hear of its tools, once; None when nothing has changed."""
        listed = {schema.name for schema in self.schemas()}
        now = frozenset(self.registry().names())
        gone, came = self._told - now, now - self._told
        self._told = now
        if not gone and not came:
            return None
        parts = ["The tools that you can use have changed."]
        if gone:
            parts.append(f"Not available from now on, whatever your list says: {_names(gone)}.")
        if came & listed:
            parts.append(f"Available again: {_names(came & listed)}.")
        if came - listed:
            parts.append(
                f"New: {_names(came - listed)}; {SEARCH_TOOL} shows how they are called, "
                f"{EXECUTE_TOOL} calls them."
            )
        return NoteAdded(text=" ".join(parts), origin="mode")


def _names(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))
