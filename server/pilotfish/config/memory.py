"""What settings files said when they could last be read.

Owns: the last good layer of each file, for one process. A file that is being edited, or was saved
with a mistake, must not stop to forbid what it forbade.
Does not own: reading files (``sources``).
"""

import threading
from collections import OrderedDict
from pathlib import Path

from pilotfish.config.layers import Layer

MAX_FILES = 500
"""Files that are remembered; three for each project, and one of the user."""


class SettingsMemory:
    """Remembers layers by file. Settings are read in worker threads, so it may be used in several."""

    def __init__(self) -> None:
        self._layers: OrderedDict[Path, Layer] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, file: Path, layer: Layer) -> None:
        """Remember what a file says."""
        with self._lock:
            self._layers[file] = layer
            self._layers.move_to_end(file)
            if len(self._layers) > MAX_FILES:
                self._layers.popitem(last=False)

    def forget(self, file: Path) -> None:
        """Forget a file that was deleted."""
        with self._lock:
            self._layers.pop(file, None)

    def last_good(self, file: Path) -> Layer | None:
        """Return what a file said when it could last be read."""
        with self._lock:
            return self._layers.get(file)
