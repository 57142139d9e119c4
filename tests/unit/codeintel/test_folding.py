"""What can be folded, what is selected next, and languages within languages."""

from pathlib import PurePath
from typing import get_args

import pytest
from pilotfish.codeintel.embedded import embedded_texts
from pilotfish.codeintel.folding import folds_of
from pilotfish.codeintel.languages import (
    _BY_NAME,
    _BY_SUFFIX,
    _MORE_BY_NAME,
    _MORE_BY_SUFFIX,
    grammar_name,
    grammar_of,
    language_named,
)
from pilotfish.codeintel.open_trees import OpenTrees, ParsedText
from pilotfish.codeintel.selection import selection_steps
from pilotfish.codeintel.symbols import facts_of_tree
from pilotfish.codeintel.syntax import problems_in
from pilotfish.ports.code import Position
from tree_sitter_language_pack import SupportedLanguage

GRIN = "\N{GRINNING FACE}"


async def parsed(language: str, text: str) -> ParsedText:
    made = await OpenTrees().parse("a", language, text)
    assert made is not None
    return made


PYTHON = '''import os
import sys

# One.
# Two.
class A:
    def f(
        self,
    ) -> None:
        """Doc.

        More.
        """

    def g(self):
        return [
            1,
        ]


# region Tools
x = 1
# endregion
'''

TYPESCRIPT = """\
import a from "a";
import b from "b";

/**
 * Doc.
 */
function f(a: number) {
  if (a) {
    g();
  } else {
    h();
  }
}
//#region R
const t = {
  a: 1,
};
//#endregion
"""

RUBY = """\
class A
  # Doc.
  def f
    1
  end
end
"""

FOLDS = {
    "python": (
        PYTHON,
        [
            (1, 2, "imports"),
            (4, 5, "comment"),
            (6, 18, "code"),
            (7, 8, "code"),
            (9, 13, "code"),
            (10, 13, "code"),
            (15, 18, "code"),
            (16, 17, "code"),
            (21, 23, "region"),
        ],
    ),
    "typescript": (
        TYPESCRIPT,
        [
            (1, 2, "imports"),
            (4, 6, "comment"),
            (7, 12, "code"),
            (8, 9, "code"),
            (10, 11, "code"),
            (14, 18, "region"),
            (15, 16, "code"),
        ],
    ),
    "ruby": (RUBY, [(1, 5, "code"), (3, 4, "code")]),
}


@pytest.mark.parametrize("language", FOLDS)
async def test_lines_fold_into_what_announces_them(language: str) -> None:
    text, wanted = FOLDS[language]
    folds = folds_of(await parsed(language, text))
    assert [(fold.start + 1, fold.end + 1, fold.kind) for fold in folds] == wanted


async def test_a_selection_grows_by_syntax() -> None:
    text = f"x = '{GRIN}' + f(a_name, 2)\r\n"
    steps = selection_steps(await parsed("python", text), (), Position(0, 16))
    taken = [text[_index(text, each.start) : _index(text, each.end)] for each in steps]
    assert taken == [
        "a_name",
        "(a_name, 2)",
        "f(a_name, 2)",
        f"'{GRIN}' + f(a_name, 2)",
        f"x = '{GRIN}' + f(a_name, 2)",
        text,
    ]


def _index(text: str, position: Position) -> int:
    """Return the index of a position in a text of one line with one wide character before it."""
    if position.line:
        return len(text)
    return position.character - (1 if position.character > 5 else 0)


async def test_a_script_in_a_page_is_read_as_what_it_is() -> None:
    page = (
        f"<p>{GRIN}</p>\n<style>.a {{ color: red; }}</style>\n"
        f"<script>/* {GRIN} */ function go() {{ stop( }}</script>\n"
        '<script lang="ts">let a: number = 1;</script>\n'
        '<script type="text/template"><b></script>\n'
    )
    text = await parsed("html", page)
    parts = embedded_texts(text.language, text.tree, text.data)
    assert [part.language for part in parts] == ["css", "javascript", "typescript"]
    script = parts[1]
    facts = facts_of_tree("javascript", script.tree, text.data)
    assert [(each.name, each.name_span.start) for each in facts.definitions] == [
        ("go", Position(2, 26))
    ]
    (problem,) = problems_in(script.root, text.data)
    assert (problem.line, problem.message) == (3, "syntax error: unexpected `stop(`")
    assert (problem.span.start, problem.span.end) == (Position(2, 33), Position(2, 38))
    steps = selection_steps(text, parts, Position(2, 33))
    assert (steps[0].start, steps[0].end) == (Position(2, 33), Position(2, 37))


async def test_fenced_code_is_in_the_language_it_names() -> None:
    text = await parsed(
        "markdown", "# A\n\n```py\nx = 1\n```\n\n```\nplain\n```\n\n```nonsense\n```\n"
    )
    (part,) = embedded_texts(text.language, text.tree, text.data)
    ((start, end),) = part.pieces
    assert (part.language, text.data[start:end]) == ("python", b"x = 1\n")


@pytest.mark.parametrize(
    ("name", "first_line", "language"),
    [
        ("a.py", "", "python"),
        ("A.KT", "", "kotlin"),
        ("Makefile", "", "make"),
        ("list.clj", "", "clojure"),
        ("view.erb", "", "erb"),
        ("Kconfig", "", "kconfig"),
        ("run", "#!/bin/sh\n", "bash"),
        ("run", "#!/usr/bin/env python3.12\n", "python"),
        ("run", "#!/usr/bin/env -S FOO=1 deno run\n", "typescript"),
        ("run", "#! /usr/local/bin/ruby -w\n", "ruby"),
        ("run", "#!/usr/bin/wish\n", None),
        ("run", "no script\n", None),
        ("a.unknown", "#!/bin/sh\n", None),
    ],
)
def test_a_language_is_known_by_name_or_first_line(
    name: str, first_line: str, language: str | None
) -> None:
    assert grammar_of(PurePath(name), first_line) == language


@pytest.mark.parametrize(
    ("name", "language"),
    [("TypeScriptReact", "tsx"), ("c++", "cpp"), ("rust", "rust"), ("klingon", None)],
)
def test_other_names_of_a_language_are_known(name: str, language: str | None) -> None:
    assert language_named(name) == language


def test_every_grammar_of_whole_files_is_known_by_a_name_of_files() -> None:
    parts_and_data = {
        *("chatito", "comment", "cpon", "csv", "doxygen", "gitattributes", "gitcommit"),
        *("gitignore", "gstlaunch", "hyprlang", "jsdoc", "luadoc", "luap", "markdown_inline"),
        *("pem", "pgn", "po", "printf", "psv", "pymanifest", "query", "re2c", "readline"),
        *("test", "tsv", "udev", "ungrammar", "xcompose"),
    }
    named = {
        one
        for table in (_BY_NAME, _BY_SUFFIX, _MORE_BY_NAME, _MORE_BY_SUFFIX)
        for one in table.values()
    }
    assert {grammar_name(one) for one in named} == frozenset(
        get_args(SupportedLanguage)
    ) - parts_and_data


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "if a:\n    b\nelif c:\n    d\nelse:\n    e\n", [(0, 1), (2, 3), (4, 5)]),
        ("ruby", "if a\n  b\nelsif c\n  d\nelse\n  e\nend\n", [(0, 1), (2, 3), (4, 5)]),
        ("bash", "if a; then\n  b\nelse\n  c\nfi\n", [(0, 3), (2, 3)]),
    ],
)
async def test_each_branch_folds_into_the_line_that_begins_it(
    language: str, text: str, expected: list[tuple[int, int]]
) -> None:
    folds = folds_of(await parsed(language, text))
    assert [(one.start, one.end) for one in folds] == expected
