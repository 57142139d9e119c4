"""Stored sessions: searching, renaming, exporting."""

from pydantic import Field

from pilotfish.wire.base import WireModel


class SessionsSearchParams(WireModel):
    """``_pilotfish/sessions/search``: words in titles, prompts and replies."""

    query: str = Field(min_length=1, max_length=1_000)
    cwd: str | None = None
    """Only sessions of this folder."""


class FoundSession(WireModel):
    """A session that says what was looked for."""

    session_id: str
    title: str
    cwd: str
    updated_at: str
    """ISO 8601, UTC."""
    snippet: str
    """Where it says so; empty when its title does."""


class SessionsSearchResponse(WireModel):
    """What was found, the latest first."""

    found: list[FoundSession]
    complete: bool
    """False when time or room ran out before all sessions were looked at."""


class SessionsRenameParams(WireModel):
    """``_pilotfish/sessions/rename``: give a session a name, whether it is open or not."""

    session_id: str
    title: str


class SessionsRenameResponse(WireModel):
    """The name was taken."""


class SessionsExportParams(WireModel):
    """``_pilotfish/sessions/export``: a session as a document."""

    session_id: str


class SessionsExportResponse(WireModel):
    """The document; keys, tokens and the home folder are taken out."""

    markdown: str
