"""Asking the compiler behind ``typescript-language-server`` what is wrong with a file.

Owns: the request, and its answer as the protocol has diagnostics.
Does not own: when it is asked (``judge``).

By itself that server tells of a list when it has changed, without a version: of a clean file that an edit
leaves clean nothing comes, and nobody can tell that from a judgement that is still to come.
"""

from pathlib import Path

from pilotfish.codeintel.servers.repeat import ask
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.shapes import as_list, as_number, as_object, get_in, to_uri
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
        limit_s: Longest wait for each of the answers.

    Raises:
        ServerFailure: No answer in time, or the server does not want to give one.
    """
    found: list[JsonValue] = []
    for request in _REQUESTS:
        params: JsonObject = {
            "command": server.TSSERVER_COMMAND,
            "arguments": [request, {"file": to_uri(path)}],
        }
        answer = await ask(server, "workspace/executeCommand", params, limit_s)
        found += [_diagnostic(as_object(one)) for one in as_list(as_object(answer).get("body"))]
    return found


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
