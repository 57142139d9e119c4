"""Paths that shell commands name.

Owns: where a list of commands stands after each ``cd``, and turning words into absolute paths.
Purely lexical: nothing here looks at the disk.
Does not own: which folders may be touched (``permissions.paths``).
"""

import posixpath

from pilotfish.codeintel.shell_words import SimpleCommand, Word
from pilotfish.util.records import dataclass

MAX_FOLDERS = 4
"""Folders in which a command may stand before its place counts as unknown."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ShellPlace:
    """Where a command line starts. All paths are absolute text."""

    cwd: str
    home: str
    roots: tuple[str, ...] = ()
    """Project folders, which no command may remove without a question."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PathUse:
    """A path that a command reads or writes."""

    path: str
    """Absolute and lexically normal."""
    tree: bool = False
    """Whether the command may reach what lies below it (a pattern, a recursive option)."""


def resolve(word: Word, folder: str, home: str) -> PathUse | None:
    """Return the path that a word names from a folder; None when only the shell could tell.

    A word with a pattern gives the folder in front of the pattern.
    """
    if not word.known:
        return None
    text = word.value
    if word.glob_at is not None:
        pattern = text[word.glob_at :]
        _, brace, braces = pattern.partition("{")
        # `{/etc,x}` and `*/../..` lead anywhere.
        if ".." in pattern or (brace and ("/" in braces or "~" in braces)):
            return None
        folder_part, slash, _ = text[: word.glob_at].rpartition("/")
        text = folder_part + slash
    if word.tilde:
        if text != "~" and not text.startswith("~/"):
            return None
        text = home + text[1:]
    path = posixpath.normpath(posixpath.join(folder, text or "."))
    return PathUse(path=_single_slash(path), tree=word.glob_at is not None)


def resolve_loosely(word: Word, folder: str, home: str) -> PathUse | None:
    """Like ``resolve``, but read ``$HOME`` and ``$PWD`` as what they nearly always are.

    For finding trouble, never for allowing something.
    """
    if word.known:
        return resolve(word, folder, home)
    for name, value in (("$HOME", home), ("$PWD", folder)):
        if word.value == name or word.value.startswith(name + "/"):
            shift = len(value) - len(name)
            glob_at = None if word.glob_at is None else word.glob_at + shift
            spelt = value + word.value[len(name) :]
            return resolve(Word(raw=word.raw, value=spelt, glob_at=glob_at), folder, home)
    return None


def option_paths(text: str) -> list[str]:
    """Return what an option may carry as a path: after the equals sign, or glued to a letter."""
    if text.startswith("--"):
        _, equals, value = text.partition("=")
        return [value] if equals else []
    found = [text[2:]] if "." in text[2:] or "/" in text[2:] else []
    for start in ("/", "~", ".."):
        position = text.find(start)
        if position > 0:
            found.append(text[position:])
    return found


class FolderTracker:
    """Follows ``cd`` through a list of commands.

    ``cd`` may fail and a command before it may end the chain, so there can be several folders.
    After ``&&`` only those count in which all before it succeeded.
    """

    def __init__(self, place: ShellPlace) -> None:
        self._place = place
        self._current: frozenset[str] | None = frozenset({place.cwd})
        self._seen: frozenset[str] | None = self._current

    def before(self, command: SimpleCommand) -> tuple[str, ...] | None:
        """Return the folders in which ``command`` may start; None when unknown."""
        if command.joined_by not in ("", "&&") or command.nested:
            self._current = self._seen
        return None if self._current is None else tuple(sorted(self._current))

    def after(self, command: SimpleCommand) -> None:
        """Take note of what ``command`` did to the folder."""
        argv = command.argv
        if not argv or argv[0] not in ("cd", "pushd", "popd"):
            return
        target = self._target(command)
        if target is None or self._seen is None or len(self._seen | target) > MAX_FOLDERS:
            self._seen = None
        else:
            self._seen |= target
        # In a pipeline or a nested place the change may stay there or never happen.
        alone = command.joined_by not in ("|", "|&") and not command.nested
        self._current = target if alone else self._seen

    def _target(self, command: SimpleCommand) -> frozenset[str] | None:
        operands = [word for word in command.words[1:] if word.value not in ("--", "-P", "-L")]
        if command.argv[0] != "cd" or len(operands) > 1 or self._current is None:
            return None
        if not operands:
            return frozenset({self._place.home})
        if operands[0].value.startswith("-") or operands[0].glob_at is not None:
            return None
        uses = [resolve(operands[0], folder, self._place.home) for folder in self._current]
        paths = frozenset(use.path for use in uses if use)
        return paths if len(uses) == len([use for use in uses if use]) else None


def _single_slash(path: str) -> str:
    return "/" + path.lstrip("/") if path.startswith("//") else path
