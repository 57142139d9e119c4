"""Only regular files are read, and no more of them than was asked for."""

import os
from pathlib import Path

import pytest
from pilotfish.util.regular_file import open_regular, read_regular

WAIT_S = 5


@pytest.mark.timeout(WAIT_S)
def test_what_is_no_regular_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    for name, reason in (("pipe", "not a regular"), ("link", "not a regular"), ("", "directory")):
        with pytest.raises(OSError, match=reason):
            open_regular(tmp_path / name)
    with pytest.raises(OSError, match="not a regular"):
        read_regular(Path("/dev/zero"), 10)


def test_a_file_is_read_up_to_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_bytes(b"\r\n\0\x1a12345")
    (tmp_path / "link").symlink_to("a")
    assert read_regular(tmp_path / "link", 9) == b"\r\n\0\x1a12345"
    with pytest.raises(OSError, match="too large"):
        read_regular(file, 8)
    with pytest.raises(FileNotFoundError):
        read_regular(tmp_path / "b", 8)
