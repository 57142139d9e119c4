"""What an editor shows of a file's bytes."""

import codecs

import pytest
from pilotfish.workspace import editor_reading
from pilotfish.workspace.editor_reading import shows


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("gbk", "中文\n你好\n"),
        ("cp932", "日本語\n①髙\n"),
        ("cp1252", "plain\ncafé “so”\n"),
        ("cp850", "café\n"),
        ("koi8_r", "Привет\n"),
        ("ascii", "plain\n"),
    ],
)
def test_a_file_is_shown_in_some_encoding(encoding: str, text: str) -> None:
    data = text.encode(encoding)
    assert shows(text, data)
    assert shows(text.replace("\n", "\r\n"), data)
    assert shows(text, data.replace(b"\n", b"\r\n", 1))
    assert not shows(text + "typed", data)
    assert not shows("typed\n" + text, data)
    assert not shows(text[:-2] + "x\n", data)


@pytest.mark.parametrize("encoding", ["gbk", "euc_jp", "gb18030"])
@pytest.mark.parametrize("first", ["", "x"])
def test_a_long_text_is_read_to_its_end(encoding: str, first: str) -> None:
    text = first + "中" * 5_000
    data = text.encode(encoding)
    assert shows(text, data)
    assert not shows(text + "typed", data)


def test_bytes_that_an_encoding_does_not_know_are_no_text_of_it() -> None:
    assert not shows("\N{REPLACEMENT CHARACTER}\ntwo\n", b"\xff\ntwo\n")


def test_all_encodings_are_there_and_extend_ascii() -> None:
    plain = bytes(range(32, 127)).decode()
    for name in editor_reading._ENCODINGS:
        assert codecs.lookup(name)
        assert plain.encode().decode(name) == plain, name
