"""Definitions in files, read again as the files change.

Owns: when that is, and that nothing is read twice for nothing.
Does not own: where the files are, reading them (``loading``), what follows from a change.
"""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Generic

from pilotfish.config.watch import FilePrint, SettingsWatch, look_at
from pilotfish.definitions.catalog import Catalog, NamedT
from pilotfish.definitions.loading import Known
from pilotfish.util.records import dataclass

_INSIDE = ".changes"
"""No file of this name needs to exist: whoever watches for it watches the folder that it would be in."""


def watched_folders(folders: Iterable[Path]) -> Iterator[Path]:
    """Yield folders so that what appears or goes in them is noticed as well."""
    for folder in folders:
        yield folder
        yield folder / _INSIDE


@dataclass(frozen=True, kw_only=True, slots=True)
class _Read:
    """What definitions were read from."""

    trusted: bool
    files: Mapping[Path, FilePrint]
    """Folders and files, with their states."""


class FollowedDefinitions(Generic[NamedT]):
    """One kind of definitions of one session, kept up to date."""

    def __init__(
        self,
        places: Callable[[bool], Iterable[Path]],
        load: Callable[[bool], Known[NamedT]],
        watch: SettingsWatch,
        on_change: Callable[[], None] = lambda: None,
        *,
        at_first: Known[NamedT] | None = None,
    ) -> None:
        """Set it up; nothing is read before ``refresh``.

        Args:
            places: Returns the folders and files that are, or would be, read. Both this and ``load`` are
                told whether the project is trusted; both block, and are called in a thread.
            load: Reads them.
            watch: Tells when files change.
            on_change: Called on the event loop when something was read.
            at_first: What is known before the first ``refresh``; None for nothing.
        """
        self._places = places
        self._load = load
        self._on_change = on_change
        self._watch = watch
        self.catalog: Catalog[NamedT] = Catalog(at_first or Known())
        """Everything that was found."""
        self._trusted = False
        self._read: _Read | None = None
        """What was read last; None before that."""
        self._reading = asyncio.Lock()
        self._watches = False
        self._unwatch: Callable[[], None] = lambda: None

    async def refresh(self, *, trusted: bool) -> None:
        """Read again where anything has changed."""
        async with self._reading:
            self._trusted = trusted
            found = await asyncio.to_thread(self._read_if_changed, trusted)
            if found is not None:
                known, self._read = found
                self.catalog.take(known)
                self._on_change()
                self._listen()

    async def reload(self) -> None:
        """Read again, whatever has changed."""
        self._read = None
        await self.refresh(trusted=self._trusted)

    def follow(self) -> None:
        """Read again as soon as files change, until ``close``."""
        self._watches = True
        self._listen()

    def close(self) -> None:
        """End following."""
        self._watches = False
        self._unwatch()

    def _read_if_changed(self, trusted: bool) -> tuple[Known[NamedT], _Read] | None:  # noqa: FBT001
        # Taken before reading: what changes meanwhile is read once more.
        now = _Read(trusted=trusted, files=look_at(self._places(trusted)))
        return None if now == self._read else (self._load(trusted), now)

    def _listen(self) -> None:
        if not self._watches or self._read is None:
            return
        self._unwatch()
        self._unwatch = self._watch.listen(self._read.files, self._changed)

    async def _changed(self) -> None:
        await self.refresh(trusted=self._trusted)
