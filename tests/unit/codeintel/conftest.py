"""A language server that is played, and a project whose files it judges."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.servers import FakeScript, Workshop, workshop


@pytest.fixture
def fake(tmp_path: Path) -> FakeScript:
    return FakeScript(tmp_path / "fake")


@pytest.fixture
async def shop(tmp_path: Path, fake: FakeScript) -> AsyncGenerator[Workshop]:
    async with workshop(tmp_path / "project", [fake.definition]) as shop:
        yield shop
