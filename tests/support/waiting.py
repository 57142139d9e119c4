"""Waiting for something that nothing announces, with a limit."""

import asyncio
from collections.abc import Callable

WAIT_S = 10.0
"""Longest wait of a test."""


async def until(condition: Callable[[], bool], *, limit_s: float = WAIT_S) -> None:
    """Wait until a condition holds; fails at the limit."""
    async with asyncio.timeout(limit_s):
        while not condition():  # noqa: ASYNC110 - the condition is the world's, not ours to signal
            await asyncio.sleep(0.005)
