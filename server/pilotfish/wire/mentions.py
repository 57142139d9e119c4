"""What people point at in a prompt."""

from typing import Literal

from pydantic import Field

from pilotfish.wire.base import WireModel

MAX_QUERY_CHARS = 200
"""Longer ones are no names."""

MAX_ITEMS = 100
"""Nobody looks at more."""


class MentionsCompleteParams(WireModel):
    """``_pilotfish/mentions/complete``: what somebody who types a mention may mean."""

    query: str = Field(default="", max_length=MAX_QUERY_CHARS)
    """What is typed so far; with ``#`` in front, symbols alone are looked for."""
    session_id: str | None = None
    """The session whose folders and rules count."""
    cwd: str | None = None
    """The project, where there is no session yet; the first workspace folder if left out."""
    limit: int = Field(default=30, ge=1, le=MAX_ITEMS)


class MentionItem(WireModel):
    """One thing that may be meant."""

    kind: Literal["file", "folder", "symbol"]
    label: str
    """Name of the file, folder or symbol."""
    detail: str
    """Where it is, relative to the workspace folder; with its first line for a symbol."""
    uri: str
    """With lines behind ``#L`` for a symbol."""
    symbol_kind: str = ""


class MentionsCompleteResponse(WireModel):
    """The best first."""

    items: list[MentionItem]
