"""Which changes on the disk a server has asked to hear of.

Owns: its registrations for ``workspace/didChangeWatchedFiles``, and the globs of LSP.
Does not own: seeing the changes (``disk_watch``).
See also: LSP 3.17, ``FileSystemWatcher``.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

from pilotfish.codeintel.servers.shapes import (
    as_list,
    as_number,
    as_object,
    as_text,
    from_uri,
    get_in,
)
from pilotfish.core.jsontypes import JsonObject, JsonValue
from pilotfish.util.records import dataclass

MAX_WATCHERS = 500
"""Globs of one registration that are looked at; with more of them all changes are told."""

MAX_GLOB_CHARS = 500
MAX_GLOB_STARS = 3
MAX_GLOB_BRACES = 2
"""A glob with more stars (two together are one) or braces would cost too much to match: it stands for all."""

CREATED, CHANGED, DELETED = 1, 2, 3
"""What became of a file."""

ALL_KINDS = 7
"""Creations, changes and deletions, as bits."""

_ANYTHING = re.compile("", re.DOTALL)

_RANGE = re.compile(r"(?<=\w)\\-(?=\w)")
"""The sign of a range in letters that are escaped."""

_DRIVE = re.compile(r"([A-Za-z]):[/\\]")
"""The begin of an absolute path on Windows, where the case of the letter does not count."""

_STARS = re.compile(r"\*+")

_TOKEN = re.compile(r"\*\*/|\*+|\?|\[!?[^\]/]+\]|[{},]|.", re.DOTALL)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Watcher:
    pattern: re.Pattern[str]
    """Matches the path relative to ``base``, with slashes."""
    base: PurePath | None
    """None: the whole path counts."""
    kinds: int

    def wants(self, path: PurePath, kind: int) -> bool:
        if not self.kinds & (1 << (kind - 1)):
            return False
        if self.base is None:
            return self.pattern.match(path.as_posix()) is not None
        if not path.is_relative_to(self.base):
            return False
        return self.pattern.match(path.relative_to(self.base).as_posix()) is not None


class Watchers:
    """The registrations of one server."""

    def __init__(self, root: PurePath) -> None:
        self._root = root
        self._by_id: dict[str, Sequence[_Watcher]] = {}

    def register(self, name: str, options: JsonValue) -> None:
        """Take a registration; one that makes no sense is for everything."""
        items = as_list(get_in(as_object(options), "watchers"))
        if not items or len(items) > MAX_WATCHERS:
            items = [{"globPattern": "**"}]
        self._by_id[name] = [_read(as_object(one), self._root) for one in items]

    def unregister(self, name: str) -> None:
        """Forget a registration."""
        self._by_id.pop(name, None)

    def wants(self, path: PurePath, kind: int) -> bool:
        """Tell whether the server has asked for such a change.

        A folder may have gone with all its files, which nobody names then: what is gone is told to everybody
        who wants anything, whatever its name. See also ``wants_anything``.
        """
        if kind == DELETED:
            return self.wants_anything
        return any(one.wants(path, kind) for several in self._by_id.values() for one in several)

    @property
    def wants_anything(self) -> bool:
        """Whether it hears of folders that came: nobody names the files that came with them."""
        return bool(self._by_id)


def _read(item: JsonObject, root: PurePath) -> _Watcher:
    kinds = as_number(item.get("kind"))
    glob = item.get("globPattern")
    base: PurePath | None = None
    if isinstance(glob, dict):
        inner = as_object(glob)
        uri = inner.get("baseUri")
        base = from_uri(get_in(as_object(uri), "uri") if isinstance(uri, dict) else uri) or root
        glob = inner.get("pattern")
    text = as_text(glob, MAX_GLOB_CHARS + 1)
    drive = _DRIVE.match(text)
    if base is None and drive is not None:
        letter = drive[1]
        text = f"[{letter.lower()}{letter.upper()}]{text[1:]}".replace("\\", "/")
    elif base is None and not text.startswith(("/", "**")):
        base = root
    return _Watcher(
        pattern=glob_pattern(text), base=base, kinds=ALL_KINDS if kinds is None else kinds
    )


def glob_pattern(glob: str) -> re.Pattern[str]:
    """Return what matches the paths of a glob; one that makes no sense matches all."""
    if not glob or len(glob) > MAX_GLOB_CHARS:
        return _ANYTHING
    if len(_STARS.findall(glob)) > MAX_GLOB_STARS or glob.count("{") > MAX_GLOB_BRACES:
        return _ANYTHING
    depth = 0
    parts: list[str] = []
    for piece in _TOKEN.findall(glob):
        depth += {"{": 1, "}": -1}.get(piece, 0)
        parts.append(_part(piece, in_braces=depth > 0))
    try:
        return re.compile(f"{''.join(parts)}\\Z", re.DOTALL)
    except re.error:
        return _ANYTHING


_FIXED = {"**/": "(?:.*/)?", "*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")"}


def _part(piece: str, *, in_braces: bool) -> str:
    if piece in _FIXED:
        return _FIXED[piece]
    if piece == "," and in_braces:
        return "|"
    if piece.startswith("**"):
        return ".*"
    if len(piece) > 2 and piece[0] == "[":
        negated = piece[1] == "!"
        letters = re.escape(piece[2:-1] if negated else piece[1:-1])
        letters = _RANGE.sub("-", letters)
        return f"[{'^/' if negated else ''}{letters}]"
    return re.escape(piece)
