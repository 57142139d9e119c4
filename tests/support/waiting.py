"""Waiting for something that nothing announces, with a limit."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")

WAIT_S = 60.0
"""Longest wait of a test; a busy machine may take many times as long as a quiet one."""

LIMITS_S = (0.5, 2.0, 8.0, 32.0)
"""Limits for what is to be ended on its way. How long a busy machine needs to get under way is not known."""


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


async def under_way(attempt: Callable[[float], Awaitable[T]], has_begun: Callable[[T], bool]) -> T:
    """Try longer and longer limits; return the first result of an attempt that had begun when it was ended."""
    for limit_s in LIMITS_S:
        result = await attempt(limit_s)
        if has_begun(result):
            return result
    raise TimeoutError
