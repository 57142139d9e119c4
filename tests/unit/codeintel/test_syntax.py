"""Syntax errors, and which of them an edit made."""

from pathlib import PurePath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.codeintel import syntax
from pilotfish.codeintel.languages import _BY_NAME, _BY_SUFFIX, language_of
from pilotfish.codeintel.syntax import SyntaxReport, check_syntax, new_problems


async def report(name: str, text: str) -> SyntaxReport:
    made = await check_syntax(PurePath(name), text)
    assert made is not None
    return made


GOOD = {
    "a.py": "def f(a: int) -> int:\n    return a\n",
    "a.ts": "export const f = (a: number): number => a;\n",
    "a.tsx": "const x = <div>{1}</div>;\n",
    "a.js": "import a from 'a';\n",
    "a.go": "package main\n\nfunc main() {}\n",
    "a.rs": "fn main() { let x = 1; }\n",
    "a.json": '// note\n{"a": [1, 2]}\n',
    "a.sh": "if true; then echo 'x'; fi\n",
    "Dockerfile": "FROM scratch\nCOPY a b\n",
    "a.yaml": "a: [1, 2]\nb:\n  - c\n",
    "a.toml": "[a]\nb = 1\n",
}


@pytest.mark.parametrize(("name", "text"), GOOD.items(), ids=GOOD.keys())
async def test_good_text_has_no_problems(name: str, text: str) -> None:
    assert (await report(name, text)).problems == ()


BROKEN = {
    "missing token": ("a.go", 'package main\nfunc main() {\n f("a"\n}\n', 3, 7, "`)` is missing"),
    "unexpected token": ("a.json", '{"a": 1,, "b": 2}', 1, 8, "unexpected `,`"),
    "column counts characters, not bytes": ("a.json", '{"é": 1,, "b": 2}', 1, 8, "unexpected `,`"),
    "unclosed bracket": (
        "a.py",
        "def f():\n    return (1 + 2\n\ndef g():\n    pass\n",
        2,
        5,
        "the code from `return (1 + 2` on does not parse",
    ),
    "bash": ("a.sh", "if true; then echo\n", 2, 1, "`fi` is missing"),
}


@pytest.mark.parametrize(
    ("name", "text", "line", "column", "message"), BROKEN.values(), ids=BROKEN.keys()
)
async def test_broken_text_is_located(
    name: str, text: str, line: int, column: int, message: str
) -> None:
    first = (await report(name, text)).problems[0]
    assert (first.line, first.column) == (line, column)
    assert message in first.message
    assert first.context == text.split("\n")[line - 1].strip()


async def test_unknown_language_gives_no_report() -> None:
    assert await check_syntax(PurePath("notes.xyz"), "((((") is None


async def test_report_is_bounded() -> None:
    text = "".join("x = = 1\n" for _ in range(500))
    assert len((await report("a.py", text)).problems) == 50


async def test_parsing_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(syntax, "TIME_LIMIT_S", 0.0)
    made = await report("a.py", "x = 1\n" * 50_000)
    assert (made.timed_out, made.problems) == (True, ())


@pytest.mark.parametrize("name", sorted({f"a.{each}" for each in _BY_SUFFIX} | set(_BY_NAME)))
async def test_every_listed_grammar_exists(name: str) -> None:
    made = await report(name, "")
    assert made.language == language_of(PurePath(name))


async def change(old: str, new: str) -> tuple[list[tuple[int, str]], list[tuple[int, str]]]:
    before, after = await report("a.json", old), await report("a.json", new)
    added, fixed = new_problems(before, after, old, new)
    return [(e.line, e.context) for e in added], [(e.line, e.context) for e in fixed]


async def test_problem_that_only_moved_is_neither_new_nor_fixed() -> None:
    old = '{\n"a": 1,, \n"b": 2\n}\n'
    assert await change(old, "\n\n" + old) == ([], [])
    assert await change("\n\n" + old, old) == ([], [])


async def test_problem_in_a_changed_line_that_stays_is_not_new() -> None:
    assert await change('{\n"a": 1,, \n"b": 2\n}', '{\n"z": 1,, \n"b": 2\n}') == ([], [])


async def test_new_problem_is_told_from_an_old_one_with_the_same_message() -> None:
    old = '{\n"a": 1,, \n"b": 2,\n"c": 3\n}'
    new = '{\n"a": 1,, \n"b": 2,,\n"c": 3\n}'
    assert await change(old, new) == ([(3, '"b": 2,,')], [])
    assert await change(new, old) == ([], [(3, '"b": 2,,')])


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.sampled_from(['"k": 1,', '"k": 1,,', '"k": [1,', "]", '"k" 2,']), max_size=8),
    st.integers(0, 5),
)
async def test_blank_lines_above_change_nothing(lines: list[str], count: int) -> None:
    old = "{\n" + "\n".join(lines) + "\n}\n"
    assert await change(old, "\n" * count + old) == ([], [])


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=200))
async def test_any_text_can_be_checked(text: str) -> None:
    made = await report("a.py", text)
    lines = text.split("\n")
    for problem in made.problems:
        assert 1 <= problem.line <= len(lines)
        assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
