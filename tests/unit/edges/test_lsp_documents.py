"""Our copy of open documents, against LSP's definition of lines and positions."""

import re
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lsprotocol import types
from pilotfish.edges.lsp import line_blocks
from pilotfish.edges.lsp.documents import SyncedText, SyncedWorkspace, open_document
from pygls.workspace import Workspace

GRIN = "\N{GRINNING FACE}"
TEXTS = st.text(
    st.sampled_from(["a", "b", " ", "\n", "\r", "\x0c", "\x0b", "\u2028", "\x85", GRIN, "é"]),
    max_size=20,
)


def reference_offset(text: str, line: int, character: int) -> int:
    """Find a position the slow way."""
    starts = [0, *(match.end() for match in re.finditer(r"\r\n|\r|\n", text))]
    if line >= len(starts):
        return len(text)
    at = starts[line]
    units = 0
    while at < len(text) and text[at] not in "\r\n" and units < character:
        units += len(text[at].encode("utf-16-le")) // 2
        at += 1
    return at


def place(line: int, character: int) -> types.Position:
    return types.Position(line=line, character=character)


POSITIONS = st.tuples(st.integers(0, 8), st.integers(0, 8))


@given(
    TEXTS,
    st.lists(st.tuples(POSITIONS, POSITIONS, TEXTS), max_size=6),
    st.sampled_from([1, 3, 8192]),
)
@settings(max_examples=800, deadline=None)
def test_any_changes_leave_the_text_and_lines_that_lsp_means(
    text: str,
    changes: list[tuple[tuple[int, int], tuple[int, int], str]],
    block_chars: int,
) -> None:
    with patch.object(line_blocks, "BLOCK_CHARS", block_chars):
        synced = SyncedText(text)
        for one, other, new_text in changes:
            start, end = sorted((reference_offset(text, *one), reference_offset(text, *other)))
            text = text[:start] + new_text + text[end:]
            synced.replace(types.Range(start=place(*one), end=place(*other)), new_text)
            assert synced.text == text
            for line in range(text.count("\n") + text.count("\r") + 2):
                assert synced.offset(place(line, 0)) == reference_offset(text, line, 0)


@pytest.mark.parametrize(
    ("text", "start", "end", "new_text", "wanted"),
    [
        ("a\x0cb\nc\n", (1, 0), (1, 1), "X", "a\x0cb\nX\n"),
        ("a\u2028b\nc\n", (1, 0), (1, 1), "X", "a\u2028b\nX\n"),
        ("ab\ncd", (1, 1), (1, 9), "X", "ab\ncX"),
        ("ab\r\ncd", (0, 99), (0, 99), "X", "abX\r\ncd"),
        (f"{GRIN}b\n", (0, 2), (0, 3), "X", f"{GRIN}X\n"),
        ("ab", (5, 0), (5, 0), "X", "abX"),
    ],
    ids=[
        "form feed",
        "separator",
        "end behind the line",
        "carriage return",
        "emoji",
        "line behind",
    ],
)
def test_a_change_lands_where_the_editor_made_it(
    text: str, start: tuple[int, int], end: tuple[int, int], new_text: str, wanted: str
) -> None:
    uri = "file:///w/a%20b.py"
    workspace = SyncedWorkspace.instead_of(Workspace(None))
    workspace.put_text_document(
        types.TextDocumentItem(uri=uri, language_id="python", version=1, text=text)
    )
    workspace.update_text_document(
        types.VersionedTextDocumentIdentifier(uri=uri, version=2),
        types.TextDocumentContentChangePartial(
            range=types.Range(start=place(*start), end=place(*end)), text=new_text
        ),
    )
    document = open_document(workspace, uri)
    assert document is not None
    assert (document.source, document.version) == (wanted, 2)


def test_typing_at_one_place_leaves_no_more_blocks_than_the_text_fills() -> None:
    with patch.object(line_blocks, "BLOCK_CHARS", 4):
        text = ""
        lines = line_blocks.LineBlocks(text)
        for at in range(400):
            text += "ab\n"[at % 3]
            lines.replaced(text, at, at, 1)
        assert lines.line_start(text, 133) == 399
        assert len(lines) <= 100
