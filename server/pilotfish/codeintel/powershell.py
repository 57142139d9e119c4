"""PowerShell command lines as facts, as far as that can be told without running them.

Owns: reading lines that consist of plain commands joined by ``;``, ``|``, ``&&``, ``||`` and line
ends. Everything else (variables, expressions, blocks, redirections, the call operator, backticks) is
not understood, and what is not understood is never allowed by less than an exact rule.
Does not own: names of commands (``powershell_names``), rules (``permissions.powershell_rules``).

Nothing here counts as harmless: a session may have given any name another meaning.
"""

import re
from functools import lru_cache

from pilotfish.codeintel.powershell_names import (
    ALIASES,
    CATASTROPHES,
    DANGEROUS_COMMANDS,
    DANGEROUS_VERBS,
    KEYWORDS,
    MOVERS,
    READERS,
    STARTERS,
    WRITERS,
)
from pilotfish.codeintel.shell_ast import CACHE_SIZE, MAX_COMMAND_CHARS, odd_character
from pilotfish.codeintel.shell_danger import Danger, danger_of
from pilotfish.codeintel.shell_facts import PartFacts, ShellFacts
from pilotfish.codeintel.shell_paths import PathUse, ShellPlace, resolve
from pilotfish.codeintel.shell_words import ShellCommand, SimpleCommand, Word
from pilotfish.util.records import dataclass

MAX_PARTS = 50
"""Commands in one line; a longer line counts as not understood."""

_SEPARATOR = re.compile(r"&&|\|\||[;|\n]")
_BARE = re.compile(r"[A-Za-z0-9_\-./\\:=,+*?~%\[\]^]+")
_SINGLE = re.compile(r"'(?:[^'\n]|'')*'")
_DOUBLE = re.compile(r'"(?:[^"$`\n]|"")*"')
_COMMAND_NAME = re.compile(r"[A-Za-z_%?.~/\\][\w\-./\\:+%?]*\Z")
_PROGRAM_ENDING = re.compile(r"\.(exe|cmd|bat|com|ps1)\Z")
_LOOKALIKES = re.compile("[\u2010-\u2015\u2018-\u201f\u2212\u00a0\u2028\u2029\u0085]")
"""PowerShell takes typographic dashes and quotes for their plain relatives."""

_OTHER_DRIVE = re.compile(
    r"(^|[:,\\])(alias|function|variable|env|cert|wsman|hk\w+|registry):", re.IGNORECASE
)
"""Places that look like paths and hold commands, settings or keys."""

_ROOT = re.compile(r"^([a-z]:)?[\\/]*[*.]*$|^~[\\/]*[*.]*$", re.I)
_RECURSE = re.compile(r"^-(r|re|rec\w*)(:.*)?$", re.I)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Line:
    commands: tuple[tuple[tuple[Word, ...], str], ...]
    """Words of each command, and the operator before it."""
    problem: str = ""
    """Why the line is not understood."""


def analyse_powershell(command: str, place: ShellPlace) -> ShellFacts:
    """Gather the facts of a command line. Never raises; recent answers are reused."""
    return _analyse(command, place)


def command_name(text: str) -> str:
    """Return what a command is called: folded, without its folder and its ending."""
    name = re.split(r"[\\/]", text.casefold())[-1]
    return _PROGRAM_ENDING.sub("", name)


def canonical_name(text: str) -> str:
    """Return the name that an alias stands for, or the command's own."""
    name = command_name(text)
    return ALIASES.get(name, name)


@lru_cache(maxsize=CACHE_SIZE)
def _analyse(command: str, place: ShellPlace) -> ShellFacts:
    line = _read(command)
    parts = tuple(_part(words, joined_by, place) for words, joined_by in line.commands[:MAX_PARTS])
    problem, complete = line.problem, not line.problem
    moves = any(canonical_name(words[0].value) in MOVERS for words, _ in line.commands)
    if not problem and moves and len(parts) > 1:
        problem = "it changes the folder and goes on"
    danger, reason = _worst(parts)
    if not complete and danger == "none":
        danger, reason = "dangerous", "it cannot be read for certain"
    shell = ShellCommand(
        source=command,
        kind="complex" if problem else "simple",
        commands=tuple(part.command for part in parts),
        operators=tuple(joined_by for _, joined_by in line.commands if joined_by),
        reason=problem,
        complete=complete,
    )
    return ShellFacts(
        shell=shell, parts=parts, changes_folder=moves, danger=danger, danger_reason=reason
    )


# --- reading ---


def _read(source: str) -> _Line:
    odd = odd_character(source)
    if odd or _LOOKALIKES.search(source):
        return _Line(commands=(), problem=odd or "it holds a typographic dash, quote or blank")
    if len(source) > MAX_COMMAND_CHARS:
        return _Line(commands=(), problem=f"it is longer than {MAX_COMMAND_CHARS} characters")
    reader = _Reader(source)
    problem = reader.read()
    commands = tuple(reader.commands)
    problem = problem or next(filter(None, (_why_unclear(words) for words, _ in commands)), "")
    if len(commands) > MAX_PARTS:
        problem = problem or f"it has more than {MAX_PARTS} parts"
    return _Line(commands=commands, problem=problem)


class _Reader:
    """Takes a line apart into words; stops at the first thing that is no plain word."""

    def __init__(self, source: str) -> None:
        self.commands: list[tuple[tuple[Word, ...], str]] = []
        self._source = source
        self._words: list[Word] = []
        self._operator = ""

    def read(self) -> str:
        """Read it all; returns what could not be read, empty when nothing."""
        position = 0
        source = self._source
        while position < len(source):
            if source[position] in " \t":
                position += 1
                continue
            separator = _SEPARATOR.match(source, position)
            if separator:
                self._end(separator[0])
                position = separator.end()
                continue
            word, position = self._word(position)
            if word is None:
                self._end("")
                return f"`{source[position]}` is not understood"
            self._words.append(word)
        self._end("")
        return "" if self.commands else "it holds no command"

    def _word(self, start: int) -> tuple[Word | None, int]:
        position = start
        value: list[str] = []
        source = self._source
        while position < len(source) and source[position] not in " \t\n;|":
            char = source[position]
            pattern = _SINGLE if char == "'" else _DOUBLE if char == '"' else _BARE
            found = pattern.match(source, position)
            if found is None:
                return None, position
            text = found[0]
            if char in "'\"":
                text = text[1:-1].replace(char * 2, char)
            value.append(text)
            position = found.end()
        return Word(raw=source[start:position], value="".join(value)), position

    def _end(self, operator: str) -> None:
        if self._words:
            self.commands.append((tuple(self._words), self._operator))
            self._operator = operator
        elif operator.strip(" \n;"):
            # `| x` and `&& x` join with nothing.
            self._operator = operator
        self._words = []


def _why_unclear(words: tuple[Word, ...]) -> str:
    """Say why it is not known what a command runs; empty when it is."""
    first = words[0]
    if first.raw != first.value or not _COMMAND_NAME.match(first.value) or first.value == ".":
        return f"`{first.raw}` is not the plain name of a command"
    if command_name(first.value) in KEYWORDS:
        return f"`{first.value}` begins a statement"
    if canonical_name(first.value) in STARTERS:
        return f"`{first.value}` runs what other words name"
    for word in words:
        if word.raw == "--%":
            return "`--%` changes how the rest is read"
        if _OTHER_DRIVE.search(word.value):
            return f"`{word.raw}` is no file"
    return ""


# --- facts ---


def _part(words: tuple[Word, ...], joined_by: str, place: ShellPlace) -> PartFacts:
    text = " ".join(word.raw for word in words)
    command = SimpleCommand(words=words, text=text, full_text=text, joined_by=joined_by)
    name = canonical_name(words[0].value)
    uses = tuple(_uses(words[1:], place))
    danger, reason = _danger(name, words, place)
    return PartFacts(
        command=command,
        spellings=_spellings(words),
        allow_spellings=(text.casefold(),),
        neutral=False,
        read_only=False,
        safe_environment=True,
        redirects_files=False,
        reads=uses if name in READERS else (),
        writes=uses if name in WRITERS else (),
        unknown_paths=True,
        folders=(place.cwd,),
        git_folders=(),
        danger=danger,
        danger_reason=reason,
    )


def _spellings(words: tuple[Word, ...]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for rest in (
        " ".join(word.raw for word in words[1:]),
        " ".join(word.value for word in words[1:]),
    ):
        for name in (
            words[0].raw.casefold(),
            command_name(words[0].value),
            canonical_name(words[0].value),
        ):
            found[f"{name} {rest.casefold()}".rstrip()] = None
    return tuple(found)


def _uses(words: tuple[Word, ...], place: ShellPlace) -> list[PathUse]:
    """Return what the operands and the values of parameters would name as paths."""
    found: list[PathUse] = []
    for word in words:
        text = word.value
        if text.startswith("-"):
            text = text.partition(":")[2]
        for piece in filter(None, text.split(",")):
            path = piece.replace("\\", "/")
            star = re.search(r"[*?\[]", path)
            use = resolve(
                Word(
                    raw=piece,
                    value=path,
                    glob_at=star.start() if star else None,
                    tilde=path.startswith("~"),
                ),
                place.cwd,
                place.home,
            )
            if use is not None:
                found.append(PathUse(path=use.path, tree=True))
    return found


def _danger(name: str, words: tuple[Word, ...], place: ShellPlace) -> tuple[Danger, str]:
    if name in CATASTROPHES:
        return "catastrophic", f"{name} cannot be undone"
    if name == "remove-item" and _removes_root(words[1:], place):
        return "catastrophic", "it removes a whole drive, home folder or project"
    native = danger_of((Word(raw=name, value=name), *words[1:]), (place.cwd,), place)
    if native[0] != "none":
        return native
    verb, dash, _ = name.partition("-")
    if (dash and verb in DANGEROUS_VERBS) or name in DANGEROUS_COMMANDS:
        return "dangerous", f"{name} changes what is hard to put back"
    return "none", ""


def _removes_root(words: tuple[Word, ...], place: ShellPlace) -> bool:
    if not any(_RECURSE.match(word.value) for word in words):
        return False
    guarded = {place.home, *place.roots}
    named = [piece for word in words for piece in word.value.split(",")]
    return any(_ROOT.match(piece) for piece in named if piece) or any(
        folder == use.path or folder.startswith(use.path.rstrip("/") + "/")
        for use in _uses(words, place)
        for folder in guarded
    )


def _worst(parts: tuple[PartFacts, ...]) -> tuple[Danger, str]:
    for level in ("catastrophic", "dangerous"):
        for part in parts:
            if part.danger == level:
                return part.danger, part.danger_reason
    return "none", ""
