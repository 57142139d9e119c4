"""News for the model that come between two of its calls.

Diagnostics after edits, queued prompts and reminders reach the model as notes after the tool
results, never between a call and its result.
"""

from typing import Protocol

from pilotfish.core.events import NoteAdded


class AttachmentSource(Protocol):
    """Something that may have news at the end of a batch of tool calls."""

    async def collect(self) -> list[NoteAdded]:
        """Return the news since the last call, each once. Bounded in time by the source."""
        ...
