"""The settings that hold for one session.

Owns: what was last read, reading it again one at a time, and following the files between turns.
Does not own: which layers there are (``session.session_settings``), what follows from a change (whoever
is told of it).
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from pilotfish.config.layers import Layer
from pilotfish.config.schema import LoadedSettings, Settings
from pilotfish.config.sources import load_settings, read_settings
from pilotfish.config.watch import FilePrint
from pilotfish.session.factory import NewSession
from pilotfish.session.services import Services
from pilotfish.session.session_settings import settings_sources


class SettingsInUse:
    """Settings as last read, and whoever takes them over."""

    def __init__(
        self,
        services: Services,
        options: NewSession,
        loaded: LoadedSettings,
        take: Callable[[], None],
    ) -> None:
        """Begin with what was read.

        Args:
            services: What the process shares.
            options: What the session was asked for with.
            loaded: What the files say.
            take: Called after each reading, with nothing between: the session takes it over.
        """
        self._services = services
        self._options = options
        self.loaded = loaded
        self._take = take
        self._reading = asyncio.Lock()
        """Held while settings are read, so that an earlier state never replaces a later one."""
        self._unwatch: Callable[[], None] = lambda: None

    @property
    def settings(self) -> Settings:
        """What they say."""
        return self.loaded.settings

    @property
    def trusted(self) -> bool:
        """Whether the folder is trusted."""
        return self.loaded.trusted

    async def refresh(self) -> None:
        """Read them again: files may have changed."""
        sources = settings_sources(self._services, self._options)
        async with self._reading:
            self.loaded = await asyncio.to_thread(load_settings, sources)
            self._take()

    async def refresh_by_layer(self) -> list[Layer]:
        """Read them again and return what each file says, too."""
        sources = settings_sources(self._services, self._options)
        async with self._reading:
            self.loaded, layers = await asyncio.to_thread(read_settings, sources)
            self._take()
        return layers

    def watch(
        self, seen: Mapping[Path, FilePrint], on_change: Callable[[], Awaitable[None]]
    ) -> None:
        """Follow the files, which had this state when they were read."""
        self._unwatch = self._services.settings_watch.listen(seen, on_change)

    def close(self) -> None:
        """Follow them no longer."""
        self._unwatch()
