"""Waiting for something that nothing announces, with a limit."""

import asyncio
from collections.abc import Awaitable, Callable

WAIT_S = 60.0
"""Longest wait of a test; a busy machine may take many times as long as a quiet one."""


async def until(condition: Callable[[], bool], *, limit_s: float = WAIT_S) -> None:
    """Wait until a condition holds; fails at the limit."""
    async with asyncio.timeout(limit_s):
        while not condition():  # noqa: ASYNC110 - the condition is the world's, not ours to signal
            await asyncio.sleep(0.005)


async def until_answer(ask: Callable[[], Awaitable[bool]], *, limit_s: float = WAIT_S) -> None:
    """Ask again and again until the answer is yes; fails at the limit."""
    async with asyncio.timeout(limit_s):
        while not await ask():  # noqa: ASYNC110 - nothing announces it
            await asyncio.sleep(0.005)
