"""A permission mode on the command line.

Owns: the option's type: completion and help list the modes, an older name is understood, and a mode
that cannot be chosen here is refused with its own reason (``config.modes``).
"""

import click

from pilotfish.config.modes import SETTABLE_MODES, read_settable_mode


class ModeType(click.Choice[str]):
    """One of the modes that the command line may choose."""

    def __init__(self) -> None:
        super().__init__(SETTABLE_MODES)

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the mode; fails with the reason why there is none."""
        reading = read_settable_mode(value)
        if reading.mode is None:
            self.fail(f"{reading.problem}.", param, ctx)
        return reading.mode
