"""Putting foreign text into a shell command.

Owns: how a text is written so that bash takes it for itself and for nothing else, wherever in a command
it stands, and refusing the places where that cannot be known.
See also: design 03 §4.7 (SK-2).
"""

import re
import shlex
from collections.abc import Sequence

_SPECIAL_IN_DOUBLE = re.compile(r'[$`"\\]')
_OPAQUE = ("$(", "${", "$'", '$"', "<<", "<(", ">(", "$[", "((", "[[")
"""What begins a part of a command in which other rules of quoting hold, or a text is calculated with."""

_INTERPRETER = re.compile(
    r"\beval\b|\b(?:(?:ba|da|z|k|a)?sh|python[\d.]*|perl|ruby|node|php)\s+(?:\S+\s+)*?-\w*[ce]\b"
)
"""What takes a text of the command for a program."""


class MisplacedArgument(Exception):  # noqa: N818 - says what it is
    """An argument stands where it could become more than a text."""


def fill_command(command: str, places: Sequence[tuple[int, int, str]]) -> str:
    """Return a command with texts in place of parts of it.

    Args:
        command: For bash, one line.
        places: Start and end of each part, and the text that takes its place; in order, none within
            another.

    Raises:
        MisplacedArgument: One stands where its quoting cannot be known.
    """
    if places and _INTERPRETER.search(command):
        raise MisplacedArgument("an argument would be part of another program's text")
    filled: list[str] = []
    state = _Quotes()
    at = 0
    for start, end, text in places:
        state.read(command[at:start])
        filled.append(command[at:start])
        if state.escaped:  # `\$0` is the text `$0`
            filled.append(command[start:end])
            state.read(command[start:end])
        else:
            filled.append(state.quoted(text))
        at = end
    filled.append(command[at:])
    return "".join(filled)


class _Quotes:
    """Knows in which quotes a place of a command lies."""

    def __init__(self) -> None:
        self.quote = ""
        self.escaped = False
        self._unknown = False
        self._last = ""

    def read(self, text: str) -> None:
        """Go on through a part of the command."""
        for char in text:
            self._read(char)

    def quoted(self, text: str) -> str:
        """Return a text as it has to stand here."""
        if "\0" in text:
            raise MisplacedArgument("an argument holds a zero byte")
        if self._unknown:
            raise MisplacedArgument(
                "an argument stands behind a substitution, a here-document or a comment, where its "
                "quoting cannot be known"
            )
        self._last = ""
        if self.quote == "'":
            return text.replace("'", "'\\''")
        if self.quote == '"':
            return _SPECIAL_IN_DOUBLE.sub(r"\\\g<0>", text)
        return shlex.quote(text)

    def _read(self, char: str) -> None:
        if self.escaped:
            self.escaped = False
        elif self.quote == "'":
            self.quote = "" if char == "'" else "'"
        elif char == "\\":
            self.escaped = True
        elif char == '"':
            self.quote = "" if self.quote else '"'
        elif char == "'" and not self.quote:
            self.quote = "'"
        pair = self._last + char
        in_words = self.quote != "'"
        comment = char == "#" and not self.quote and (not self._last or self._last in " \t;&|()")
        if in_words and (pair in _OPAQUE or comment or char == "`"):
            self._unknown = True
        self._last = char
