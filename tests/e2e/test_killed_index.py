"""The server is killed while it makes the index, and started again."""

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from pilotfish.codeintel.index.layout import connect, index_file
from pilotfish.codeintel.index.rows import counts

from tests.support.stage import alive, environment, family
from tests.support.waiting import until
from tests.support.wire_client import WireClient

pytestmark = pytest.mark.asyncio(loop_scope="session")

FILES = 800

EACH = 30
"""Definitions of a file."""

GONE_S = 60.0

BUILD_S = 60.0

ANY_FILE = "SELECT EXISTS (SELECT 1 FROM files)"
ANY_READ = "SELECT EXISTS (SELECT 1 FROM files WHERE depth > 0)"


def body(name: str) -> str:
    return "".join(f"def {name}_{at}(a, b): return a + b * {at}\n" for at in range(EACH))


def holds(file: Path, question: str) -> bool:
    """Ask a database that somebody else is writing, and that may not be there yet."""
    if not file.exists():
        return False
    try:
        with closing(connect(file, read_only=True)) as reader:
            return bool(reader.execute(question).fetchone()[0])
    except sqlite3.OperationalError:
        return False  # it is just being made


def is_whole(file: Path) -> bool:
    try:
        with closing(connect(file, read_only=True)) as reader:
            return counts(reader) == (FILES, 0, FILES * EACH)
    except sqlite3.OperationalError:
        return False  # it is just being made anew


@pytest.mark.parametrize("reached", [ANY_FILE, ANY_READ], ids=["names", "syntax"])
async def test_what_a_killed_server_left_becomes_a_whole_index(
    tmp_path: Path, reached: str
) -> None:
    root, home = tmp_path / "many", tmp_path / "home"
    root.mkdir()
    for number in range(FILES):
        (root / f"m{number}.py").write_text(body(f"f{number}"))
    file = index_file(home / ".pilotfish", root)

    client = await WireClient.start(environment(home), cwd=tmp_path)
    await client.initialize(root)
    await until(lambda: holds(file, reached), limit_s=BUILD_S)
    processes = family(client.process.pid)
    client.process.kill()
    await client.wait_for_exit()
    await until(lambda: not alive(processes), limit_s=GONE_S)

    (root / "m0.py").write_text(body("changed"))
    (root / "m1.py").unlink()
    (root / "new.py").write_text(body("added"))
    client = await WireClient.start(environment(home), cwd=tmp_path)
    try:
        await client.initialize(root)
        await until(lambda: is_whole(file), limit_s=BUILD_S)

        async def names(query: str) -> set[str]:
            found: list[Any] = await client.request("workspace/symbol", {"query": query})
            return {one["name"] for one in found or []}

        assert "changed_29" in await names("changed_29")
        assert "added_29" in await names("added_29")
        assert "f799_29" in await names("f799_29")
        assert "f0_29" not in await names("f0_29")
        assert "f1_29" not in await names("f1_29")
    finally:
        assert await client.stop() == 0
    assert [one.name for one in file.parent.iterdir() if ".job-" in one.name] == []
