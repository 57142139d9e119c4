"""Outputs of calls that are too long for their cards."""

from pilotfish.wire.base import WireModel
from pilotfish.wire.method import Method


class OutputParams(WireModel):
    """``_pilotfish/session/output``: all of what a call gave."""

    session_id: str
    tool_call_id: str


class OutputResponse(WireModel):
    """The answer."""

    text: str | None = None
    """Plain text; None when it is too long for a message: then the file is to be opened."""
    path: str
    """The file that holds it, as the command wrote it."""
    bytes: int
    """How long the file is."""


OUTPUT = Method(
    name="_pilotfish/session/output",
    direction="client_to_server",
    kind="request",
    params=OutputParams,
    result=OutputResponse,
    doc="All of what a call gave, where an update says that its text is cut.",
)
