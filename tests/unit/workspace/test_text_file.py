"""Reading text files without losing a byte."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.errors import WorkspaceError
from pilotfish.workspace.text_file import (
    NotTextError,
    TextFile,
    decode,
    encode,
    eol_of,
    load_text_file,
)

RUSSIAN = (
    "Привет, мир! Это обычный текст на русском языке, написанный для проверки кодировки.\n"
    "Он должен быть достаточно длинным, чтобы можно было уверенно узнать язык текста.\n"
) * 4


@pytest.mark.parametrize(
    ("data", "text", "encoding", "bom"),
    [
        (b"", "", "utf-8", b""),
        (b"a\r\nb\n", "a\r\nb\n", "utf-8", b""),
        ("café\n".encode(), "café\n", "utf-8", b""),
        (b"\xef\xbb\xbfcaf\xc3\xa9\n", "café\n", "utf-8", b"\xef\xbb\xbf"),
        (b"\xff\xfea\0\n\0", "a\n", "utf-16-le", b"\xff\xfe"),
        (b"\xfe\xff\0a\0\n", "a\n", "utf-16-be", b"\xfe\xff"),
        (b"\xff\xfe\0\0a\0\0\0", "a", "utf-32-le", b"\xff\xfe\0\0"),
        (b"x=1\n# caf\xe9\n", "x=1\n# café\n", "cp1252", b""),
        (b"log \x1b[31mred\x1b[0m\n", "log \x1b[31mred\x1b[0m\n", "utf-8", b""),
    ],
)
def test_text_decodes_with_its_encoding_and_encodes_back(
    data: bytes, text: str, encoding: str, bom: bytes
) -> None:
    assert decode(data, "f")[:3] == (text, encoding, bom)
    assert bytes(encode(text, TextFile(text=text, encoding=encoding, bom=bom), "f")) == data


def test_long_legacy_text_is_recognised_by_its_language() -> None:
    data = RUSSIAN.encode("cp1251")
    text, encoding, *_ = decode(data, "f")
    assert text == RUSSIAN
    assert text.encode(encoding) == data


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"abc\0def", "NUL byte at offset 3"),
        (bytes(range(1, 32)), "control characters"),
        (b"\xff\xfea\0\n", "not valid utf-16-le"),
        (b"\xff\xfe\x00\xd8", "not valid utf-16-le"),
    ],
)
def test_what_is_no_text_is_refused_with_the_reason(data: bytes, reason: str) -> None:
    with pytest.raises(NotTextError, match=reason):
        decode(data, "f")


def test_character_that_the_encoding_cannot_hold_is_refused() -> None:
    file = TextFile(text="é", encoding="cp1252")
    with pytest.raises(WorkspaceError, match=r"cp1252, which cannot hold '→' \(U\+2192\)"):
        encode("a→b", file, "f")


@given(st.binary(max_size=300))
def test_whatever_decodes_encodes_back_to_the_same_bytes(data: bytes) -> None:
    try:
        text, encoding, bom, _ = decode(data, "f")
    except NotTextError:
        return
    assert bytes(encode(text, TextFile(text=text, encoding=encoding, bom=bom), "f")) == data


@pytest.mark.parametrize(
    ("text", "eol"),
    [
        ("", "none"),
        ("a", "none"),
        ("a\nb\n", "lf"),
        ("a\r\nb\r\n", "crlf"),
        ("a\rb\r", "cr"),
        ("a\r\nb\n", "mixed"),
    ],
)
def test_line_ending_style_is_recognised(text: str, eol: str) -> None:
    assert eol_of(text) == eol


def test_loaded_file_carries_size_time_and_mode(tmp_path: Path) -> None:
    path = tmp_path / "run.sh"
    path.write_bytes(b"#!/bin/sh\n")
    path.chmod(0o755)
    file = load_text_file(path)
    assert (file.size, file.mode, file.mtime_ns) == (10, 0o755, path.stat().st_mtime_ns)


@pytest.mark.timeout(5)
def test_pipe_is_refused_without_waiting_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(WorkspaceError, match="not a regular file"):
        load_text_file(tmp_path / "pipe")


def test_loop_of_links_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    with pytest.raises(WorkspaceError, match="cannot be read"):
        load_text_file(tmp_path / "a")


def test_missing_file_is_told_apart(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_text_file(tmp_path / "none")


def test_file_over_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "big"
    with path.open("wb") as file:
        file.truncate(1024**3 + 1)
    with pytest.raises(WorkspaceError, match="the limit is 1,073,741,824"):
        load_text_file(path)
