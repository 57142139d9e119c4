"""Getting a server's judgement of one version of a document.

Owns: asking or waiting, and being sure that the answer is about that version.
Does not own: documents and lists (``documents``, ``findings``), what is done with them.
See also: design §6.3.
"""

import asyncio
from pathlib import Path

from pilotfish.codeintel.servers.repeat import ask
from pilotfish.codeintel.servers.rpc import ServerFailure, ServerRefusal
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.shapes import as_list, as_object, from_uri, to_uri
from pilotfish.codeintel.servers.tsserver import ask_tsserver
from pilotfish.core.jsontypes import JsonValue

QUIET_S = 0.3
"""So long must a server publish nothing more for its list to count as complete (design §6.3)."""


async def judge(
    server: LanguageServer, path: Path, version: int, since: int, limit_s: float
) -> bool:
    """Wait until a server has judged a version of an open document.

    Args:
        server: Who judges.
        path: The document.
        version: Its version, which must stay the newest meanwhile.
        since: ``findings.number`` when that version was sent.
        limit_s: Longest wait.

    Returns:
        Whether ``server.findings`` holds its judgement of that version now.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limit_s
    while server.is_alive and (left := deadline - loop.time()) > 0:
        if server.pulls:
            return await _pull(server, path, left)
        came = server.findings.pushed_since(path, since, version)
        # A list without a version may be about half of the project while that is still being loaded.
        unsure = server.working_on and not server.findings.has_version(path)
        if came is None or unsure:
            await server.findings.wait(left)
            continue
        quiet = came + QUIET_S - loop.time()
        if quiet <= 0:
            return True
        await server.findings.wait(min(quiet, left))
    return False


async def judge_workspace(server: LanguageServer, path: Path, limit_s: float) -> bool:
    """Ask for the lists of the whole workspace; a server that takes too long rests from it.

    A server may keep back an answer that holds nothing until there is something to tell. So it is
    told that we know an older list of ``path``: then it has something.
    """
    if not server.pulls_workspace:
        return False
    known: JsonValue = {"uri": to_uri(path), "value": "older"}
    try:
        answer = await ask(server, "workspace/diagnostic", {"previousResultIds": [known]}, limit_s)
    except ServerRefusal:
        return False
    except ServerFailure:
        server.workspace_rest.begin()
        return False
    server.workspace_rest.end()
    lists: dict[Path, JsonValue] = {}
    for item in as_list(as_object(answer).get("items")):
        one = as_object(item)
        judged = from_uri(one.get("uri"))
        if judged is not None and one.get("kind") == "full":
            lists[judged] = one.get("items")
    server.findings.pulled_all(lists)
    return True


async def _pull(server: LanguageServer, path: Path, limit_s: float) -> bool:
    params: dict[str, JsonValue] = {"textDocument": {"uri": to_uri(path)}}
    try:
        if server.asks_tsserver:
            server.findings.pulled(path, await ask_tsserver(server, path, limit_s))
            return True
        report = as_object(await ask(server, "textDocument/diagnostic", params, limit_s))
    except ServerFailure:
        return False
    if report.get("kind") != "full":
        return False
    server.findings.pulled(path, report.get("items"))
    return True
