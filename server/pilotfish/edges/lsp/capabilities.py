"""What the server can do, as plain data.

Owns: the answer to ``initialize``. A test checks that it is valid LSP and that every capability
named here has a handler.

Imported before anything heavy: keep to the standard library.
"""

from typing import Any, cast

from pilotfish import __version__
from pilotfish.edges.modes import MODES

PROTOCOL_VERSION = 1
"""Version of the agent channel; must equal ``wire.methods.PROTOCOL_VERSION`` (tested)."""

SESSION_METHODS = (
    "session/new",
    "session/load",
    "session/resume",
    "session/list",
    "session/close",
    "session/delete",
    "session/prompt",
    "session/cancel",
    "session/set_mode",
    "session/set_config_option",
)

TESTING_METHODS = tuple(f"_pilotfish/testing/{name}" for name in ("stats", "reset", "clock"))
"""Equal to ``wire.testing.TESTING_METHODS`` (tested)."""

COMPLETION_TRIGGERS = ('"',)
"""Characters after which an editor asks for completions."""

_INCREMENTAL = 2
_UTF16 = "utf-16"


def initialize_result(params: dict[str, Any], *, testing: bool) -> dict[str, Any]:
    """Return the result of ``initialize``.

    Args:
        params: The client's parameters.
        testing: Whether the testing methods are on.
    """
    methods = [*SESSION_METHODS]
    if testing:
        methods += TESTING_METHODS
    return {
        "capabilities": {
            "positionEncoding": _UTF16,
            "textDocumentSync": {
                "openClose": True,
                "change": _INCREMENTAL,
                "save": {"includeText": False},
            },
            "hoverProvider": True,
            "completionProvider": {"triggerCharacters": list(COMPLETION_TRIGGERS)},
            # The cells of an open notebook, to know whether they are saved.
            "notebookDocumentSync": {"notebookSelector": [{"notebook": "*"}], "save": False},
            **_code_lenses(params),
            **_code_features(params),
            "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor"]},
            "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
            "experimental": {
                "pilotfish": {
                    "protocolVersion": PROTOCOL_VERSION,
                    "version": __version__,
                    "modes": [dict(mode) for mode in MODES],
                    "methods": methods,
                    "agentCapabilities": {
                        "loadSession": True,
                        "promptCapabilities": {"image": True, "embeddedContext": True},
                        "sessionCapabilities": {
                            "list": {},
                            "delete": {},
                            "resume": {},
                            "fork": {},
                            "close": {},
                        },
                    },
                }
            },
        },
        "serverInfo": {"name": "pilotfish", "version": __version__},
    }


def _code_lenses(params: dict[str, Any]) -> dict[str, Any]:
    """Return the lenses; they are off unless the user wants them, then the editor looks again."""
    return {"codeLensProvider": {"resolveProvider": False}} if starts_prompts(params) else {}


def _code_features(params: dict[str, Any]) -> dict[str, Any]:
    """Return what the server knows of code.

    An editor that says which languages nobody else serves is told later, for these alone.
    """
    if tells_languages(params):
        return {}
    features: dict[str, Any] = {
        "documentSymbolProvider": True,
        "foldingRangeProvider": True,
        "selectionRangeProvider": True,
        "definitionProvider": True,
        "referencesProvider": True,
        "callHierarchyProvider": True,
        "renameProvider": True,
        "workspaceSymbolProvider": True,
    }
    if pulls_diagnostics(params):
        features["diagnosticProvider"] = {
            "identifier": "pilotfish",
            "interFileDependencies": False,
            "workspaceDiagnostics": False,
        }
    return features


def tells_languages(params: dict[str, Any]) -> bool:
    """Tell whether the editor will say for which languages nobody else provides anything."""
    path = ("capabilities", "experimental", "pilotfish", "editor", "languages")
    return json_at(params, *path) is True


def starts_prompts(params: dict[str, Any]) -> bool:
    """Tell whether the editor knows the command of code actions and lenses."""
    path = ("capabilities", "experimental", "pilotfish", "editor", "startPrompt")
    return json_at(params, *path) is True


def pulls_diagnostics(params: dict[str, Any]) -> bool:
    """Tell whether the editor asks for diagnostics by itself."""
    return isinstance(json_at(params, "capabilities", "textDocument", "diagnostic"), dict)


def json_at(value: Any, *path: str) -> Any:
    """Return what lies at a path of a JSON object; None where there is nothing."""
    for step in path:
        if not isinstance(value, dict):
            return None
        value = cast("dict[str, Any]", value).get(step)
    return value
