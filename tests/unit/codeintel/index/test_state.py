"""Why an index failed, as people read it."""

# ruff: noqa: RUF001 - full-width marks are Chinese punctuation

import sqlite3
from pathlib import Path

import pytest
from pilotfish.codeintel.index.state import IndexState, why_failed
from pilotfish.core.errors import PilotfishError
from pilotfish.edges.localise import translator


def full() -> sqlite3.Error:
    connection = sqlite3.connect(":memory:")
    connection.execute("PRAGMA max_page_count = 1")
    with pytest.raises(sqlite3.Error) as failure:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    return failure.value


CASES = [
    (
        full(),
        "the disk takes nothing more of /i.db (database or disk is full); make room, or mend the "
        "permissions of its folder; it is tried again in a while",
        "磁盘无法再写入 /i.db（database or disk is full）；请腾出空间，或修正其文件夹的权限；稍后会再次尝试",
    ),
    (
        PermissionError(13, "Permission denied"),
        "it cannot be kept: Permission denied; make room, or mend the permissions of its "
        "folder; it is tried again in a while",
        "无法维护：Permission denied；请腾出空间，或修正其文件夹的权限；稍后会再次尝试",
    ),
    (
        sqlite3.DatabaseError("file is not a database"),
        "the database cannot be used: file is not a database",
        "无法使用数据库：file is not a database",
    ),
    (PilotfishError("It is too old."), "It is too old.", "It is too old."),
]


@pytest.mark.parametrize(("error", "english", "chinese"), CASES)
def test_it_says_what_to_do(error: Exception, english: str, chinese: str) -> None:
    state = IndexState(phase="failed", problem=why_failed(Path("/i.db"), error))
    assert state.problem == english
    assert translator("zh-cn")(state.describe(), "index") == f"失败：{chinese}"
