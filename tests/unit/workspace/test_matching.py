"""Finding the text of an edit, and keeping the file's style."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pilotfish.workspace.matching import MatchError, Replacement, StringEdit, find_replacements


def apply(text: str, old: str, new: str, *, replace_all: bool = False) -> str:
    result: list[str] = []
    at = 0
    for start, end, replacement in find_replacements(
        text, StringEdit(old=old, new=new, replace_all=replace_all)
    ):
        result += [text[at:start], replacement]
        at = end
    return "".join(result) + text[at:]


CASES = {
    "plain": ("a\nb\nc\n", "b", "B", "a\nB\nc\n"),
    "FE-01 one word of a CRLF file": (
        "begin\r\nx:=1;\r\nend.\r\n",
        "x:=1;",
        "x:=2;",
        "begin\r\nx:=2;\r\nend.\r\n",
    ),
    "FE-02 several lines of a CRLF file": (
        "one\r\ntwo\r\nthree\r\n",
        "one\ntwo",
        "one\n1.5\ntwo",
        "one\r\n1.5\r\ntwo\r\nthree\r\n",
    ),
    "FE-02 model sends CRLF itself": ("one\r\ntwo\r\n", "one\r\ntwo", "1\r\n2", "1\r\n2\r\n"),
    "CRLF sent to an LF file": ("one\ntwo\n", "one\r\ntwo", "1\r\n2", "1\n2\n"),
    "FE-04 mixed endings stay": ("a\r\nb\nc\r\nd\n", "b", "B", "a\r\nB\nc\r\nd\n"),
    "FE-04 mixed endings inside the range": (
        "a\r\nb\nc\r\nd\n",
        "a\nb\nc",
        "A\nB\nC",
        "A\r\nB\nC\r\nd\n",
    ),
    "FE-04 context lines keep their own": (
        "a\r\nb\nc\r\nd\n",
        "a\nb\nc\nd",
        "a\nb\nnew\nc\nd",
        "a\r\nb\nnew\nc\r\nd\n",
    ),
    "old Mac line endings": ("a\rb\rc\r", "a\nb", "a\nx\nb", "a\rx\rb\rc\r"),
    "FE-13 curly quotes": (
        "say \u201chello\u201d, it\u2019s me\n",
        'say "hello", it\'s me',
        'say "bye", it\'s him',
        "say \u201cbye\u201d, it\u2019s him\n",
    ),
    "curly quotes around new words": (
        "\u201ca\u201d",
        '"a"',
        '"a" and "b"',
        "\u201ca\u201d and \u201cb\u201d",
    ),
    "only the kind of quote that is curly": (
        "\u201ca\u201d 'b'",
        "\"a\" 'b'",
        "\"a\" 'c'",
        "\u201ca\u201d 'c'",
    ),
    "curly quotes against a straight file": ('x = "a"\n', "x = \u201ca\u201d", "x = \u201cb\u201d", 'x = "b"\n'),
    "line numbers copied from Read": (
        "def f():\n    pass\n",
        "     1\tdef f():\n     2\t    pass\n",
        "     1\tdef g():\n     2\t    pass\n",
        "def g():\n    pass\n",
    ),
    "text that looks like line numbers matches as it is": ("1\ta\n2\tb\n", "1\ta", "1\tz", "1\tz\n2\tb\n"),
    "FE-19 part of a line is deleted without its line break": (
        "URL=http://h/legacy\nN=3\n",
        "/legacy",
        "",
        "URL=http://h\nN=3\n",
    ),
    "whole line is deleted with its line break": ("a\nb\nc\n", "b", "", "a\nc\n"),
    "whole CRLF line is deleted with its line break": ("a\r\nb\r\nc\r\n", "b", "", "a\r\nc\r\n"),
    "last line without line break is deleted": ("a\nb", "b", "", "a\n"),
    "FE-20 line break at the end is not doubled": ("k=1\n", "k=1", "k=2", "k=2\n"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "old", "new", "expected"), CASES.values(), ids=CASES.keys())
def test_edit_gives(text: str, old: str, new: str, expected: str) -> None:
    assert apply(text, old, new) == expected


@pytest.mark.parametrize(
    ("text", "old", "message"),
    [
        ("x\ny\nx\n", "x", "occurs 2 times, starting at lines 1, 3"),
        ("aaa\n", "aa", "occurs 2 times"),
        ("k=1", "k=1\n", "no line ending after its last line"),
        ("\tif a:\n\t\tb()\n", "    if a:\n        b()", r"indents with tabs there"),
        ("one\ntwo\nthree\n", "zzz", "No line resembles it"),
        ("alpha = 1\nbeta = 2\n", "beta = 3", "2\tbeta = 2"),
        ("a", "", "not found"),
        ("a", "  12\t", "not found"),
    ],
)
def test_mismatch_says_where_and_why(text: str, old: str, message: str) -> None:
    with pytest.raises(MatchError, match=message):
        find_replacements(text, StringEdit(old=old, new="q"))


def test_replace_all_changes_every_place() -> None:
    assert apply("x\r\nxx\nx", "x", "yz", replace_all=True) == "yz\r\nyzyz\nyz"


def test_replacement_is_as_small_as_possible() -> None:
    edit = StringEdit(old="def f(a):\n    return a", new="def f(a):\n    return b")
    assert find_replacements("def f(a):\n    return a\n", edit) == [Replacement(21, 22, "b")]


lines = st.lists(
    st.tuples(st.text(alphabet="ab \u201c\"'\u2019", max_size=4), st.sampled_from(["\n", "\r\n"])),
    max_size=8,
)


@given(lines, st.data())
def test_bytes_outside_the_matched_range_never_change(
    parts: list[tuple[str, str]], data: st.DataObject
) -> None:
    text = "".join(line + end for line, end in parts)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    assume(not (text[start - 1 : start] == "\r" and text[start : start + 1] == "\n"))
    assume(not (text[end - 1 : end] == "\r" and text[end : end + 1] == "\n"))
    old = text[start:end].replace("\r\n", "\n")
    new = data.draw(st.text(alphabet="xyz\n", min_size=1, max_size=5))
    try:
        result = apply(text, old, new)
    except MatchError:
        return
    assert result.startswith(text[:start])
    assert result.endswith(text[end:])
    middle = result[start : len(result) - len(text[end:])]
    assert middle.replace("\r\n", "\n") == new
