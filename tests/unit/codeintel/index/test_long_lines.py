"""What a name means in files whose lines are long: worked out from what stands beside it, and no slower."""

import time
from dataclasses import replace

import pytest
from pilotfish.codeintel.index.imports import module_of
from pilotfish.codeintel.index.local_names import local_binding
from pilotfish.codeintel.index.reading import facts_of
from pilotfish.codeintel.index.resolve import Asked, original_name
from pilotfish.codeintel.index.views import FileView
from pilotfish.ports.code import Position, Span

LIMIT_S = 5
"""Of processor time; what takes a time that grows with the square of a line needs many times as much."""


def view_of(path: str, text: str) -> FileView:
    facts = facts_of(path, text)
    assert facts is not None
    return FileView(path=path, facts=facts, lines=text.split("\n"))


def last_use(view: FileView, name: str) -> Asked:
    return Asked(view, name, view.facts.references.named(name)[-1].span)


def at_the_end(line: str) -> Asked:
    """Return a name that stands after so much on its line."""
    view = FileView(path="a.js", facts=view_of("a.js", "").facts, lines=[f"{line}x"])
    span = Span(Position(0, len(line)), Position(0, len(line) + 1))
    return Asked(view, "x", span)


@pytest.mark.parametrize(
    "before",
    [
        "/* " + "from a import " * 20_000 + ";*/ import {",
        "/* " + "from a import " * 20_000 + ";" + "from a" * 20_000 + "*/ import {",
    ],
)
def test_the_module_of_an_import_is_found_on_a_line_of_many(before: str) -> None:
    view = view_of("a.js", before + "x} from './y'\n")
    began = time.process_time()
    assert module_of(view, "x") == ("y",)
    assert time.process_time() - began < LIMIT_S


@pytest.mark.parametrize(
    "before",
    ["a" * 200_000 + "!", "a" * 500 + " " * 100_000 + "!", "a" * 500 + " " * 490 + "!"],
)
def test_what_a_name_is_asked_of_is_found_on_a_long_line(before: str) -> None:
    asked = at_the_end(before)
    began = time.process_time()
    assert asked.receiver is None
    assert at_the_end(f"{before} box.").receiver == "box"
    assert time.process_time() - began < LIMIT_S


@pytest.mark.parametrize("filler", ["é", "e"])
def test_names_in_a_script_of_one_line_are_told_apart(filler: str) -> None:
    long = "'eeeee';g(x);" * 8_000
    text = f"function f(x) {{ {long} }}; function g(y) {{ {long} return y }}"
    view = replace(view_of("a.js", text), lines=[text.replace("e", filler)])
    began = time.process_time()
    found = [
        bound and bound.span
        for bound in (local_binding(last_use(view, name)) for name in ("x", "y"))
    ]
    assert time.process_time() - began < LIMIT_S
    # The last ``x`` is in ``g``, which binds none.
    assert found == [None, view.facts.references.named("y")[0].span]


def test_a_use_far_from_the_name_of_its_function_is_no_parameter() -> None:
    view = view_of("a.js", f"function f({'a, ' * 1_000}b) {{ return c }}\n")
    assert local_binding(last_use(view, "c")) is None


@pytest.mark.parametrize(
    ("path", "text", "name", "module"),
    [
        ("a.py", "from one import a\nfrom two import (\n    b,\n    c,\n)\n", "c", ("two",)),
        ("a.py", "from one import a; from two import c\n", "c", ("two",)),
        ("a.py", "x = 1\nimport one.two as c\n", "c", ("one", "two")),
        ("a.rs", "mod x;\n\nuse one::two::c;\n", "c", ("one", "two")),
        ("A.java", "package p;\n\nimport one.two.C;\n", "C", ("one", "two")),
    ],
)
def test_a_name_comes_from_the_module_of_its_own_import(
    path: str, text: str, name: str, module: tuple[str, ...]
) -> None:
    assert module_of(view_of(path, text), name) == module


def test_the_first_name_of_an_import_is_found_behind_wide_signs() -> None:
    view = view_of("a.py", "x = '😀😀'; from one import read as load\n")
    assert original_name(last_use(view, "load")) == "read"
