"""When something that took too long is worth another try.

Owns: pauses that grow while it goes on taking too long.
"""

import asyncio

FIRST_S = 60.0
"""How long it is left alone after the first time; each further pause is four times as long."""

LAST_S = 1_800.0
"""The longest such pause: a project may become smaller, or what it costs be remembered."""


class Rest:
    """A pause, or none."""

    def __init__(self) -> None:
        self._next_s = FIRST_S
        self._until = 0.0

    @property
    def is_over(self) -> bool:
        """Whether it may be tried."""
        return asyncio.get_running_loop().time() >= self._until

    def begin(self) -> None:
        """Leave it alone for a while: it took too long."""
        self._until = asyncio.get_running_loop().time() + self._next_s
        self._next_s = min(4 * self._next_s, LAST_S)

    def end(self) -> None:
        """Say that it took no longer than it may."""
        self._next_s = FIRST_S
