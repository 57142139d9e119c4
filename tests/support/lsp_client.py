"""A real LSP client (pygls, through pytest-lsp) and the server as a process of its own."""

import sys
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.support.stage import environment


async def start_client(
    folder: Path, capabilities: types.ClientCapabilities, **options: Any
) -> LanguageClient:
    """Start a server for a folder, with settings of code intelligence."""
    client = LanguageClient()

    def published(params: types.PublishDiagnosticsParams) -> None:
        client.diagnostics[params.uri] = params.diagnostics

    cast("Any", client).feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)(published)
    await cast("Any", client).start_io(  # its extra arguments have no types
        sys.executable, "-m", "pilotfish", "serve", env=environment(folder / "home")
    )
    await client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            workspace_folders=[types.WorkspaceFolder(uri=folder.as_uri(), name="code")],
            initialization_options={"settings": {"codeIntelligence": options}},
        )
    )
    return client
