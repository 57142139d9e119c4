"""Asking several sources: one that is broken costs what it alone knows."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pilotfish.codeintel.silent_source import SilentSource
from pilotfish.codeintel.sources import CodeSources, Told
from pilotfish.ports.code import LocateKind, Location, Position, Span, Symbol
from typing_extensions import override

PATH, PLACE = Path("/a.py"), Position(0, 0)
HERE = Location(PATH, Span(PLACE, PLACE))


class Broken(SilentSource):
    """Raises at each question it is asked here."""

    name = "the broken one"

    @override
    async def locate(
        self, kind: LocateKind, path: Path, position: Position
    ) -> Sequence[Location] | None:
        raise KeyError(kind)

    @override
    async def hover(self, path: Path, position: Position) -> str | None:
        raise RuntimeError("lost")

    @override
    async def workspace_symbols(self, query: str, limit: int) -> Sequence[Symbol] | None:
        raise ValueError(query)

    @override
    async def loading(self, path: Path | None) -> Sequence[str]:
        raise OSError("gone")

    @override
    async def failures(self, path: Path | None) -> Sequence[str]:
        raise OSError("gone")


class Knowing(SilentSource):
    """Knows a little."""

    name = "the other one"

    @override
    async def locate(
        self, kind: LocateKind, path: Path, position: Position
    ) -> Sequence[Location] | None:
        return [HERE]

    @override
    async def hover(self, path: Path, position: Position) -> str | None:
        return "```python\nx\n```"

    @override
    async def loading(self, path: Path | None) -> Sequence[str]:
        return ["the index"]

    @override
    async def failures(self, path: Path | None) -> Sequence[str]:
        return ["ruff has ended"]


async def test_a_source_that_raises_is_followed_by_the_next_and_named_in_the_log(
    caplog: pytest.LogCaptureFixture,
) -> None:
    sources = CodeSources([Broken(), Knowing()])
    told = await sources.locate("definition", PATH, PLACE)
    assert told == Told([HERE], "the other one")
    assert await sources.hover(PATH, PLACE) == Told("```python\nx\n```", "the other one")
    assert await sources.workspace_symbols("x", 1) is None
    assert await sources.loading(PATH, told) == ("the index",)
    assert await sources.failures(PATH, told) == ("ruff has ended",)
    assert [record.message.partition(" failed")[0] for record in caplog.records] == [
        "the broken one"
    ] * 5
    assert "KeyError" in caplog.text
