"""Fixtures of the end-to-end tests.

One server is shared by most tests, since starting one takes longer than most tests; each test has
a project folder and sessions of its own, and leaves no process behind. Tests that end a server, or
need one that starts otherwise, have their own.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from tests.support.code_editor import CodeEditor
from tests.support.stage import Stage


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    async with Stage.open(tmp_path_factory.mktemp("stage")) as stage:
        yield stage


@pytest_asyncio.fixture(loop_scope="session")
async def stage(shared_stage: Stage, tmp_path: Path) -> AsyncIterator[Stage]:
    shared_stage.project = tmp_path / "project"
    shared_stage.project.mkdir()
    shared_stage.play([])
    yield shared_stage
    await shared_stage.clear()
    assert shared_stage.fake.problems == []
    assert shared_stage.fake.unused_turns == []


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def shared_code_stage(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Stage]:
    """An editor that answers questions about code: for modules that take it as ``shared_stage``."""
    folder = tmp_path_factory.mktemp("code")
    async with Stage.open(folder, editor={"save": True, "code": True}) as stage:
        yield stage


@pytest.fixture
def code(stage: Stage) -> CodeEditor:
    return CodeEditor(stage.client)
