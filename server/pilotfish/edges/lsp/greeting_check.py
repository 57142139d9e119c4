"""What is wrong with an ``initialize``.

Owns: the fields of the handshake that the server reads, by their path. Once it is answered there is
no refusing it any more.
Does not own: the answer (``edges.lsp.greeting``), capabilities that only the protocol's types know
(``edges.lsp.protocol``).

Imported first: keep to the standard library.
"""

from typing import Any, cast

_OBJECT, _TEXT, _TEXTS, _NUMBER = "an object", "a string", "a list of strings", "an integer"

_FIELDS: tuple[tuple[str, str], ...] = (
    ("processId", _NUMBER),
    ("rootUri", _TEXT),
    ("rootPath", _TEXT),
    ("locale", _TEXT),
    ("initializationOptions.ripgrep", _TEXT),
    ("clientInfo", _OBJECT),
    ("clientInfo.name", _TEXT),
    ("clientInfo.version", _TEXT),
    ("capabilities", _OBJECT),
    ("capabilities.workspace", _OBJECT),
    ("capabilities.textDocument", _OBJECT),
    ("capabilities.notebookDocument", _OBJECT),
    ("capabilities.window", _OBJECT),
    ("capabilities.general", _OBJECT),
    ("capabilities.general.positionEncodings", _TEXTS),
    ("capabilities.experimental.pilotfish", _OBJECT),
    ("capabilities.experimental.pilotfish.editor", _OBJECT),
    ("capabilities.experimental.pilotfish.elicitation", _OBJECT),
)
"""Where a field is there and not null it must be of that kind; parents stand before their fields."""


def envelope_problem(message: dict[str, Any]) -> str:
    """Return what is wrong with the request around the parameters; empty when nothing is."""
    if message.get("jsonrpc") != "2.0":
        return 'jsonrpc: must be "2.0"'
    identifier = message.get("id")
    if isinstance(identifier, bool) or not isinstance(identifier, int | str):
        return "id: must be an integer or a string"
    return ""


def initialize_problem(params: Any) -> str:
    """Return what is wrong with the parameters, by path; empty when nothing is."""
    if not isinstance(params, dict):
        return "params: an object is required"
    given = cast("dict[str, Any]", params)
    if given.get("capabilities") is None:
        return "capabilities: an object is required"
    for path, kind in _FIELDS:
        found = _at(given, path)
        if found is not None and not _is(found, kind):
            return f"{path}: must be {kind}"
    return _folders_problem(given.get("workspaceFolders"))


def _folders_problem(folders: Any) -> str:
    if folders is None:
        return ""
    if not isinstance(folders, list):
        return "workspaceFolders: must be a list"
    for index, folder in enumerate(cast("list[Any]", folders)):
        path = f"workspaceFolders[{index}]"
        if not isinstance(folder, dict):
            return f"{path}: must be an object"
        for field in ("uri", "name"):
            if not isinstance(cast("dict[str, Any]", folder).get(field), str):
                return f"{path}.{field}: must be a string"
    return ""


def _at(value: Any, path: str) -> Any:
    """Return what lies at a path; None where there is nothing."""
    for step in path.split("."):
        if not isinstance(value, dict):
            return None
        value = cast("dict[str, Any]", value).get(step)
    return value


def _is(value: Any, kind: str) -> bool:
    if kind == _OBJECT:
        return isinstance(value, dict)
    if kind == _TEXT:
        return isinstance(value, str)
    if kind == _NUMBER:
        is_whole = isinstance(value, float) and value.is_integer()  # some clients write 3.0
        return is_whole or (isinstance(value, int) and not isinstance(value, bool))
    return isinstance(value, list) and all(isinstance(one, str) for one in cast("list[Any]", value))
