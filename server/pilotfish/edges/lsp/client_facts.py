"""What the client says of itself.

Owns: reading ``initialize`` and changed settings for the engine.
Does not own: whether they are well formed (``edges.lsp.greeting_check``), the engine.
"""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

from pygls.lsp.server import LanguageServer

from pilotfish.edges.lsp.addresses import path_of
from pilotfish.edges.lsp.capabilities import json_at
from pilotfish.edges.lsp.editor_settings import settings_from_editor, trust_from_editor
from pilotfish.ports.editor import EditorPort
from pilotfish.session.manager import SessionManager
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True)
class ClientFacts:
    """What the client said in ``initialize``, as far as the engine cares."""

    roots: tuple[Path, ...]
    settings: dict[str, Any]
    """The editor's ``pilotfish.*`` settings."""
    usual: dict[str, Any]
    """What counts where no setting says anything, as a settings file would have it."""
    trusted: bool | None
    """Whether the editor trusts the workspace; None when it does not say."""
    ripgrep: str | None
    """What it calls its own ripgrep; nobody has looked at it. No setting of a workspace can name one."""
    locale: str | None
    """Its display language, such as ``zh-cn``."""


BuildManager = Callable[[ClientFacts, EditorPort], Awaitable[SessionManager]]
"""Builds the engine for a connection; given by the composition root."""


def facts_of(params: dict[str, Any]) -> ClientFacts:
    """Return what ``initialize`` says; the workspace folders are asked for when they are needed."""
    options = json_object(params.get("initializationOptions"))
    return ClientFacts(
        roots=(),
        settings=settings_from_editor(json_object(options.get("settings"))),
        usual=settings_from_editor(json_object(options.get("usual"))),
        trusted=trust_from_editor(capabilities_of(params)),
        ripgrep=options.get("ripgrep"),
        locale=params.get("locale"),
    )


def capabilities_of(params: dict[str, Any]) -> dict[str, Any]:
    """Return ``capabilities.experimental.pilotfish``; empty when the client does not know us."""
    return json_object(json_at(params, "capabilities", "experimental", "pilotfish"))


def knows_snippets(params: dict[str, Any]) -> bool:
    """Tell whether the editor fills in the places of a completion's text."""
    path = ("capabilities", "textDocument", "completion", "completionItem", "snippetSupport")
    return json_at(params, *path) is True


def json_object(value: Any) -> dict[str, Any]:
    """Return a JSON object, or an empty one for anything else."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def roots_of(server: LanguageServer) -> tuple[Path, ...]:
    """Return the workspace folders as paths, the first one first."""
    folders = [folder.uri for folder in server.workspace.folders.values()]
    if not folders and server.workspace.root_uri:
        folders = [server.workspace.root_uri]
    return tuple(path for path in map(path_of, folders) if path is not None)
