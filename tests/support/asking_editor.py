"""An editor that asks about code where language servers of ours may run."""

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from tests.support.stage import Stage, path_with_own_programs
from tests.support.waiting import until_answer

DEFINITION = "textDocument/definition"
HOVER = "textDocument/hover"
REFERENCES = "textDocument/references"

LIMIT_S = 120.0
"""A server that is slow to answer on a busy machine is left out for a while, then asked again."""


@asynccontextmanager
async def opened(tmp_path: Path, **servers: Any) -> AsyncGenerator[Stage]:
    """Open a stage with the clone's own language servers, and with settings for servers."""
    settings = tmp_path / "home" / ".pilotfish" / "settings.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"codeIntelligence": {"servers": servers}}))
    async with Stage.open(tmp_path, variables={"PATH": path_with_own_programs()}) as stage:
        yield stage


def at(path: Path, line: int, character: int) -> dict[str, Any]:
    """Return what a question about a place is about."""
    place = {"line": line, "character": character}
    return {"textDocument": {"uri": path.as_uri()}, "position": place}


def uses_of(path: Path, line: int, character: int, *, declared: bool = True) -> dict[str, Any]:
    """Return what a question about the uses of a name is about."""
    return at(path, line, character) | {"context": {"includeDeclaration": declared}}


async def places(stage: Stage, method: str, params: dict[str, Any]) -> set[tuple[str, int, int]]:
    """Ask; returns file, line and character of each answer."""
    found: list[dict[str, Any]] = await stage.client.request(method, params) or []
    starts = [(str(one["uri"]), one["range"]["start"]) for one in found]
    return {(uri.rsplit("/", 1)[-1], start["line"], start["character"]) for uri, start in starts}


async def until_found(
    stage: Stage, method: str, params: dict[str, Any], expected: set[tuple[str, int, int]]
) -> None:
    """Ask until the answer is as expected: servers start in the background."""

    async def is_so() -> bool:
        return await places(stage, method, params) == expected

    await until_answer(is_so, limit_s=LIMIT_S)


async def hover(stage: Stage, path: Path, line: int, character: int) -> str:
    """Return what is shown at a place; empty for nothing."""
    told = await stage.client.request(HOVER, at(path, line, character))
    return "" if told is None else told["contents"]["value"]


async def until_shown(stage: Stage, place: tuple[Path, int, int], text: str) -> None:
    """Ask until something is shown at a place."""

    async def is_so() -> bool:
        return text in await hover(stage, *place)

    await until_answer(is_so, limit_s=LIMIT_S)


async def servers(stage: Stage) -> list[str]:
    """Return the names of the language servers that run."""
    found = [one for one in await stage.children() if one["purpose"] == "language_server"]
    return sorted(one["label"] for one in found)
