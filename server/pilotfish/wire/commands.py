"""What can be typed behind a slash, for clients that have not begun a session."""

from typing import Any

from pydantic import Field

from pilotfish.wire.base import WireModel
from pilotfish.wire.method import Method


class CommandsListParams(WireModel):
    """``_pilotfish/commands/list``: for a session, or for the first folder that is open."""

    session_id: str | None = None


class CommandsListResponse(WireModel):
    """The commands, in the order of a menu."""

    available_commands: list[dict[str, Any]] = Field(default_factory=list[dict[str, Any]])
    """As in the protocol's ``available_commands_update``."""


COMMANDS_LIST = Method(
    name="_pilotfish/commands/list",
    direction="client_to_server",
    kind="request",
    params=CommandsListParams,
    result=CommandsListResponse,
    doc="What can be typed behind a slash; a session tells it by itself.",
)
