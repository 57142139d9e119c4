"""The documents that a language server has open because of us.

Owns: opening, changing and closing them, for whom they are open, their versions, a cap on their number.
Does not own: the editor's documents, which are another matter and never closed here.
See also: design 04 §12.1.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import field
from pathlib import Path

from pilotfish.codeintel.servers.shapes import to_uri
from pilotfish.core.jsontypes import JsonMapping
from pilotfish.util.records import dataclass

MAX_OPEN = 100
"""Documents that one server has open at most; the one used longest ago is closed."""

MAX_DOCUMENT_CHARS = 4_000_000
"""Longer texts are not sent to a server."""

Notify = Callable[[str, JsonMapping], None]


class Opener:
    """Stands for whoever has documents opened: a conversation, or the editor."""

    def __init__(self) -> None:
        self.is_over = False
        """Whether it needs none any more."""


@dataclass(kw_only=True, slots=True)
class _Open:
    version: int
    text: str
    used_s: float
    """When somebody last had it looked at."""
    openers: set[Opener] = field(default_factory=set[Opener])
    """Who has had it looked at."""


class OpenDocuments:
    """What one server has open."""

    def __init__(
        self,
        notify: Notify,
        languages: Callable[[Path], str],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self._notify = notify
        self._languages = languages
        self._now_s = now_s
        self._open: OrderedDict[Path, _Open] = OrderedDict()
        self._last_version: dict[Path, int] = {}
        self.opener = Opener()
        """For whom documents are opened now; see ``LanguageServer.turn_of``."""

    def __len__(self) -> int:
        return len(self._open)

    def __contains__(self, path: Path) -> bool:
        return path in self._open

    def paths(self) -> tuple[Path, ...]:
        """Return what is open, that used longest ago first."""
        return tuple(self._open)

    def text_of(self, path: Path) -> str | None:
        """Return what the server takes a document for; None when it is not open."""
        found = self._open.get(path)
        return None if found is None else found.text

    def version_of(self, path: Path) -> int | None:
        """Return a document's version; None when it is not open."""
        found = self._open.get(path)
        return None if found is None else found.version

    def sync(self, path: Path, text: str) -> tuple[int, bool]:
        """Make the server see a text; opens the document when it is not open.

        Returns:
            The document's version, and whether anything was sent.
        """
        known = self._open.get(path)
        if known is None:
            return self._open_new(path, text), True
        known.openers.add(self.opener)
        self._open.move_to_end(path)
        known.used_s = self._now_s()
        return self._send(path, known, text)

    def keep_up(self, path: Path, text: str) -> None:
        """Make the server see a text if it has the document open. Nobody has it looked at by that."""
        known = self._open.get(path)
        if known is not None:
            self._send(path, known, text)

    def _send(self, path: Path, known: _Open, text: str) -> tuple[int, bool]:
        if known.text == text:
            return known.version, False
        known.version += 1
        known.text = text
        self._notify(
            "textDocument/didChange",
            {
                "textDocument": {"uri": to_uri(path), "version": known.version},
                "contentChanges": [{"text": text}],
            },
        )
        return known.version, True

    def saved(self, path: Path) -> None:
        """Say that a document was saved, if it is open."""
        if path in self._open:
            self._notify("textDocument/didSave", {"textDocument": {"uri": to_uri(path)}})

    def close(self, path: Path) -> None:
        """Close a document, if it is open."""
        known = self._open.pop(path, None)
        if known is not None:
            self._remember_version(path, known.version)
            self._notify("textDocument/didClose", {"textDocument": {"uri": to_uri(path)}})

    def unused_for(self, seconds: float) -> tuple[Path, ...]:
        """Return what nobody has had looked at for so long."""
        limit_s = self._now_s() - seconds
        return tuple(path for path, known in self._open.items() if known.used_s < limit_s)

    def close_all_of(self, opener: Opener) -> None:
        """Close what is open for nobody else; a later use opens it again with its whole text."""
        for path, known in tuple(self._open.items()):
            if opener in known.openers:
                known.openers.discard(opener)
                if not known.openers:
                    self.close(path)

    def _open_new(self, path: Path, text: str) -> int:
        while len(self._open) >= MAX_OPEN:
            self.close(next(iter(self._open)))
        # Goes on where it was, so that nothing said of an earlier version looks like news of this one.
        version = self._last_version.pop(path, 0) + 1
        openers = {self.opener}
        self._open[path] = _Open(version=version, text=text, used_s=self._now_s(), openers=openers)
        self._notify(
            "textDocument/didOpen",
            {
                "textDocument": {
                    "uri": to_uri(path),
                    "languageId": self._languages(path),
                    "version": version,
                    "text": text,
                }
            },
        )
        return version

    def _remember_version(self, path: Path, version: int) -> None:
        self._last_version[path] = version
        while len(self._last_version) > 10 * MAX_OPEN:
            del self._last_version[next(iter(self._last_version))]
