"""What a language server has found, as it was last told.

Owns: lists by file, which version each is about, caps, telling those who wait.
Does not own: asking for them (``judge``), comparing them (``codeintel.semantic``).
"""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from pilotfish.codeintel.servers.shapes import as_list, as_number, as_object, as_text, get_in
from pilotfish.core.jsontypes import JsonValue
from pilotfish.ports.diagnostics import Problem
from pilotfish.util.records import dataclass

MAX_PER_FILE = 1_000
"""Diagnostics of one file that are kept; a server may find tens of thousands."""

MAX_FILES = 2_000
"""Files whose lists are kept; the one told longest ago is forgotten."""

_MESSAGE_CHARS = 2_000

_ERROR, _WARNING = 1, 2


@dataclass(kw_only=True, slots=True)
class _Told:
    version: int | None
    """The document's version that the list is about; None when the server does not say."""
    number: int
    """Counts all that was told: when this list came."""
    at_s: float


_Lists = dict[Path, tuple[Problem, ...]]


class Findings:
    """The lists of one server. Pushed and pulled ones are kept apart: together they are all it knows."""

    def __init__(self) -> None:
        self._pushed: dict[Path, tuple[Problem, ...]] = {}
        self._pulled: dict[Path, tuple[Problem, ...]] = {}
        self._told: dict[Path, _Told] = {}
        self.number = 0
        """Grows with each list."""
        self.judged: dict[Path, int] = {}
        """The newest version of each open document that was judged."""
        self.valid_from: dict[Path, int] = {}
        """Lists of a file up to this number are about a text that it never had."""
        self.unanswered: dict[Path, int] = {}
        """Versions that were waited for in vain, of documents that were looked at by the way."""
        self._changed = asyncio.Event()

    def known(self) -> Mapping[Path, Sequence[Problem]]:
        """Return all lists; a file with an empty one was judged and is clean."""
        paths = dict.fromkeys((*self._pushed, *self._pulled))
        return {path: (*self._pushed.get(path, ()), *self._pulled.get(path, ())) for path in paths}

    def of(self, path: Path) -> Sequence[Problem]:
        """Return what is known of a file."""
        return (*self._pushed.get(path, ()), *self._pulled.get(path, ()))

    def pushed(self, path: Path, version: int | None, items: JsonValue) -> None:
        """Take a list that the server published."""
        self._pushed[path] = read_problems(items)
        self.number += 1
        self._told.pop(path, None)  # to the end of the line
        now = asyncio.get_running_loop().time()
        self._told[path] = _Told(version=version, number=self.number, at_s=now)
        while len(self._told) > MAX_FILES:
            oldest = next(iter(self._told))
            del self._told[oldest], self._pushed[oldest]
        self.wake()

    def pulled(self, path: Path, items: JsonValue) -> None:
        """Take a list that was asked for."""
        self._pulled.pop(path, None)
        self._pulled[path] = read_problems(items)
        self.number += 1
        while len(self._pulled) > MAX_FILES:
            del self._pulled[next(iter(self._pulled))]
        self.wake()

    def copy_lists(self) -> tuple[_Lists, _Lists]:
        """Return all lists, to be put back."""
        return dict(self._pushed), dict(self._pulled)

    def put_lists(self, lists: tuple[_Lists, _Lists]) -> None:
        """Put the lists back that were copied, in place of what came since."""
        pushed, self._pulled = lists
        # What was first pushed meanwhile has no earlier list: nothing was known of it.
        self._pushed = {path: pushed.get(path, ()) for path in self._told}

    def pulled_all(self, lists: Mapping[Path, JsonValue], keep: Path | None = None) -> None:
        """Take the lists of the whole workspace: files that are not among them are clean."""
        for path in self._pulled:
            if path not in lists and path != keep:
                self._pulled[path] = ()
        for path, items in lists.items():
            self.pulled(path, items)

    def forget(self, path: Path) -> None:
        """Forget a file that is gone."""
        for lists in (
            self._pushed,
            self._pulled,
            self._told,
            self.judged,
            self.valid_from,
            self.unanswered,
        ):
            lists.pop(path, None)

    def pushed_since(self, path: Path, number: int, version: int) -> float | None:
        """Return when a list about a version came.

        Args:
            path: The file.
            number: What ``self.number`` was when the version was sent. A list without a version
                counts when it came later.
            version: The document's version.

        Returns:
            A time of the event loop's clock; None when there is no such list.
        """
        told = self._told.get(path)
        if told is None or told.number <= number:
            return None
        return told.at_s if told.version in (None, version) else None

    def has_version(self, path: Path) -> bool:
        """Tell whether the server said which version its last list of a file is about."""
        told = self._told.get(path)
        return told is not None and told.version is not None

    def wake(self) -> None:
        """Let those look again who wait for news."""
        self._changed.set()

    async def wait(self, limit_s: float) -> None:
        """Wait for news, at most a time."""
        self._changed.clear()
        try:
            async with asyncio.timeout(limit_s):
                await self._changed.wait()
        except TimeoutError:
            return


def read_problems(items: JsonValue) -> tuple[Problem, ...]:
    """Read a list of diagnostics; what is no error or warning is left out, what is torn, too."""
    found: list[Problem] = []
    for item in as_list(items):
        one = as_object(item)
        # A server that gives no severity leaves it to us; it is no hint then.
        severity = as_number(one.get("severity")) or _ERROR
        line = as_number(get_in(one, "range", "start", "line"))
        column = as_number(get_in(one, "range", "start", "character"))
        if severity > _WARNING or line is None or column is None or line < 0 or column < 0:
            continue
        code = one.get("code")
        found.append(
            Problem(
                severity="error" if severity == _ERROR else "warning",
                line=line + 1,
                column=column + 1,
                message=as_text(one.get("message"), _MESSAGE_CHARS),
                source=as_text(one.get("source"), 100),
                code=as_text(str(code) if isinstance(code, int) else code, 200),
            )
        )
        if len(found) == MAX_PER_FILE:
            break
    return tuple(found)
