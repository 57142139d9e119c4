"""Ranges of files that are too large to load."""

import tracemalloc
from pathlib import Path

import pytest
from pilotfish.workspace.text_file import NotTextError
from pilotfish.workspace.text_range import read_range

RUSSIAN = "# Проверка значения перед записью в файл"


def test_lines_of_two_gigabytes_are_read_in_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "huge.log"
    with path.open("wb") as file:
        file.write(b"".join(b"line %d\n" % number for number in range(1, 20_001)))
        # The rest is one line that takes no room on disk.
        file.truncate(2 * 1024**3)
    tracemalloc.start()
    try:
        found = read_range(path, 10, 11)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.lines == tuple(f"line {number}" for number in range(10, 21))
    assert found.has_more
    assert peak < 2 * 1024 * 1024


@pytest.mark.parametrize(
    ("encoding", "mark", "word"),
    [
        ("utf-8", b"", "\u00e9"),
        ("utf-8", b"\xef\xbb\xbf", "\u00e9"),
        ("utf-16-le", b"\xff\xfe", "\u00e9 \u0a0a \u0d0a"),
        ("utf-16-be", b"", "plain"),
        ("utf-32-le", b"\xff\xfe\0\0", "\u4e2d"),
        ("koi8_r", b"", RUSSIAN),
    ],
)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_lines_are_found_in_every_encoding(
    tmp_path: Path, encoding: str, mark: bytes, word: str, eol: str
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(mark + eol.join(f"{number} {word}" for number in range(1, 6)).encode(encoding))
    found = read_range(path, 2, 2)
    assert found.lines == (f"2 {word}", f"3 {word}")
    assert found.has_more
    end = read_range(path, 5, 9)
    assert (end.lines, end.has_more, end.lines_seen) == ((f"5 {word}",), False, 5)


def test_a_line_without_end_is_cut_and_the_next_one_is_found(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"x" * 1_000_000 + b"\nsecond\n")
    found = read_range(path, 1, 2)
    assert len(found.lines[0]) == 65_536
    assert found.lines[1] == "second"


def test_binary_data_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.bin"
    path.write_bytes(b"ab\0cd" * 100)
    with pytest.raises(NotTextError, match="NUL byte"):
        read_range(path, 1, 1)
