"""What the user types behind a slash.

Owns: the seam between a session and its commands, and answering those that the model has no part in.
Does not own: what they do (``session.builtin_commands``).
See also: design 03 §4.18.
"""

import difflib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pilotfish.core.commands import (
    CommandAnswered,
    CommandFacts,
    CommandTyped,
    TypedCommand,
    read_typed,
)
from pilotfish.core.errors import PilotfishError
from pilotfish.core.ids import new_message_id
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.session.log import EventLog
from pilotfish.util.visible import visible

Content = Sequence[TextBlock | ImageBlock]

_NEAR = 0.8
"""How much alike an unknown name and a command's are when the one is taken for a misspelt other."""


class CommandDesk(Protocol):
    """The commands of one conversation."""

    def listed(self) -> tuple[CommandFacts, ...]:
        """Return what can be typed, in the order of a menu."""
        ...

    async def answer(self, content: Content) -> bool:
        """Answer a command that the model has no part in; False when the prompt is none."""
        ...


class NoCommands:
    """For conversations in which a slash is a slash: those of sub-agents."""

    def listed(self) -> tuple[CommandFacts, ...]:
        """Return nothing."""
        return ()

    async def answer(self, content: Content) -> bool:  # noqa: ARG002 - every prompt is for the model
        """Return False."""
        return False


@dataclass(frozen=True, kw_only=True, slots=True)
class Builtin:
    """A command that Pilotfish answers itself."""

    facts: CommandFacts
    run: Callable[[str], Awaitable[str]]
    """Takes what follows the name, returns Markdown. Raises PilotfishError when it cannot be done."""


class Commands:
    """The commands of one session."""

    def __init__(self, log: EventLog, builtins: Mapping[str, Builtin]) -> None:
        """Take the commands.

        Args:
            log: The session's events.
            builtins: By name.
        """
        self._log = log
        self._builtins = builtins

    def listed(self) -> tuple[CommandFacts, ...]:
        """Return what can be typed, in the order of a menu."""
        return tuple(each.facts for each in self._builtins.values())

    async def answer(self, content: Content) -> bool:
        """Answer a command that the model has no part in, or a misspelt one."""
        typed = typed_in(content)
        if typed is None:
            return False
        builtin = self._builtins.get(typed.name)
        problem = "" if builtin is not None else self._misspelt(typed.name)
        if builtin is None and not problem:
            return False
        message = new_message_id()
        self._log.emit(CommandTyped(message_id=message, command=typed.name, content=tuple(content)))
        failed, text = True, problem
        if builtin is not None:
            try:
                failed, text = False, await builtin.run(typed.arguments)
            except PilotfishError as error:
                text = str(error)
        self._log.emit(
            CommandAnswered(message_id=message, command=typed.name, text=text, failed=failed)
        )
        return True

    def _misspelt(self, name: str) -> str:
        """Return what to say of a name that is nearly a command's; empty for other words."""
        names = [each.name for each in self.listed()]
        near = [] if name in names else difflib.get_close_matches(name, names, n=1, cutoff=_NEAR)
        if not near:
            return ""
        return (
            f"There is no command `/{visible(name)}`. Did you mean `/{near[0]}`? A space before the "
            "slash makes it a text for the model."
        )


def typed_in(content: Content) -> TypedCommand | None:
    """Return the command that a prompt begins with."""
    first = next(iter(content), None)
    return read_typed(first.text) if isinstance(first, TextBlock) else None
