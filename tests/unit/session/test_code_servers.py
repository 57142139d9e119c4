"""A session's share of the language servers: what its memory of files means for them."""

from collections.abc import AsyncGenerator, Callable
from dataclasses import replace
from pathlib import Path

import pytest
from pilotfish.config.code_intelligence import CodeIntelligenceSettings, ServerEntry
from pilotfish.ports.editor import NoEditor
from pilotfish.session.code_servers import CodeServers, Permitted, access_from
from pilotfish.workspace.file_state import FileState, FileStates

from tests.support.servers import FakeScript, Workshop, workshop
from tests.support.waiting import until


@pytest.fixture
def fake(tmp_path: Path) -> FakeScript:
    return FakeScript(tmp_path / "fake")


@pytest.fixture
async def shop(tmp_path: Path, fake: FakeScript) -> AsyncGenerator[Workshop]:
    definition = replace(fake.definition, beside_editor=True)
    async with workshop(tmp_path / "project", [definition]) as shop:
        yield shop


def memory_of(shop: Workshop) -> FileStates:
    """Return the memory of files of a session that uses the workshop's servers."""
    files = FileStates()
    session_of(shop, files)
    return files


def session_of(shop: Workshop, files: FileStates) -> CodeServers:
    """Return the share of a session that may do what its settings say: all."""
    permitted = Permitted(access=shop.access)
    return CodeServers(shop.pool, NoEditor(), (shop.root,), files, permitted)


def read(files: FileStates, path: Path) -> None:
    files.record(path, FileState(origin="read", full=True, content_hash="x"))


FORGETTING: list[Callable[[FileStates], None]] = [FileStates.clear, FileStates.forget_reads]
"""A cleared conversation, and a compacted one."""


@pytest.mark.parametrize("forget", FORGETTING, ids=["cleared", "compacted"])
async def test_documents_are_closed_when_the_conversation_has_forgotten_what_it_read(
    shop: Workshop, fake: FakeScript, forget: Callable[[FileStates], None]
) -> None:
    files = memory_of(shop)
    path = shop.write("a.fk", "fine\n")
    read(files, path)
    await until(lambda: len(fake.heard("textDocument/didOpen")) == 1)
    forget(files)
    await until(lambda: len(fake.heard("textDocument/didClose")) == 1)
    # A later use opens it again, with its whole text.
    assert "a.fk:1:1: error: new" in await shop.edited("a.fk", "ERR(new)\n")
    texts = [one["textDocument"]["text"] for one in fake.heard("textDocument/didOpen")]
    assert texts == ["fine\n", "fine\n"]


async def test_what_others_have_looked_at_stays_open(shop: Workshop, fake: FakeScript) -> None:
    mine, other, agents = FileStates(), FileStates(), FileStates()
    session = session_of(shop, mine)
    session_of(shop, other)
    agent = session.for_agent((shop.root,), agents)
    shared, own = shop.write("shared.fk", "fine\n"), shop.write("own.fk", "fine\n")
    for files, path in ((mine, shared), (mine, own), (other, shared), (agents, shared)):
        read(files, path)
    await until(lambda: openers(shop) == {"shared.fk": 3, "own.fk": 1})
    mine.clear()
    await until(lambda: openers(shop) == {"shared.fk": 2})
    agent.close()
    await until(lambda: openers(shop) == {"shared.fk": 1})
    other.clear()
    await until(lambda: openers(shop) == {})
    await until(lambda: len(fake.heard("textDocument/didClose")) == 2)


def openers(shop: Workshop) -> dict[str, int]:
    """Return for how many conversations each document is open."""
    servers = shop.pool.alive()
    return {
        path.name: len(known.openers)
        for server in servers
        for path, known in server.documents._open.items()
    }


async def test_what_is_looked_at_for_a_conversation_that_is_over_is_closed_again(
    shop: Workshop, fake: FakeScript
) -> None:
    files = FileStates()
    session = session_of(shop, files)
    session.close()
    read(files, shop.write("a.fk", "fine\n"))  # what was still on its way when it ended
    await until(lambda: len(fake.heard("textDocument/didClose")) == 1)
    assert shop.pool.table()[0].documents == 0


async def test_a_file_that_is_read_is_looked_at_before_it_is_edited(
    shop: Workshop, fake: FakeScript
) -> None:
    files = memory_of(shop)
    read(files, shop.write("a.fk", "fine\n"))
    read(files, shop.write("a.txt", "nobody's\n"))
    await until(lambda: len(fake.heard("textDocument/didOpen")) == 1)
    assert shop.pool.table()[0].state == "running"


async def test_nothing_starts_for_a_reader_in_a_folder_that_is_not_trusted(
    shop: Workshop, fake: FakeScript
) -> None:
    files = FileStates()
    CodeServers(shop.pool, NoEditor(), (shop.root,), files)
    read(files, shop.write("a.fk", "fine\n"))
    files.read_again(shop.root / "a.fk")
    assert await shop.edited("a.fk", "fine too\n") == ""  # by the workshop's own, trusted access
    assert [one["textDocument"]["text"] for one in fake.heard("textDocument/didOpen")] == ["fine\n"]


async def test_a_file_that_is_read_again_once_the_folder_is_trusted_is_looked_at(
    shop: Workshop, fake: FakeScript
) -> None:
    files = FileStates()
    servers = CodeServers(shop.pool, NoEditor(), (shop.root,), files)
    path = shop.write("a.fk", "fine\n")
    read(files, path)
    servers._permitted.access = shop.access  # the user vouches for it
    files.read_again(path)
    await until(lambda: len(fake.heard("textDocument/didOpen")) == 1)


async def test_what_the_settings_say_of_a_server_counts_as_soon_as_they_are_changed(
    shop: Workshop, fake: FakeScript
) -> None:
    path = shop.write("a.fk", "fine\n")

    def entry(**settings: bool) -> ServerEntry:
        return ServerEntry(
            name="fake",
            argv=fake.definition.argv,
            languages=fake.definition.languages,
            root_markers=(),
            initialization_options=settings,
            settings={},
            env={},
        )

    def options() -> list[dict[str, bool]]:
        return [one["initializationOptions"] for one in fake.heard("initialize")]

    files = FileStates()
    servers = session_of(shop, files)
    for at, one in enumerate((entry(), entry(), entry(strict=True)), start=1):
        settings = CodeIntelligenceSettings(servers=(one,))
        servers._permitted.access = access_from(settings, (shop.root,), trusted=True)
        files.clear()
        read(files, path)
        await until(lambda at=at: len(fake.heard("textDocument/didOpen")) == at)
    assert options() == [{}, {"strict": True}]
