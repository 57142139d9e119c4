"""Reading the text of a definition.

Owns: the keys, what each may hold, what counts when one does not, and what people are told of it.
Does not own: files and folders (``loader``), the front matter's syntax (``definitions.front_matter``).
See also: design 03 §1.2, §1.3.

What would restrict an agent and cannot be read makes the whole file unusable; anything else that cannot
be read counts as not being there.
"""

import re
from pathlib import Path
from typing import get_args

from pilotfish.agents.model import (
    AGENT_COLORS,
    INHERIT,
    AgentColor,
    AgentDefinition,
    AgentIsolation,
    DefinitionSource,
    tool_of,
)
from pilotfish.config.modes import UNASKED_MODES, read_mode
from pilotfish.config.rule_syntax import ALIASES, TOOL_NAMES
from pilotfish.core.agents import MemoryScope
from pilotfish.core.jsontypes import JsonValue
from pilotfish.core.permission import AgentMode
from pilotfish.definitions.fields import MAX_NAME_CHARS, NAME, DefinitionFields, entries_of
from pilotfish.definitions.front_matter import (
    Field,
    FrontMatter,
    FrontMatterError,
    plain_key,
    read_front_matter,
)
from pilotfish.definitions.loading import ReadText, unreadable
from pilotfish.util.visible import visible

MAX_DESCRIPTION_CHARS = 4_000
"""Longer descriptions are cut: each goes into every request."""

MAX_TURNS = 10_000
"""More model calls than any agent takes; a larger number says nothing."""

_KEYS = (
    "name", "description", "tools", "disallowedTools", "model", "effort", "maxTurns", "permissionMode",
    "background", "initialPrompt", "isolation", "memory", "mcpServers", "requiredMcpServers", "hooks",
    "skills", "color",
)  # fmt: skip

_TOOLS = {name.lower(): name for name in TOOL_NAMES} | {
    alias.lower(): name for alias, name in ALIASES.items()
}
"""The tools by their names and older names in lower case: a list that takes away must not miss one."""


def read_definition(
    text: str, *, source: DefinitionSource, path: Path
) -> ReadText[AgentDefinition]:
    """Read a definition. Text without front matter is none, and nothing is wrong with that.

    Args:
        text: The file's text.
        source: Who defines it.
        path: The file.
    """
    try:
        matter = read_front_matter(text)
        if matter is None:
            return ReadText(found=None)
        reader = _Reader(matter, source, path)
        return ReadText(found=reader.read(), problems=tuple(reader.problems))
    except FrontMatterError as error:
        return ReadText(found=None, problems=(unreadable(path, error),))


class _Reader(DefinitionFields):
    """Reads one text."""

    def __init__(self, matter: FrontMatter, source: DefinitionSource, path: Path) -> None:
        super().__init__(matter.fields, path)
        self._body = matter.body
        self._source: DefinitionSource = source

    def read(self) -> AgentDefinition:
        """Return the definition.

        Raises:
            FrontMatterError: It cannot be used.
        """
        name = self._name()
        description = self._description()
        if not self._body:
            raise FrontMatterError(
                "there is no text below the front matter to instruct the agent", 1
            )
        allowed, denied = self._tool_names("tools"), self._tool_names("disallowedTools")
        self.note_unknown(_KEYS)
        found = AgentDefinition(
            agent_type=name,
            description=description,
            system_prompt=self._body,
            source=self._source,
            path=self._path,
            tools=allowed,
            disallowed_tools=denied or (),
            model=self._model(),
            effort=self.effort(),
            permission_mode=self._mode(),
            max_turns=self._max_turns(),
            background=self.flag("background"),
            isolation=self.choice("isolation", get_args(AgentIsolation)),
            initial_prompt=self.text("initialPrompt"),
            color=self._color(name),
            memory=self.choice("memory", get_args(MemoryScope)),
            skills=self.names("skills"),
            mcp_servers=self._servers(),
            required_mcp_servers=self.names("requiredMcpServers"),
            hooks=self.mapping("hooks"),
        )
        self._note_unused(found)
        return found

    def _name(self) -> str:
        name = self._required("name")
        if not NAME.fullmatch(name):
            raise FrontMatterError(
                f"`name` is {visible(name[:MAX_NAME_CHARS])!r}: letters, digits, `-`, `_`, `.` and `:` "
                f"make a name, at most {MAX_NAME_CHARS}, the first one a letter or a digit",
                self._fields["name"].line,
            )
        return name

    def _description(self) -> str:
        return self.description(self._required("description"), MAX_DESCRIPTION_CHARS)

    def _required(self, key: str) -> str:
        field = self._fields.get(plain_key(key))
        if field is None:
            raise FrontMatterError(f"`{key}` is missing", 1)
        text = (field.text or "").strip()
        if not text:
            what = "is no text" if field.text is None else "is empty"
            raise FrontMatterError(f"`{key}` {what}", field.line)
        return text

    def _tool_names(self, key: str) -> tuple[str, ...] | None:
        """Return the tools of a list, by their own names; None when there is no list.

        Raises:
            FrontMatterError: There is something else: reading it as no list would permit too much.
        """
        field = self._fields.get(plain_key(key))
        if field is None:
            return None
        entries = entries_of(field)
        if entries is None:
            raise FrontMatterError(f"`{key}` is no list of tools", field.line)
        if not entries and field.items is None:
            self.warn(f"`{key}` is empty: it names no tool.", field)
        return tuple(self._tool(entry, key, field) for entry in entries)

    def _tool(self, entry: str, key: str, field: Field) -> str:
        name = tool_of(entry)
        known = _TOOLS.get(name.lower())
        if known is None and name != "*" and not name.startswith("mcp__"):
            self.warn(f"`{key}`: there is no tool called {visible(name)!r}.", field)
        if "(" in entry:
            effect = (
                "is taken away"
                if key == "disallowedTools"
                else "is given, its calls are judged as any"
            )
            self.warn(
                f"`{key}`: {visible(entry)!r} counts as {name}: the whole tool {effect}.", field
            )
        return known or name

    def _model(self) -> str | None:
        model = self.text("model") or None
        if model is not None and model != INHERIT and model.lower() == INHERIT:
            self.warn(
                f"`model`: {model!r} is taken for a model's name; `{INHERIT}` is written small.",
                self._fields["model"],
            )
        return model

    def _mode(self) -> AgentMode | None:
        """Return the mode; what is no mode counts as the strict one, not as no wish."""
        field = self._fields.get("permissionmode")
        if field is None:
            return None
        text = (field.text or "").strip()
        if text == "ignore":
            return text
        reading = read_mode(text)
        if reading.mode is None:
            self.warn(f"`permissionMode`: {visible(reading.problem)}. It counts as default.", field)
            return "default"
        if reading.mode in UNASKED_MODES and self._source == "projectSettings":
            self.warn(
                f"`permissionMode`: a project's agent runs in {reading.mode} only where the session does.",
                field,
            )
        return reading.mode

    def _max_turns(self) -> int | None:
        field = self._fields.get("maxturns")
        if field is None or field.value is None:
            return None
        text = (field.text or "").strip()
        if not re.fullmatch(r"[0-9]{1,9}", text) or int(text) < 1:
            self.ignore("maxTurns", "it is no number above 0")
            return None
        return min(int(text), MAX_TURNS)

    def _color(self, name: str) -> AgentColor:
        asked: AgentColor | None = self.choice("color", AGENT_COLORS)
        return color_of(name) if asked is None else asked

    def _servers(self) -> tuple[JsonValue, ...]:
        field = self._fields.get("mcpservers")
        if field is None:
            return ()
        if isinstance(field.value, list) and all(map(_is_server, field.value)):
            return tuple(field.value)
        if field.text is not None:
            return self.names("mcpServers")
        self.ignore("mcpServers", "it is no list of names, or of one name with its definition each")
        return ()

    def _note_unused(self, found: AgentDefinition) -> None:
        """Tell of keys for things that Pilotfish does not have yet."""
        unused = {
            "mcpServers": found.mcp_servers,
            "hooks": found.hooks,
        }
        if found.memory == "user" and not found.is_users_own:
            text = "`memory`: a project's agent keeps nothing for other projects: user counts as local."
            self.warn(text, self._fields["memory"])
        for key in (key for key, value in unused.items() if value):
            text = f"`{key}` is not used yet: Pilotfish keeps it and does nothing with it."
            self.warn(text, self._fields[plain_key(key)])


def color_of(name: str) -> AgentColor:
    """Return the colour of an agent that asks for none: always the same for the same name."""
    return AGENT_COLORS[sum(name.encode()) % len(AGENT_COLORS)]


def _is_server(value: JsonValue) -> bool:
    return isinstance(value, str) or (isinstance(value, dict) and len(value) == 1)
