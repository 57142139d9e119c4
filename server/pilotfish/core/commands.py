"""What the user can type behind a slash.

Owns: the record of a command as lists of commands show it, and the events of one that was typed and of
skills that are used.
Does not own: what commands do (``session.commands``).
"""

import re
from typing import Literal

from pilotfish.core.ids import MessageId
from pilotfish.core.messages import ImageBlock, TextBlock
from pilotfish.util.records import dataclass

CommandSource = Literal[
    "built-in", "bundled", "userSettings", "projectSettings", "policySettings", "dynamic"
]
"""Where a command comes from. ``dynamic``: found beside files that the agent worked with."""

_TYPED = re.compile(r"/([^\W_][\w.:-]{0,127})(?:\s+(.*))?\s*", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandFacts:
    """A command for lists and completion."""

    name: str
    """Without the slash."""
    description: str
    source: CommandSource
    hint: str = ""
    """What may follow the name; empty: nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TypedCommand:
    """A text that looks like a command."""

    name: str
    arguments: str
    """What follows the name, without space around it."""


def read_typed(text: str) -> TypedCommand | None:
    """Return the command that a prompt begins with; None when it does not look like one.

    ``/usr/bin is full`` does not: a name ends with white space or with the text.
    """
    found = _TYPED.fullmatch(text)
    if found is None:
        return None
    return TypedCommand(name=found[1], arguments=(found[2] or "").strip())


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandTyped:
    """The user typed a command that Pilotfish answers itself; the model does not hear of it."""

    message_id: MessageId
    command: str
    content: tuple[TextBlock | ImageBlock, ...]
    type: Literal["command_typed"] = "command_typed"


@dataclass(frozen=True, kw_only=True, slots=True)
class CommandAnswered:
    """A command has its answer, which is Pilotfish's own or an agent's; the list keeps it for people."""

    message_id: MessageId
    command: str
    text: str
    """Markdown."""
    failed: bool = False
    for_model: bool = False
    """Whether the model hears of it as well: as what the user's command came to."""
    type: Literal["command_answered"] = "command_answered"


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillInvoked:
    """A skill is in use from here on, until the user's next prompt."""

    skill: str
    path: str
    arguments: str
    message_id: MessageId | None
    """The prompt that it was typed in; None: the model asked for it, and has the text as a result."""
    text: str
    """What it came to, for the model; empty where a result holds it."""
    rules: tuple[str, ...] = ()
    """What it grants meanwhile."""
    model: str = ""
    """The model that it wants; empty: it says nothing."""
    effort: str = ""
    type: Literal["skill_invoked"] = "skill_invoked"
