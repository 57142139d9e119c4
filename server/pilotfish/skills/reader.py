"""Reading the text of a skill.

Owns: the keys, what each may hold, what counts when one does not, and what people are told of it.
Does not own: files and folders (``loader``), the front matter's syntax (``definitions.front_matter``).
See also: design 03 §4.4, §4.5.

A skill is lenient where an agent is not: what is missing is taken from the folder's name and the first
paragraph. Only front matter that cannot be read makes it unusable: it may have forbidden something.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from pilotfish.config.rule_syntax import parse_rule
from pilotfish.core.commands import CommandSource
from pilotfish.core.jsontypes import JsonValue
from pilotfish.definitions.fields import MAX_NAME_CHARS, NAME, DefinitionFields, entries_of
from pilotfish.definitions.front_matter import (
    FrontMatter,
    FrontMatterError,
    plain_key,
    read_front_matter,
)
from pilotfish.definitions.loading import ReadText, unreadable
from pilotfish.skills.model import Skill, SkillContext, SkillDocument, SkillShell
from pilotfish.skills.template import has_commands
from pilotfish.util.records import dataclass
from pilotfish.util.visible import visible

MAX_DESCRIPTION_CHARS = 1_024
"""Longer descriptions are cut."""

MAX_ARGUMENT_NAMES = 20

_KEYS = (
    "name", "description", "when_to_use", "allowed-tools", "argument-hint", "arguments", "model",
    "effort", "context", "agent", "user-invocable", "disable-model-invocation", "version", "paths",
    "hooks", "shell",
)  # fmt: skip
_INFO_KEYS = ("license", "compatibility", "metadata")
_PLAIN_KEYS = frozenset(map(plain_key, (*_KEYS, *_INFO_KEYS)))

_ARGUMENT = re.compile(r"[A-Za-z_]\w{0,63}")
_HEADING = re.compile(r"#{1,6}\s")


@dataclass(frozen=True, kw_only=True, slots=True)
class SkillOrigin:
    """Where a text stands."""

    source: CommandSource
    path: Path
    folder: Path | None
    """Of a skill; None for a single file."""
    name: str
    """What it is called when it does not say so itself."""


def read_skill(text: str, origin: SkillOrigin) -> ReadText[SkillDocument]:
    """Read a skill; text without front matter is one as well."""
    try:
        matter = read_front_matter(text)
    except FrontMatterError as error:
        return ReadText(found=None, problems=(unreadable(origin.path, error),))
    if matter is None:
        body = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").strip()
        matter = FrontMatter(fields={}, body=body)
    reader = _Reader(matter, origin)
    document = SkillDocument(skill=reader.read(), body=matter.body)
    return ReadText(found=document, problems=tuple(reader.problems))


class _Reader(DefinitionFields):
    """Reads one text."""

    def __init__(self, matter: FrontMatter, origin: SkillOrigin) -> None:
        super().__init__(matter.fields, origin.path)
        self._body = matter.body
        self._origin = origin

    def read(self) -> Skill:
        origin = self._origin
        self.note_unknown((*_KEYS, *_INFO_KEYS))
        if not self._body:
            self.warn("There is no text below the front matter.")
        return Skill(
            name=self._name(),
            description=self._description(),
            source=origin.source,
            path=origin.path,
            folder=origin.folder,
            when_to_use=_one_line(self.text("when_to_use")),
            allowed_tools=self._rules(),
            argument_hint=self._hint(),
            arguments=self._arguments(),
            model=self.text("model") or None,
            effort=self.effort(),
            context=self.choice("context", get_args(SkillContext)) or "inline",
            agent=self.text("agent") or None,
            user_invocable=self.flag("user-invocable", default=True),
            model_invocable=not self.flag("disable-model-invocation"),
            version=self.text("version"),
            paths=self._paths(),
            hooks=self.mapping("hooks"),
            shell=self.choice("shell", get_args(SkillShell)),
            has_commands=has_commands(self._body),
            unknown_keys=self._unknown_keys(),
            info=self._info(),
        )

    def _name(self) -> str:
        name = self.text("name")
        if not name:
            return self._origin.name
        if not NAME.fullmatch(name):
            self.ignore(
                "name",
                f"letters, digits, `-`, `_`, `.` and `:` make a name, at most {MAX_NAME_CHARS}",
            )
            return self._origin.name
        return name

    def _description(self) -> str:
        text = _one_line(self.text("description")) or _first_paragraph(self._body)
        if self.field("description") is None:
            self.warn("`description` is missing: the first paragraph of the text stands for it.")
        return self.description(text, MAX_DESCRIPTION_CHARS)

    def _hint(self) -> str:
        field = self.field("argument-hint")
        if field is not None and field.items is not None:  # `[file] [line]` is a list for YAML
            return visible(f"[{', '.join(field.items)}]")
        return visible(_one_line(self.text("argument-hint")))

    def _rules(self) -> tuple[str, ...]:
        """Return the rules that can hold; one that cannot grants nothing."""
        field = self.field("allowed-tools")
        if field is None:
            return ()
        entries = entries_of(field)
        if entries is None:
            self.ignore("allowed-tools", "it is no list of permission rules")
        rules: list[str] = []
        for entry in entries or ():
            reading = parse_rule(entry, "allow", "command")
            if reading.problem:
                self.warn(f"`allowed-tools`: {visible(entry)!r}: {reading.problem}.", field)
            if reading.rule is not None:
                rules.append(entry)
        return tuple(rules)

    def _arguments(self) -> tuple[str, ...]:
        names = self.names("arguments")
        if len(names) > MAX_ARGUMENT_NAMES or not all(map(_ARGUMENT.fullmatch, names)):
            self.ignore("arguments", "it is no short list of names")
            return ()
        return names

    def _paths(self) -> tuple[str, ...]:
        field = self.field("paths")
        found = () if field is None else field.items
        if found is None and field is not None and field.text is not None:
            found = tuple(part.strip() for part in field.text.split(",") if part.strip())
        if found is None:
            self.ignore("paths", "it is no list of patterns")
        # A lone `**` is every file: the skill is there at once.
        return () if found is None or found == ("**",) else found

    def _unknown_keys(self) -> tuple[str, ...]:
        return tuple(
            visible(field.key)
            for plain, field in self._fields.items()
            if plain not in _PLAIN_KEYS and field.value not in (None, "", [], {})
        )

    def _info(self) -> Mapping[str, JsonValue]:
        found = {key: self.field(key) for key in _INFO_KEYS}
        return {key: field.value for key, field in found.items() if field is not None}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _first_paragraph(body: str) -> str:
    """Return the first paragraph that is no heading, on one line."""
    for block in body.split("\n\n"):
        lines = [line for line in block.strip().split("\n") if not _HEADING.match(line)]
        if text := _one_line(" ".join(lines)):
            return text
    return ""
