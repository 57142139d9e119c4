"""Asking the compiler behind ``typescript-language-server`` what is wrong with a file.

Owns: the request, and its answer as the protocol has diagnostics.
Does not own: when it is asked (``judge``).

By itself that server tells of a list when it has changed, without a version: of a clean file that an edit
leaves clean nothing comes, and nobody can tell that from a judgement that is still to come.

What it passes on is an answer only with a list. Of a compiler that was cancelled, has died or was never
there it says so in place of an error, and a file is not clean because nobody looked at it.
"""

import asyncio
from pathlib import Path

from pilotfish.codeintel.servers.repeat import ask
from pilotfish.codeintel.servers.rpc import ServerFailure
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.shapes import as_number, as_object, get_in, to_uri
from pilotfish.core.jsontypes import JsonObject, JsonValue

_REQUESTS = ("syntacticDiagnosticsSync", "semanticDiagnosticsSync")
"""What errors and warnings are found by; a third one makes suggestions."""

_SEVERITIES: dict[JsonValue, int] = {"error": 1, "warning": 2}
_HINT = 4


async def ask_tsserver(server: LanguageServer, path: Path, limit_s: float) -> list[JsonValue]:
    """Return the diagnostics of an open document as it is now.

    Args:
        server: A server with ``asks_tsserver``.
        path: The document.
        limit_s: Longest wait for all of the answers.

    Raises:
        ServerFailure: No answer in time, or one that is none.
    """
    loop = asyncio.get_running_loop()
    deadline = loop.time() + limit_s
    found: list[JsonValue] = []
    for request in _REQUESTS:
        params: JsonObject = {
            "command": server.TSSERVER_COMMAND,
            "arguments": [request, {"file": to_uri(path)}],
        }
        left_s = max(deadline - loop.time(), 0)
        answer = as_object(await ask(server, "workspace/executeCommand", params, left_s))
        found += [_diagnostic(as_object(one)) for one in _body(request, answer)]
    return found


def _body(request: str, answer: JsonObject) -> list[JsonValue]:
    body = answer.get("body")
    if not isinstance(body, list):
        raise ServerFailure(f"no answer to {request}: {answer.get('type') or 'nothing'}")
    return body


def _diagnostic(item: JsonObject) -> JsonObject:
    return {
        "range": {"start": _position(item, "start"), "end": _position(item, "end")},
        "severity": _SEVERITIES.get(item.get("category"), _HINT),
        "code": item.get("code"),
        "source": item.get("source") or "typescript",
        "message": item.get("text"),
    }


def _position(item: JsonObject, end: str) -> JsonObject:
    """Return a position, which the compiler counts from 1; one that is torn is no position."""
    line, offset = (as_number(get_in(item, end, key)) for key in ("line", "offset"))
    return {} if line is None or offset is None else {"line": line - 1, "character": offset - 1}
