"""Definitions and uses of names, against results written by hand for each language.

A sample holds a text and, after ``====``, its outline: kind, name, lines (from 1), the scope where it
is not simply the container's name, the signature, the documentation with ``/`` for line ends; then
the names that are used, by role.
"""

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.codeintel import symbols, tag_matches
from pilotfish.codeintel.facts import FileFacts
from pilotfish.codeintel.symbols import document_forest, extract_facts
from pilotfish.ports.code import Position, Span
from tree_sitter_language_pack import SupportedLanguage

SAMPLES = Path(__file__).parents[2] / "fixtures" / "symbols"
NAMES = sorted(path.stem for path in SAMPLES.glob("*.txt"))
LANGUAGES = sorted({name.removesuffix("-rare") for name in NAMES})


def outline(facts: FileFacts) -> list[str]:
    lines: list[str] = []
    depths: list[int] = []
    for definition in facts.definitions:
        inside = definition.parent >= 0
        depths.append(depths[definition.parent] + 1 if inside else 0)
        container = facts.definitions[definition.parent].name if inside else ""
        scope = f" ({definition.scope})" if definition.scope != container else ""
        doc = f" | {' / '.join(definition.doc.splitlines())}" if definition.doc else ""
        span = f"{definition.span.start.line + 1}-{definition.span.end.line + 1}"
        lines.append(
            f"{'  ' * depths[-1]}{definition.kind} {definition.name} {span}{scope}"
            f" | {definition.signature}{doc}".replace("/  /", "/ /")
        )
    return lines


def roles(facts: FileFacts) -> list[str]:
    lines: list[str] = []
    for role in ("import", "call", "type"):
        names = dict.fromkeys(use.name for use in facts.references if use.role == role)
        if names:
            lines.append(f"{role}: {' '.join(names)}")
    return lines


@pytest.mark.parametrize("name", NAMES)
def test_definitions_and_uses_are_those_of_the_text(name: str) -> None:
    text, expected = (SAMPLES / f"{name}.txt").read_text(encoding="utf-8").split("====\n")
    facts = extract_facts(name.removesuffix("-rare"), text)
    assert [*outline(facts), *roles(facts)] == expected.splitlines()
    assert facts.complete


def test_positions_count_utf16_units_after_emoji_and_carriage_returns() -> None:
    text = "x = '😀'; y = 1\r\ndef é(): return y\r\n"
    facts = extract_facts("python", text)
    places = {each.name: (each.name_span.start, each.name_span.end) for each in facts.definitions}
    assert places["y"] == (Position(0, 10), Position(0, 11))
    assert places["é"] == (Position(1, 4), Position(1, 5))
    assert facts.references[0].span == Span(Position(1, 16), Position(1, 17))


def test_a_lone_carriage_return_ends_a_line() -> None:
    facts = extract_facts("python", "a = 1\rb = 2\nc = 3\n")
    assert [(each.name, each.span.start.line) for each in facts.definitions] == [
        ("a", 0),
        ("b", 1),
        ("c", 2),
    ]


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    facts = extract_facts("python", b"\xef\xbb\xbfa = 1\n")
    assert facts.definitions[0].name_span == Span(Position(0, 0), Position(0, 1))


def test_a_text_too_big_for_a_tree_is_read_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbols, "MAX_TREE_BYTES", 10)
    facts = extract_facts("python", "class A(B):\n    def f(self):\n        pass\n")
    assert [(each.kind, each.name, each.name_span.start) for each in facts.definitions] == [
        ("class", "A", Position(0, 6)),
        ("function", "f", Position(1, 8)),
    ]
    assert not facts.complete


def test_a_huge_text_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(symbols, "MAX_COARSE_BYTES", 10)
    assert extract_facts("python", "class A(B):\n    pass\n") == FileFacts(
        language="python", complete=False
    )


def test_slices_find_what_the_whole_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    text = Path(symbols.__file__).read_text(encoding="utf-8")
    whole = extract_facts("python", text)
    monkeypatch.setattr(tag_matches, "_SLICE_BYTES", 37)
    assert extract_facts("python", text) == whole


def test_deep_nesting_is_survived() -> None:
    facts = extract_facts("javascript", "function f() {" * 3_000 + "[" * 20_000)
    assert facts.references[0].name == "f"


@pytest.mark.parametrize("language", get_args(SupportedLanguage))
def test_every_bundled_grammar_can_be_read(language: str) -> None:
    facts = extract_facts(language, "class A { int b(c) { return d(1); } }\n# x\nfn e() {}\n")
    assert facts.language == language


def test_a_grammar_without_a_query_of_its_own_is_read_by_its_node_types() -> None:
    facts = extract_facts("solidity", "contract Bank {\n  function pay(uint a) public {}\n}\n")
    assert outline(facts) == [
        "class Bank 1-3 | contract Bank",
        "  method pay 2-2 | function pay(uint a) public",
    ]


def test_a_grammar_that_tells_no_definitions_is_read_line_by_line() -> None:
    facts = extract_facts("gleam", "// type Of text\npub fn main(a) {\n  other(a)\n}\n")
    assert outline(facts) == ["function main 2-2 | pub fn main(a) {"]
    assert [each.name for each in facts.references if each.name in {"main", "other"}] == ["other"]


def test_texts_have_no_definitions() -> None:
    assert extract_facts("markdown", "class of its own\n\ntype here\n").definitions == ()


@given(st.text(max_size=300), st.sampled_from(LANGUAGES))
@settings(max_examples=200, deadline=None)
def test_any_text_gives_facts_whose_parents_come_first(text: str, language: str) -> None:
    facts = extract_facts(language, text)
    for index, each in enumerate(facts.definitions):
        assert -1 <= each.parent < index
        assert each.span.start <= each.name_span.start <= each.name_span.end <= each.span.end


def test_the_forest_nests_what_the_text_nests() -> None:
    facts = extract_facts("python", "class A:\n    def f(self): pass\n\nb = 1\n")
    forest = document_forest(facts, Path("/a.py"))
    assert [(each.name, [part.name for part in each.children]) for each in forest] == [
        ("A", ["f"]),
        ("b", []),
    ]
    assert forest[0].children[0].container == "A"
