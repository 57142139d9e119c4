"""The paths by which what is open in the editor goes: as it is named, and with links resolved.

Owns: looking up where links lead before a document opens, off the event loop, with a limit.
Does not own: what the documents hold (``edges.lsp.editor``), the order of messages (``edges.lsp.server``).

Messages wait for the look, so whoever hears of an open document finds it by both paths, as if the disk had
answered at once. One that does not, such as a network file system that hangs, is waited for once: the
document goes by its name until the answer comes.
"""

import asyncio
import logging
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types

from pilotfish.edges.lsp.addresses import path_of
from pilotfish.edges.lsp.client_facts import json_object
from pilotfish.util.real_path import real_path

logger = logging.getLogger(__name__)

LOOK_LIMIT_S = 1.0
"""How long messages wait for one look."""

HURRIED_LIMIT_S = 0.05
"""How long while another look hangs."""

MAX_HANGING = 16
"""Looks that may hang; with so many nothing more is looked up."""

_OPENING = {
    types.TEXT_DOCUMENT_DID_OPEN: "textDocument",
    types.NOTEBOOK_DOCUMENT_DID_OPEN: "notebookDocument",
}


def uri_opened_by(message: Mapping[str, Any]) -> str:
    """Return the address of what a message opens; empty when it opens nothing."""
    field = _OPENING.get(str(message.get("method")), "")
    uri = json_object(json_object(message.get("params")).get(field)).get("uri")
    return uri if isinstance(uri, str) else ""


class _ByPath:
    """Addresses by a path that leads to what they name; what came last counts."""

    def __init__(self) -> None:
        self.uris: dict[Path, dict[str, None]] = {}

    def add(self, path: Path, uri: str) -> None:
        """Have a path lead to an address."""
        self.uris.setdefault(path, {})[uri] = None

    def remove(self, path: Path, uri: str) -> None:
        """Have it lead there no more."""
        left = self.uris.get(path, {})
        left.pop(uri, None)
        if not left:
            self.uris.pop(path, None)

    def last(self, path: Path) -> str | None:
        """Return where a path leads."""
        return next(reversed(self.uris.get(path, {})), None)


class OpenNames:
    """Of the documents, or the notebooks, that are open."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        """Set it up; ``on_change`` is called whenever other paths lead to what is open."""
        self._on_change = on_change
        self._open: dict[str, tuple[Path, Path | None]] = {}
        """How each address is named and where it really lies; None: not known."""
        self._found: tuple[str, Path | None] = ("", None)
        """What the last look has found, for what is about to open."""
        self._named = _ByPath()
        self._lying = _ByPath()
        self._hanging = 0

    def uri_of(self, path: Path) -> str | None:
        """Return the address of what is open by a path: what is named so, else what a link to it names."""
        return self._named.last(path) or self._lying.last(path)

    def paths(self) -> tuple[Path, ...]:
        """Return all paths of what is open."""
        return tuple(self._named.uris | self._lying.uris)

    async def look_up(self, uri: str) -> None:
        """Look where something lies that is about to open, before ``opened`` is called."""
        path = path_of(uri)
        if path is None or self._hanging >= MAX_HANGING:
            return
        try:
            look = _look(path)
        except (
            RuntimeError
        ) as error:  # no thread is to be had: better known by its name than not at all
            logger.warning("%s goes by its name alone: %s", uri, error)
            return
        limit_s = HURRIED_LIMIT_S if self._hanging else LOOK_LIMIT_S
        await asyncio.wait([look], timeout=limit_s)
        if look.done():
            self._found = uri, look.result()
        else:
            self._hanging += 1
            look.add_done_callback(partial(self._found_late, uri))

    def _found_late(self, uri: str, look: asyncio.Future[Path]) -> None:
        self._hanging -= 1
        if uri in self._open and not look.cancelled():
            named, _ = self._open[uri]
            self._forget(uri)
            self._note(uri, named, look.result())
            self._on_change()

    def opened(self, uri: str) -> None:
        """Take note of what has opened."""
        looked, real = self._found
        self._forget(uri)
        named = path_of(uri)
        if named is not None:
            self._note(uri, named, real if looked == uri else None)
        self._on_change()

    def closed(self, uri: str) -> None:
        """Forget what is closed."""
        self._forget(uri)
        self._on_change()

    def _note(self, uri: str, named: Path, real: Path | None) -> None:
        self._open[uri] = named, real
        self._named.add(named, uri)
        if real is not None:
            self._lying.add(real, uri)

    def _forget(self, uri: str) -> None:
        named, real = self._open.pop(uri, (None, None))
        if named is not None:
            self._named.remove(named, uri)
        if real is not None:
            self._lying.remove(real, uri)


def _look(path: Path) -> asyncio.Future[Path]:
    """Resolve a path in a thread of its own: one that hangs keeps neither others waiting nor the process."""
    loop = asyncio.get_running_loop()
    found: asyncio.Future[Path] = loop.create_future()

    def look() -> None:
        real = real_path(path)
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(tell, real)

    def tell(real: Path) -> None:
        if not found.done():
            found.set_result(real)

    threading.Thread(target=look, name="links", daemon=True).start()
    return found
