"""The text of a skill as a template.

Owns: what is put in for placeholders, in a single pass: what a user typed is never looked at again, and
stands in a command as one word that the shell takes for nothing else.
Does not own: running the commands (the session, through the permission chain).
See also: design 03 §4.7, §4.8.
"""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TypeAlias

from pilotfish.core.errors import PilotfishError
from pilotfish.skills.shell_quoting import MisplacedArgument, fill_command
from pilotfish.util.records import dataclass

MAX_TEXT_CHARS = 1_000_000
"""Longest text that a skill may come to; arguments can stand in it many times."""

_COMMAND = r"(?<![\w!])!`(?P<command>[^`\n]+)`"
_PLACEHOLDER = (
    r"\$ARGUMENTS\[(?P<index>\d{1,3})\]"
    r"|(?P<all>\$ARGUMENTS)\b"
    r"|\$(?P<position>\d{1,2})(?!\d)"
    r"|\$\{(?P<braced>\w{1,64})\}"
    r"|\$(?P<named>[A-Za-z_]\w{0,63})"
)
_COMMAND_RE = re.compile(_COMMAND)
_PLACEHOLDER_RE = re.compile(_PLACEHOLDER)
_ANY_RE = re.compile(f"{_COMMAND}|{_PLACEHOLDER}")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")


class SkillError(PilotfishError):
    """A skill cannot be used; says why."""


@dataclass(frozen=True, slots=True)
class Words:
    """A piece of text that is ready."""

    text: str


@dataclass(frozen=True, slots=True)
class Command:
    """A command whose output takes this place."""

    command: str


Piece: TypeAlias = Words | Command


@dataclass(frozen=True, kw_only=True, slots=True)
class Values:
    """What stands for the placeholders."""

    arguments: str
    """All that was typed behind the name."""
    names: Sequence[str] = ()
    """Names of the arguments, in order."""
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    """What ``${…}`` stands for."""

    def positional(self) -> list[str]:
        """Return the arguments one by one: split as a shell does, or at blanks where that fails."""
        try:
            return shlex.split(self.arguments)
        except ValueError:
            return self.arguments.split()


def has_commands(body: str) -> bool:
    """Tell whether a text holds commands that run before the model reads it."""
    return any(not fenced and _COMMAND_RE.search(text) for text, fenced in _sections(body))


def fill(body: str, values: Values, *, shell: str = "bash") -> list[Piece]:
    """Put in what the placeholders stand for; the commands remain to be run.

    Args:
        body: The template.
        values: What to put in.
        shell: What runs the commands; arguments can be quoted for ``bash`` alone.

    Raises:
        SkillError: An argument stands where a shell would not take it for one word, or the text would
            be too long.
    """
    filling = _Filling(values, shell)
    pieces: list[Piece] = []
    for text, fenced in _sections(body):
        pieces += filling.section(text, fenced=fenced)
    if values.arguments and not filling.used_arguments:
        pieces.append(Words(f"\n\nArguments: {values.arguments}"))
    if sum(len(piece.text) for piece in pieces if isinstance(piece, Words)) > MAX_TEXT_CHARS:
        raise SkillError(f"With these arguments it is longer than {MAX_TEXT_CHARS:,} characters.")
    return _joined(pieces)


class _Filling:
    """Fills one template."""

    def __init__(self, values: Values, shell: str) -> None:
        self._values = values
        self._shell = shell
        self._positional = values.positional()
        self.used_arguments = False

    def section(self, text: str, *, fenced: bool) -> Iterator[Piece]:
        """Yield the pieces of a part of the text; within a fence nothing is a command."""
        pattern = _PLACEHOLDER_RE if fenced else _ANY_RE
        at = 0
        for match in pattern.finditer(text):
            yield Words(text[at : match.start()])
            at = match.end()
            command = None if fenced else match["command"]
            if command is not None:
                yield Command(self._command(command))
            else:
                yield Words(self._value(match))
        yield Words(text[at:])

    def _command(self, command: str) -> str:
        places = [
            (match.start(), match.end(), value)
            for match in _PLACEHOLDER_RE.finditer(command)
            if (value := self._value_in_command(match)) is not None
        ]
        if places and self._shell != "bash":
            raise SkillError("Arguments can stand in commands for bash alone.")
        try:
            return fill_command(command, places)
        except MisplacedArgument as error:
            raise SkillError(f"In the command `{command}` {error}.") from None

    def _value_in_command(self, match: re.Match[str]) -> str | None:
        """Return what a placeholder stands for; None for a variable of the shell's own."""
        value = self._value(match)
        return None if value == match[0] and not self._is_ours(match) else value

    def _is_ours(self, match: re.Match[str]) -> bool:
        name = match["braced"] or match["named"]
        return name is None or name in self._values.names or name in self._values.variables

    def _value(self, match: re.Match[str]) -> str:
        """Return what a placeholder stands for; what is none stays as it is."""
        if match["all"]:
            self.used_arguments = True
            return self._values.arguments
        number = match["index"] or match["position"]
        if number is not None:
            return self._argument(int(number))
        name = match["braced"] or match["named"]
        if name in self._values.names:
            return self._argument(list(self._values.names).index(name))
        if match["braced"] and name in self._values.variables:
            return self._values.variables[name]
        return match[0]

    def _argument(self, at: int) -> str:
        self.used_arguments = True
        return self._positional[at] if at < len(self._positional) else ""


def _joined(pieces: list[Piece]) -> list[Piece]:
    joined: list[Piece] = []
    for piece in pieces:
        last = joined[-1] if joined else None
        if isinstance(piece, Words) and isinstance(last, Words):
            joined[-1] = Words(last.text + piece.text)
        elif piece != Words(""):
            joined.append(piece)
    return joined


def _sections(body: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text, line ends included, and whether each lies within a code fence."""
    fence = ""
    part: list[str] = []
    for line in body.splitlines(keepends=True):
        match = _FENCE.match(line)
        if match is not None and not fence:
            yield "".join(part), False
            part, fence = [line], match[1]
            continue
        part.append(line)
        closes = (
            match is not None and match[1].startswith(fence) and not line[match.end() :].strip()
        )
        if fence and closes:
            yield "".join(part), True
            part, fence = [], ""
    yield "".join(part), bool(fence)
