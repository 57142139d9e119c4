"""What a skill says of itself.

Owns: the definition as data, and which of its properties let it run unasked.
Does not own: reading files (``reader``, ``loader``), which skill counts (``catalog``), the text
(``loader.read_document``), what it may do (``permissions``).
See also: design 03 §4.5, §4.12.
"""

from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from pilotfish.core.commands import CommandFacts, CommandSource
from pilotfish.core.jsontypes import JsonValue
from pilotfish.util.records import dataclass

SkillContext = Literal["inline", "fork"]
"""``inline``: the text joins the conversation. ``fork``: an agent of its own works on it."""

SkillShell = Literal["bash", "powershell"]

_NO_VALUES: Mapping[str, JsonValue] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Skill:
    """One skill, without its text: that is read when it is used."""

    name: str
    description: str
    """What it does and when to use it; the first paragraph of the text where nothing is said."""
    source: CommandSource
    path: Path
    """Its Markdown file."""
    folder: Path | None = None
    """Its folder with scripts, templates and resources; None for a single file."""
    when_to_use: str = ""
    allowed_tools: tuple[str, ...] = ()
    """Permission rules that hold while it is active, as written."""
    argument_hint: str = ""
    arguments: tuple[str, ...] = ()
    """Names of its arguments, in order."""
    model: str | None = None
    effort: str | None = None
    context: SkillContext = "inline"
    agent: str | None = None
    """The kind of agent that works on it when it is forked."""
    user_invocable: bool = True
    model_invocable: bool = True
    version: str = ""
    paths: tuple[str, ...] = ()
    """Patterns of files; it is there once one of them was worked with. Empty: it is there at once."""
    hooks: Mapping[str, JsonValue] = field(default_factory=lambda: _NO_VALUES)
    shell: SkillShell | None = None
    has_commands: bool = False
    """Whether its text holds commands that run before the model reads it."""
    unknown_keys: tuple[str, ...] = ()
    """Keys with a value that nothing here knows."""
    info: Mapping[str, JsonValue] = field(default_factory=lambda: _NO_VALUES)
    """License, compatibility, metadata: for people alone."""

    @property
    def facts(self) -> CommandFacts:
        """Return what lists of commands show."""
        return CommandFacts(
            name=self.name,
            description=self.description,
            source=self.source,
            hint=self.argument_hint or " ".join(f"[{name}]" for name in self.arguments),
        )

    @property
    def unsafe_properties(self) -> tuple[str, ...]:
        """Return what the user has to agree to before the model may use it by itself.

        Everything that is not known to be harmless counts (design 03 §4.12).
        """
        known = {
            "allowed-tools": self.allowed_tools,
            "hooks": self.hooks,
            "shell": self.shell,
            "commands in its text": self.has_commands,
        }
        return (*(name for name, value in known.items() if value), *self.unknown_keys)


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillDocument:
    """A skill with its text, as they stand in one state of the file."""

    skill: Skill
    body: str
