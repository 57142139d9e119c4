"""A folder that the editor has open under another name than its real one, and files that are none."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from lsprotocol import types
from pytest_lsp import LanguageClient

from tests.support.lsp_client import start_client
from tests.support.waiting import until_answer

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "from lib import far\n\n\ndef near(): ...\n\n\nnear()\nfar()\n"


@asynccontextmanager
async def opened(folder: Path, uri: str) -> AsyncGenerator[LanguageClient]:
    """Start a server for a folder, with a document open."""
    client = await start_client(folder, types.ClientCapabilities())
    item = types.TextDocumentItem(uri=uri, language_id="python", version=1, text=TEXT)
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    try:
        yield client
    finally:
        await client.shutdown_session()
        await client.stop()


async def places_of(client: LanguageClient, uri: str, line: int) -> list[str]:
    """Ask where the name at the beginning of a line is defined; returns addresses with lines."""
    found = await client.text_document_definition_async(
        types.DefinitionParams(types.TextDocumentIdentifier(uri), types.Position(line, 1))
    )
    places = found if isinstance(found, list) else []
    assert all(isinstance(one, types.Location) for one in places)
    return [
        f"{one.uri}:{one.range.start.line}" for one in places if isinstance(one, types.Location)
    ]


def linked(tmp_path: Path) -> Path:
    real, link = tmp_path / "real", tmp_path / "link"
    real.mkdir()
    link.symlink_to(real)
    (real / "lib.py").write_text("def far(): ...\n")
    (real / "use.py").write_text(TEXT)
    return link


def as_named(folder: Path) -> str:
    return folder.as_uri()


def with_host(folder: Path) -> str:
    return folder.resolve().as_uri().replace("file:///", "file://localhost/")


@pytest.mark.parametrize("spelling", [as_named, with_host])
async def test_answers_come_in_the_spelling_of_the_editor(
    tmp_path: Path, spelling: Callable[[Path], str]
) -> None:
    link = linked(tmp_path)
    uri = f"{spelling(link)}/use.py"
    async with opened(link, uri) as client:

        async def is_ready() -> bool:
            return bool(await places_of(client, uri, 7))

        await until_answer(is_ready)
        assert await places_of(client, uri, 6) == [f"{link.as_uri()}/use.py:3"]
        assert await places_of(client, uri, 7) == [f"{link.as_uri()}/lib.py:0"]
        found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("far"))
        assert [one.location.uri for one in found or ()] == [f"{link.as_uri()}/lib.py"]


async def test_a_document_that_is_open_by_its_real_path_is_answered_by_it(tmp_path: Path) -> None:
    link = linked(tmp_path)
    uri = f"{link.resolve().as_uri()}/use.py"
    async with opened(link, uri) as client:

        async def is_ready() -> bool:
            return bool(await places_of(client, uri, 7))

        await until_answer(is_ready)
        assert await places_of(client, uri, 6) == [f"{uri}:3"]
        assert await places_of(client, uri, 7) == [f"{link.as_uri()}/lib.py:0"]


@pytest.mark.parametrize("name", ["circle/use.py", "nul%00.py"])
async def test_a_document_that_can_be_no_file_is_answered_about_without_an_error(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    uri = f"{tmp_path.as_uri()}/{name}"
    document = types.TextDocumentIdentifier(uri)
    async with opened(tmp_path, uri) as client:
        await places_of(client, uri, 6)
        await client.text_document_hover_async(types.HoverParams(document, types.Position(6, 1)))
        found = await client.text_document_document_symbol_async(
            types.DocumentSymbolParams(document)
        )
        assert [one.name for one in found or ()] == ["near"]
