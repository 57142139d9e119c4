"""Which models a server says it has.

Owns: asking once in a while, in the background; the latest answer; its limits.
Does not own: how a server is asked (the providers), what is shown of it (``session.model_options``).
"""

import asyncio
import logging
from collections.abc import Callable
from typing import Protocol

from pilotfish.llm.errors import ModelError
from pilotfish.ports.clock import ClockPort
from pilotfish.util.tasks import TaskScope

logger = logging.getLogger(__name__)

KEPT_S = 600.0
"""How long an answer counts."""

MISSED_S = 5.0
"""How long it counts that there was none: the server may be starting, or the machine busy."""

LIMIT_S = 30.0
"""How long a server may take, with the loading of its client; nobody waits for it."""

MAX_MODELS = 200
"""Most models that are offered: some servers list thousands."""

MAX_NAME_CHARS = 200


class ModelLister(Protocol):
    """A provider whose server can be asked."""

    async def list_models(self) -> list[str]:
        """Return the names that the server gives its models.

        Raises:
            ModelError: It does not say.
        """
        ...

    async def close(self) -> None:
        """Release connections."""
        ...


class ListedModels:
    """What one server offers. Looking never waits; the answer is there the next time."""

    def __init__(self, lister: Callable[[], ModelLister], clock: ClockPort) -> None:
        """Ask nobody yet; ``lister`` is called when it comes to that."""
        self._lister = lister
        self._clock = clock
        self._names: tuple[str, ...] = ()
        self._ask_from_s: float | None = None
        """When to ask again; None before the first time."""
        self._tasks = TaskScope("listed models")

    def look(self) -> tuple[str, ...]:
        """Return the names that are known, and ask again where they are old."""
        now = self._clock.monotonic_s()
        if self._ask_from_s is None or now > self._ask_from_s:
            self._ask_from_s = now + KEPT_S
            self._tasks.start(self._ask(), name="ask")
        return self._names

    async def close(self) -> None:
        """Stop asking."""
        await self._tasks.close()

    async def _ask(self) -> None:
        lister = self._lister()
        try:
            async with asyncio.timeout(LIMIT_S):
                found = await lister.list_models()
        except (ModelError, TimeoutError) as error:
            logger.info("the server does not say which models it has: %s", error)
            self._ask_from_s = self._clock.monotonic_s() + MISSED_S
            return
        finally:
            await lister.close()
        fitting = (name for name in found if 0 < len(name) <= MAX_NAME_CHARS and name.isprintable())
        self._names = tuple(dict.fromkeys(fitting))[:MAX_MODELS]
