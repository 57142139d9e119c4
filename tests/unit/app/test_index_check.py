"""What the doctor says of an index that cannot be looked at."""

import socket
from pathlib import Path

import pytest
from pilotfish.app.index_check import look_at_index
from pilotfish.codeintel.index.layout import index_file
from pilotfish.config.code_index import IndexSettings


def test_what_the_disk_refuses_is_not_called_damaged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = index_file(tmp_path / "home", tmp_path)
    file.parent.mkdir(parents=True)
    monkeypatch.chdir(file.parent)  # the path of a socket must be short
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(file.name)  # nobody may open it as a file, not even who may do everything
    found = look_at_index(tmp_path / "home", tmp_path, IndexSettings())
    assert found.value == "not readable"
    assert str(file) in found.problem
    assert "Make room, or mend the permissions" in found.problem


def test_a_damaged_one_is_made_anew(tmp_path: Path) -> None:
    file = index_file(tmp_path / "home", tmp_path)
    file.parent.mkdir(parents=True)
    file.write_bytes(b"no database at all " * 100)
    found = look_at_index(tmp_path / "home", tmp_path, IndexSettings())
    assert found.value == "damaged"
    assert "The next session makes it anew" in found.problem
