"""What we tell a language server that we can do."""

from pathlib import Path

from pilotfish.codeintel.servers.shapes import to_uri
from pilotfish.core.jsontypes import JsonObject

_LINKS: JsonObject = {"linkSupport": True}

CLIENT_CAPABILITIES: JsonObject = {
    "general": {"positionEncodings": ["utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": False,
        "configuration": True,
        "workspaceFolders": True,
        "didChangeConfiguration": {"dynamicRegistration": False},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "diagnostics": {"refreshSupport": True},
        "symbol": {"dynamicRegistration": False},
        "workspaceEdit": {"documentChanges": True},
    },
    "textDocument": {
        "synchronization": {"didSave": True},
        "publishDiagnostics": {"versionSupport": True, "relatedInformation": False},
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": False},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": _LINKS,
        "typeDefinition": _LINKS,
        "implementation": _LINKS,
        "references": {},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "callHierarchy": {},
        "rename": {"prepareSupport": True},
    },
}


def initialize_params(root: Path, process_id: int, options: JsonObject) -> JsonObject:
    """Return the parameters of ``initialize``."""
    uri = to_uri(root)
    return {
        "processId": process_id,
        "clientInfo": {"name": "pilotfish"},
        "rootUri": uri,
        "rootPath": str(root),
        "workspaceFolders": [{"uri": uri, "name": root.name or "workspace"}],
        "capabilities": CLIENT_CAPABILITIES,
        "initializationOptions": options,
    }
