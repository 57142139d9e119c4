"""What a server would say of an edit that is not made.

Owns: showing a server the proposal for a moment and taking it back, whatever happens.
Does not own: the comparison (``codeintel.semantic``), the dialog.
See also: design §6.6.
"""

import asyncio
from collections.abc import Awaitable, Mapping, Sequence
from pathlib import Path

from pilotfish.codeintel.servers.documents import Opener
from pilotfish.codeintel.servers.judge import judge, judge_workspace
from pilotfish.codeintel.servers.rpc import ServerFailure
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.ports.diagnostics import Problem
from pilotfish.util.records import dataclass

Lists = Mapping[Path, Sequence[Problem]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Proposed:
    """A change of one file that is not made."""

    path: Path
    old_text: str | None
    """None when the file does not exist."""
    new_text: str


async def judge_shadow(
    server: LanguageServer, changes: Sequence[Proposed], limit_s: float, opener: Opener
) -> tuple[Lists, Lists] | None:
    """Return the problems without and with changes; None when that takes too long.

    The files are on the disk as they were, and so is afterwards what the server sees.

    Args:
        server: Who is asked.
        changes: What is proposed.
        limit_s: Longest wait.
        opener: Who asks.
    """
    try:
        async with asyncio.timeout(limit_s), server.turn_of(opener):
            return await _judge_both(server, changes, limit_s)
    except (TimeoutError, ServerFailure):
        return None


async def _judge_both(
    server: LanguageServer, changes: Sequence[Proposed], limit_s: float
) -> tuple[Lists, Lists] | None:
    findings = server.findings
    present = [(one.path, one.old_text) for one in changes if one.old_text is not None]
    if not await look_at_all(server, present, limit_s):
        return None
    first = changes[0].path
    whole = await judge_workspace(server, first, limit_s)
    kept = findings.copy_lists()
    paths = [one.path for one in changes]
    before = dict(findings.known()) if whole else {path: findings.of(path) for path in paths}
    before |= {one.path: () for one in changes if one.old_text is None}
    try:
        if not await look_at_all(server, [(one.path, one.new_text) for one in changes], limit_s):
            return None
        if whole:
            await judge_workspace(server, first, limit_s)
        after = dict(findings.known()) if whole else {path: findings.of(path) for path in paths}
    finally:
        if server.is_alive:
            for one in changes:
                _take_back(server, one)
        findings.put_lists(kept)
    return before, after


def _take_back(server: LanguageServer, proposed: Proposed) -> None:
    path = proposed.path
    if proposed.old_text is None:
        server.documents.close(path)
        server.findings.forget(path)
    else:
        server.sync(path, proposed.old_text)
    # What was pushed up to here may be about the proposal.
    server.findings.judged.pop(path, None)
    server.findings.valid_from[path] = server.findings.number


async def look_at_all(
    server: LanguageServer, texts: Sequence[tuple[Path, str]], limit_s: float
) -> bool:
    """Show texts and have all judged together, for one may depend on another.

    Returns:
        Whether all of them are judged. ``server.turn`` must be held.
    """
    looks: list[Awaitable[bool]] = []
    for path, text in texts:
        version = server.sync(path, text)
        if server.pulls or server.findings.judged.get(path) != version:
            valid_from = server.findings.valid_from.get(path, -1)
            looks.append(_look(server, path, version, valid_from, limit_s))
    return all(await asyncio.gather(*looks))


async def _look(
    server: LanguageServer, path: Path, version: int, since: int, limit_s: float
) -> bool:
    judged = await judge(server, path, version, since, limit_s)
    if judged:
        server.findings.judged[path] = version
    return judged
