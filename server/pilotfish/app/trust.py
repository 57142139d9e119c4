"""``pilotfish trust``: the list of folders that the user vouches for."""

import sys
from collections.abc import Mapping
from pathlib import Path

from pilotfish.config.home import state_folder
from pilotfish.config.trust import TrustStore
from pilotfish.core.errors import SettingsError
from pilotfish.edges.headless.options import EXIT_DONE, EXIT_FAILED
from pilotfish.util.clock import SystemClock
from pilotfish.util.visible import visible


def set_trust(folder: Path, environment: Mapping[str, str], *, trusted: bool) -> int:
    """Put a folder on the list or take it off, and say so; returns the exit code."""
    store = TrustStore(state_folder(environment))
    try:
        if trusted:
            store.trust(folder, now_ms=SystemClock().now_ms())
        else:
            store.forget(folder)
    except SettingsError as error:
        sys.stderr.write(f"{visible(str(error))}\n")
        return EXIT_FAILED
    said = "is trusted." if trusted else "is not trusted."
    sys.stdout.write(f"{visible(str(folder))} {said}\n")
    return EXIT_DONE
