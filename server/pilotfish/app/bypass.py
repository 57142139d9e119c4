"""Whether this process may bypass permissions at all.

Owns: the check for root outside of a container. Does not own: settings that switch it off.
"""

import os
from collections.abc import Mapping
from pathlib import Path


def bypass_refusal(environment: Mapping[str, str]) -> str:
    """Return why permissions must not be bypassed in this process; empty when they may."""
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    in_container = (
        environment.get("PILOTFISH_SANDBOX") == "1"
        or Path("/.dockerenv").exists()
        or Path("/run/.containerenv").exists()
    )
    if is_root and not in_container:
        return (
            "Bypassing permissions is not possible as root outside a container. "
            "Set PILOTFISH_SANDBOX=1 if this machine is a sandbox."
        )
    return ""
