"""Which tools the model is offered, and what it hears when that changes.

Owns: the list that goes with each request, the same bytes for the whole session, and the notes about
tools that came or went since.
Does not own: which tools there are (``session_tools``), which rules and modes take away
(``permission_source``).
See also: design 02 §10.1, §10.5. A changed list would make every request pay for the whole conversation again.
"""

from pilotfish.core.events import NoteAdded
from pilotfish.llm.model import ToolSchema
from pilotfish.session.permission_source import PermissionSource
from pilotfish.tooling.deferred import EXECUTE_TOOL, SEARCH_TOOL
from pilotfish.tooling.registry import ToolRegistry


class ToolOffer:
    """The tools of one session, as its model knows them."""

    def __init__(self, registry: ToolRegistry, permissions: PermissionSource) -> None:
        self._all = registry
        self._permissions = permissions
        self._listed: tuple[ToolSchema, ...] | None = None
        """What requests carry; fixed by the first."""
        self._told: frozenset[str] = frozenset()
        """The tools that the model knows it has."""
        self._now: tuple[frozenset[str], ToolRegistry] | None = None

    def registry(self) -> ToolRegistry:
        """Return the tools that may be called now; the same object while nothing changes."""
        offered = self._permissions.is_offered
        removed = self._permissions.removed_tools() | {
            name for name in self._all.names() if not offered(name)
        }
        if self._now is None or self._now[0] != removed:
            kept = self._all.without(removed) if removed else self._all
            if self._listed is not None:
                kept = kept.deferring(kept.listed - {schema.name for schema in self._listed})
            self._now = (removed, kept)
        return self._now[1]

    def schemas(self) -> tuple[ToolSchema, ...]:
        """Return the list that goes with each request; the same object for the whole session."""
        if self._listed is None:
            first = self.registry()
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
