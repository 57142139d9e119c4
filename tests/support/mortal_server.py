"""A server that a test may kill, on a folder that outlives it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.support.stage import Stage, environment
from tests.support.wire_client import WireClient
from tests.support.wire_editor import WireEditor
from tools.fake_model import FakeModel


@asynccontextmanager
async def server(
    fake: FakeModel, folder: Path, *arguments: str, locale: str | None = None
) -> AsyncGenerator[Stage]:
    """Run a server on a folder that keeps its state; the test may kill it."""
    project = folder / "project"
    project.mkdir(exist_ok=True)
    client = await WireClient.start(
        environment(folder / "home", fake.url), cwd=folder, arguments=("--testing", *arguments)
    )
    try:
        await client.initialize(project, locale=locale)
        yield Stage(fake, client, WireEditor(client), folder / "home", project)
        if client.process.returncode is None:
            assert await client.stop() == 0
    finally:
        if client.process.returncode is None:
            client.process.kill()
        await client.wait_for_exit()
