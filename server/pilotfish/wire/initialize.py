"""What the editor sends along with ``initialize``."""

from typing import Any

from pydantic import Field

from pilotfish.wire.base import WireModel


class InitializationOptions(WireModel):
    """``initializationOptions`` of ``initialize``."""

    settings: dict[str, Any] = Field(default_factory=dict[str, Any])
    """The editor's ``pilotfish.*`` settings."""
    usual: dict[str, Any] = Field(default_factory=dict[str, Any])
    """What counts where no setting says anything, as a settings file would have it."""
    ripgrep: str | None = None
    """The editor's own ripgrep, an absolute path. It is looked at before it is taken."""
