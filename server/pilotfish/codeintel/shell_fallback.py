"""Reading shell commands without the grammar.

Owns: one pass over the characters that understands plain commands, pipelines and lists with quotes
and simple variables, for places where tree-sitter's grammar cannot be loaded. All else is complex
and marked ``unparsed``; what stands in it is guessed, so that deny rules and danger classes find it.
Does not own: what a command means (``shell_facts``).
See also: design 06 §10.3. Tests hold it to the grammar: what is simple here is simple there, with
the same words.
"""

import re

from pilotfish.codeintel.shell_guess import guess_commands
from pilotfish.codeintel.shell_redirects import redirect_kind
from pilotfish.codeintel.shell_tree import COMPLEX_WORDS, STATE_VARIABLES
from pilotfish.codeintel.shell_words import (
    Assignment,
    Redirect,
    ShellCommand,
    ShellFlag,
    SimpleCommand,
    Word,
    name_set,
    unescape_double_quoted,
    unescape_word,
)

KEYWORDS = name_set(
    "if then else elif fi for while until do done case esac select function in time coproc { } ! [[ "
    "]] [ declare typeset local export readonly unset let"
)
"""Words that mean something to the shell, or that its grammar reads as more than a command."""

_BLANKS = re.compile(r"[ \t]*")
_OPERATOR = re.compile(r"&&|\|\||\|&|[;|\n]")
_REDIRECT = re.compile(r"(\d*)(>>|>\||>&|<&|>|<)[ \t]*|()(&>>|&>)[ \t]*")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=", re.ASCII)
_NAME = re.compile(r"[A-Za-z_./][A-Za-z0-9_./+-]*", re.ASCII)
_PLAIN = re.compile(r"[^\s\\'\"$`;&|<>(){}#!]+")
_SINGLE = re.compile(r"'([^']*)'")
_DOUBLE_TEXT = re.compile(r"(?:[^\"\\$`]|\\[^\n])+")
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)


class _NotPlain(Exception):  # noqa: N818 - control flow inside this module
    """Something that the pass does not understand; the text says what, for the user."""


def parse_without_grammar(source: str) -> ShellCommand:
    """Read a command line that holds no odd characters. Never raises; takes one pass."""
    reader = _Reader(source)
    try:
        reader.read()
    except _NotPlain as problem:
        return ShellCommand(
            source=source,
            kind="complex",
            commands=guess_commands(source),
            flags=frozenset({"unparsed"}),
            reason=str(problem),
            complete=False,
        )
    return reader.result()


class _Reader:
    def __init__(self, source: str) -> None:
        self._source = source
        self._at = 0
        self._operators: list[str] = []
        self._flags: set[ShellFlag] = set()
        self._commands: list[SimpleCommand] = []
        self._words: list[Word] = []
        self._assignments: list[Assignment] = []
        self._redirects: list[Redirect] = []
        self._joined_by = ""
        self._bracket_end = 0

    def result(self) -> ShellCommand:
        """Return what was read."""
        return ShellCommand(
            source=self._source,
            kind="simple",
            commands=tuple(self._commands),
            operators=tuple(self._operators),
            flags=frozenset(self._flags),
        )

    def read(self) -> None:
        """Read everything.

        Raises:
            _NotPlain: There is more to it than plain commands.
        """
        while True:
            self._take(_BLANKS)
            if self._at == len(self._source):
                break
            operator = self._take(_OPERATOR)
            if operator:
                self._end_command(operator.group())
            else:
                self._read_part()
        if self._has_part():
            self._finish()
        elif self._joined_by not in ("", ";"):
            raise _NotPlain("a command is missing after an operator")

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self._source, self._at)
        if match:
            self._at = match.end()
        return match

    # --- commands ---

    def _has_part(self) -> bool:
        return bool(self._words or self._assignments or self._redirects)

    def _end_command(self, operator: str) -> None:
        if operator == "\n":
            # The shell passes over empty lines, also after `&&` and `|`; a guess is not needed.
            if self._has_part():
                self._finish()
                self._joined_by = ";"
            elif self._joined_by not in ("", ";"):
                raise _NotPlain("a list goes on in the next line")
            return
        if not self._has_part():
            raise _NotPlain("a command is missing before an operator")
        self._finish()
        self._operators.append(operator)
        self._joined_by = operator

    def _finish(self) -> None:
        if not self._words and self._redirects:
            raise _NotPlain("a redirection stands without a command")
        self._inspect_name()
        words = [word.raw for word in self._words]
        full = [a.raw for a in self._assignments] + words + [r.raw for r in self._redirects]
        self._commands.append(
            SimpleCommand(
                words=tuple(self._words),
                assignments=tuple(self._assignments),
                redirects=tuple(self._redirects),
                text=" ".join(words),
                full_text=" ".join(full),
                joined_by=self._joined_by,
            )
        )
        self._words, self._assignments, self._redirects = [], [], []

    def _inspect_name(self) -> None:
        if not self._words:
            return
        name = self._words[0]
        if not _NAME.fullmatch(name.raw) or name.raw in KEYWORDS:
            raise _NotPlain("the command's name is built by the shell or has a meaning of its own")
        if name.value in COMPLEX_WORDS or name.value in ("command", "hash"):
            raise _NotPlain(f"{name.value} changes what the line means")
        if name.value == "cd":
            self._flags.add("cd")

    # --- words and redirections ---

    def _read_part(self) -> None:
        redirect = self._take(_REDIRECT)
        if redirect:
            self._read_redirect(redirect)
            return
        start = self._at
        assignment = None if self._words else self._take(_ASSIGNMENT)
        if assignment is None:
            self._words.append(self._read_word())
            return
        name = assignment.group(1)
        if name in STATE_VARIABLES or name.startswith(("LD_", "DYLD_")):
            raise _NotPlain(f"it changes {name}")
        value = self._read_word()
        raw = self._source[start : self._at]
        self._assignments.append(Assignment(name=name, value=value, raw=raw))

    def _read_redirect(self, match: re.Match[str]) -> None:
        fd, op = match.group(1) or "", match.group(2) or match.group(4)
        if self._source.startswith(("<", ">", "(", "&"), self._at):
            raise _NotPlain("it uses a here document or another unusual redirection")
        target = self._read_word()
        if op in (">&", "<&") and not target.raw.isdecimal():
            raise _NotPlain("it copies a descriptor that is named in an unusual way")
        self._redirects.append(
            Redirect(
                op=op,
                fd=int(fd) if fd else None,
                target=target,
                kind=redirect_kind(op, target),
                raw=f"{fd}{op}{target.raw}",
            )
        )

    def _read_word(self) -> Word:
        start = self._at
        self._check_beginning()
        value, known = "", True
        glob_at: int | None = None
        pieces = 0
        while self._at < len(self._source) and self._source[self._at] not in " \t\n;&|<>":
            piece = self._read_piece()
            if piece.glob_at is not None and glob_at is None:
                glob_at = len(value) + piece.glob_at
            value, known = value + piece.value, known and piece.known
            pieces += 1
        if not pieces:
            raise _NotPlain("a word is missing")
        if glob_at is not None:
            self._flags.add("glob")
        if self._source.startswith(("<", ">"), self._at) and value[-1:].isdigit():
            raise _NotPlain("it is not clear whether a digit names a descriptor")
        raw = self._source[start : self._at]
        if raw in ("[", "]"):
            self._bracket_end = self._at
        return Word(raw=raw, value=value, known=known, glob_at=glob_at, tilde=raw.startswith("~"))

    def _check_beginning(self) -> None:
        """Refuse what the grammar takes for a part of a test, or of the word before."""
        if self._source.startswith("==", self._at):
            raise _NotPlain("it holds something that only the full grammar reads")
        if not self._bracket_end or not self._source.startswith(("[", "]"), self._at):
            return
        if not self._source[self._bracket_end : self._at].strip():
            raise _NotPlain("the end of a word is not clear")

    def _read_piece(self) -> Word:
        """Read the part of a word up to the next change of quoting."""
        single = self._take(_SINGLE)
        if single:
            return Word(raw=single.group(), value=single.group(1))
        if self._source[self._at] == '"':
            return self._read_double_quoted()
        if self._source[self._at] == "$":
            if self._at and self._source[self._at - 1] not in ' \t\n;&|<>/="':
                raise _NotPlain("a variable stands inside a word")
            variable = self._read_variable()
            if self._at < len(self._source) and self._source[self._at] not in " \t\n;&|<>/":
                raise _NotPlain("the end of a variable's name is not clear")
            return variable
        plain = self._take(_PLAIN)
        if plain is None:
            raise _NotPlain("it holds something that only the full grammar reads")
        return unescape_word(plain.group())

    def _read_double_quoted(self) -> Word:
        start = self._at
        self._at += 1
        value, known = "", True
        while not self._source.startswith('"', self._at):
            text = self._take(_DOUBLE_TEXT)
            if text:
                value += unescape_double_quoted(text.group())
            elif self._source.startswith("$", self._at):
                value, known = value + self._read_variable().value, False
            else:
                raise _NotPlain("a quote is not closed, or a command stands in it")
        self._at += 1
        return Word(raw=self._source[start : self._at], value=value, known=known)

    def _read_variable(self) -> Word:
        match = self._take(_VARIABLE)
        if match is None:
            raise _NotPlain("it expands something that only the full grammar reads")
        self._flags.add("variable")
        name = match.group(1) or match.group(2)
        return Word(raw=match.group(), value=f"${name}", known=False)
