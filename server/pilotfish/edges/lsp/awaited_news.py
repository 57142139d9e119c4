"""News of the editor that somebody waits for.

Owns: looking at what they bring at once. The next news may come in the same breath, and show a text in
which the user has typed on already.
Does not own: what is waited for (``edges.lsp.editor``).
"""

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Awaited(Generic[T]):
    """Something that the editor is to show."""

    def __init__(self, find: Callable[[], T | None], is_there: Callable[[T], bool]) -> None:
        """Wait for something.

        Args:
            find: Returns what the editor shows now; None when it does not show it.
            is_there: Tells whether that is what is waited for.
        """
        self._find = find
        self._is_there = is_there
        self._found: T | None = None
        self._news = asyncio.Event()

    def look(self) -> None:
        """Look whether it is there. Once it was, what follows is of no concern."""
        if self._found is None:
            now = self._find()
            if now is not None and self._is_there(now):
                self._found = now
        self._news.set()

    async def wait(self, patience_s: float) -> T | None:
        """Wait until it has been there, and return it.

        Returns None when the editor does not show it any more, and did not again within that time.
        """
        deadline: float | None = None
        while self._found is None:
            self._news.clear()
            is_shown = self._find() is not None
            if not is_shown and deadline is None:
                deadline = asyncio.get_running_loop().time() + patience_s
            try:
                async with asyncio.timeout_at(None if is_shown else deadline):
                    await self._news.wait()
            except TimeoutError:
                return None
        return self._found


class AwaitedNews:
    """Whoever waits for something."""

    def __init__(self) -> None:
        self._awaited: list[Awaited[Any]] = []

    def tell(self) -> None:
        """Have everybody look: the editor has told something."""
        for each in self._awaited:
            each.look()

    @contextmanager
    def awaiting(
        self, find: Callable[[], T | None], is_there: Callable[[T], bool]
    ) -> Generator[Awaited[T]]:
        """Look out for something from now on, before the editor is asked for it."""
        awaited = Awaited(find, is_there)
        self._awaited.append(awaited)
        try:
            yield awaited
        finally:
            self._awaited.remove(awaited)
