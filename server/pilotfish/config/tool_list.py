"""``tools`` of a settings file: which tools go with every request, and which the model has to look for.

Owns: the key and what it means. Does not own: which tools can wait (each tool's ``spec``).
See also: design 02 §10.7.
"""

from typing import TypeAlias

from pydantic import Field

from pilotfish.config.section import Section

ToolDeferral: TypeAlias = str
"""``on``, ``off``, ``auto`` or ``auto:N`` with a share of the model's window in percent."""

USUAL_PERCENT = 10
"""What ``auto`` alone means."""


class ToolsSection(Section):
    """``tools`` of a settings file."""

    deferral: ToolDeferral | None = Field(default=None, pattern=r"^(on|off|auto(:\d{1,3})?)$")


def must_defer(deferral: ToolDeferral, *, tokens: int, window_tokens: int) -> bool:
    """Tell whether tools that can wait are left out of the list.

    Args:
        deferral: The setting.
        tokens: What they would take in every request.
        window_tokens: The model's window.
    """
    if deferral in ("on", "off"):
        return deferral == "on"
    percent = int(deferral.partition(":")[2] or USUAL_PERCENT)
    if percent <= 0 or percent >= 100:
        return percent <= 0
    return tokens * 100 > window_tokens * percent
