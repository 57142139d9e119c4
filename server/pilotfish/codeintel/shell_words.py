"""Words of a shell command: what is written, and what the shell makes of it.

Owns: the records of one parsed command line and the decoding of quotes.
Does not own: the walk over the syntax tree (``shell_ast``), what a command means (``shell_facts``).
See also: design 06 §10.3.
"""

from typing import Literal

from pilotfish.util.records import dataclass

RedirectKind = Literal["dup", "null", "read", "write", "data", "text"]
"""What a redirection does.

``dup`` copies a descriptor, ``null`` goes to or comes from ``/dev/null``, ``data`` is a here
document or here string that the shell hands over unchanged, ``text`` is one that it expands.
"""

ShellKind = Literal["simple", "complex", "error"]
"""``simple``: plain commands, pipelines and lists of them; ``error``: not readable for certain."""

ShellFlag = Literal[
    "cd",
    "substitution",
    "subshell",
    "background",
    "heredoc",
    "glob",
    "variable",
    "fork_bomb",
    "unparsed",
]
"""``unparsed``: read without the grammar and not understood; its commands are guesses."""

GLOB_CHARACTERS = "*?[{"
"""Unquoted, these make the shell replace a word by names that it finds or builds."""

_SIMPLE_ESCAPES = {
    "a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r",
    "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?",
}  # fmt: skip
_NUMBER_ESCAPES = {"x": (16, 2), "u": (16, 4), "U": (16, 8)}
_OCTAL_DIGITS = "01234567"
_HEX_DIGITS = "0123456789abcdefABCDEF"


def name_set(text: str) -> frozenset[str]:
    """Return the words of a text as a set, so that long lists of names stay readable."""
    return frozenset(text.split())


@dataclass(frozen=True, kw_only=True, slots=True)
class Word:
    """One word of a command."""

    raw: str
    """As written."""
    value: str
    """Without quotes and escapes. Where a variable stands, its ``$NAME``."""
    known: bool = True
    """False when the value depends on a variable or a substitution."""
    glob_at: int | None = None
    """Where in ``value`` the first unquoted pattern character stands."""
    tilde: bool = False
    """Whether an unquoted tilde leads the word."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Assignment:
    """``NAME=value`` before a command or on its own."""

    name: str
    value: Word | None
    """None when nothing follows the equals sign."""
    raw: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Redirect:
    """A redirection of one command."""

    op: str
    fd: int | None
    """The descriptor when one is written."""
    target: Word | None
    kind: RedirectKind
    raw: str

    @property
    def exempt(self) -> bool:
        """Whether it neither reads nor writes a file and carries no expanded text."""
        return self.kind in ("dup", "null", "data")


@dataclass(frozen=True, kw_only=True)
class SimpleCommand:
    """One command without operators."""

    words: tuple[Word, ...]
    assignments: tuple[Assignment, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    text: str
    """The words as written, one blank between them, without assignments and redirections."""
    full_text: str
    """Like ``text`` with the assignments and redirections."""
    joined_by: str = ""
    """The operator before it: empty for the first, else ``&& || ; | |&`` or ``&``."""
    nested: bool = False
    """Whether it stands inside a substitution, a loop, a function or the like."""

    @property
    def argv(self) -> tuple[str, ...]:
        """The words without quotes."""
        return tuple(word.value for word in self.words)


@dataclass(frozen=True, kw_only=True)
class ShellCommand:
    """A parsed command line."""

    source: str
    kind: ShellKind
    commands: tuple[SimpleCommand, ...] = ()
    """All sub-commands that were found, nested ones before the one they stand in."""
    operators: tuple[str, ...] = ()
    flags: frozenset[ShellFlag] = frozenset()
    reason: str = ""
    """Why it is not simple."""
    complete: bool = True
    """False when ``commands`` may lack some: too long, too deep, or not readable."""


def unescape_word(raw: str) -> Word:
    """Decode an unquoted word: escapes, pattern characters, a leading tilde."""
    value: list[str] = []
    glob_at: int | None = None
    index = 0
    while index < len(raw):
        char = raw[index]
        if char == "\\" and index + 1 < len(raw):
            if raw[index + 1] != "\n":
                value.append(raw[index + 1])
            index += 2
            continue
        if char in GLOB_CHARACTERS and glob_at is None:
            glob_at = len(value)
        value.append(char)
        index += 1
    return Word(raw=raw, value="".join(value), glob_at=glob_at, tilde=raw.startswith("~"))


def unescape_double_quoted(text: str) -> str:
    r"""Decode text between double quotes: a backslash counts before ``$ ` " \`` and line ends."""
    value: list[str] = []
    index = 0
    while index < len(text):
        if text[index] == "\\" and index + 1 < len(text):
            following = text[index + 1]
            if following == "\n":
                index += 2
                continue
            if following in '$`"\\':
                value.append(following)
                index += 2
                continue
        value.append(text[index])
        index += 1
    return "".join(value)


def unescape_ansi_c(text: str) -> str | None:
    """Decode text between ``$'`` and ``'``; None when an escape is not one that we know."""
    value: list[str] = []
    index = 0
    while index < len(text):
        if text[index] != "\\":
            value.append(text[index])
            index += 1
            continue
        decoded = _escape_at(text, index + 1)
        if decoded is None:
            return None
        char, index = decoded
        value.append(char)
    return "".join(value)


def _escape_at(text: str, index: int) -> tuple[str, int] | None:
    if index >= len(text):
        return None
    char = text[index]
    if char in _SIMPLE_ESCAPES:
        return _SIMPLE_ESCAPES[char], index + 1
    if char in _NUMBER_ESCAPES:
        base, width = _NUMBER_ESCAPES[char]
        return _number(text, index + 1, base, width)
    if char in _OCTAL_DIGITS:
        return _number(text, index, 8, 3)
    return None


def _number(text: str, start: int, base: int, width: int) -> tuple[str, int] | None:
    digits = _OCTAL_DIGITS if base == 8 else _HEX_DIGITS
    end = start
    while end < len(text) and end - start < width and text[end] in digits:
        end += 1
    if end == start:
        return None
    code = int(text[start:end], base)
    return (chr(code), end) if 0 < code <= 0x10FFFF else None


def joined(words: tuple[Word, ...], *, decoded: bool = False) -> str:
    """Return the words with one blank between them, as written or without quotes."""
    return " ".join(word.value if decoded else word.raw for word in words)
