"""What can be typed behind a slash, as clients get it.

Owns: the protocol's shape of a list of commands, and the method that tells it before there is a session.
Does not own: which commands there are (``session.commands``).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from pilotfish.core.commands import CommandFacts
from pilotfish.edges.channel import Handler
from pilotfish.session.manager import SessionManager
from pilotfish.session.session import Session
from pilotfish.wire import commands as wire


class CommandMethods:
    """Serves one client."""

    def __init__(self, manager: SessionManager, session: Callable[[str], Session]) -> None:
        self._manager = manager
        self._session = session

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            wire.COMMANDS_LIST.name: Handler(params=wire.CommandsListParams, call=self._list),
        }

    async def _list(self, params: wire.CommandsListParams) -> wire.CommandsListResponse:
        # A client that has not begun a session yet may send an empty id.
        if params.session_id:
            found = self._session(params.session_id).workbench.commands.listed()
        else:
            found = await self._manager.commands(None)
        return wire.CommandsListResponse(available_commands=[to_acp(each) for each in found])


def commands_update(commands: Iterable[CommandFacts]) -> dict[str, Any]:
    """Return the update that tells all commands; it replaces what was told before."""
    return {
        "sessionUpdate": "available_commands_update",
        "availableCommands": [to_acp(each) for each in commands],
    }


def to_acp(command: CommandFacts) -> dict[str, Any]:
    """Return a command as the protocol has it; where it comes from is in ``_meta``."""
    found: dict[str, Any] = {
        "name": command.name,
        "description": command.description,
        "_meta": {"pilotfish": {"source": command.source}},
    }
    return found | {"input": {"hint": command.hint}} if command.hint else found
