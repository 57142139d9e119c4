"""Trees of texts that change."""

import asyncio
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pilotfish.codeintel import open_trees
from pilotfish.codeintel.open_trees import OpenTrees, ParsedText
from pilotfish.codeintel.trees import parse
from tree_sitter import Node

GRIN = "\N{GRINNING FACE}"
BASES = {
    "python": f"def f(a):\n    '''{GRIN}'''\n    return [a, 'é']\n\n\nclass A:\n    x = 1\n",
    "typescript": f"const a = '{GRIN}';\r\nfunction f(b: number) {{\r\n  return b;\r\n}}\r\n",
    "go": f'package main\n\n// {GRIN}\nfunc main() {{\n\tprint("é")\n}}\n',
    "rust": "fn main() { let x = 1; }\n/// doc\nstruct A { b: u8 }\n",
    "json": f'{{"a": ["{GRIN}", 1, {{"é": null}}]}}\n',
    "markdown": "# A\n\ntext\n\n```python\nx = 1\n```\n\n## B\n",
}
PIECES = st.text(
    st.sampled_from(["a", "(", ")", "{", "}", "'", '"', "\n", "\r", " ", ":", GRIN, "é", "#", ","]),
    max_size=6,
)


def shape(node: Node) -> list[tuple[str, int, int, int, int]]:
    """Return a tree as data."""
    found: list[tuple[str, int, int, int, int]] = []
    stack = [node]
    while stack:
        one = stack.pop()
        found.append((one.type, one.start_byte, one.end_byte, one.start_point[0], one.end_point[1]))
        stack.extend(reversed(one.children))
    return found


async def parsed(trees: OpenTrees, text: str, key: str = "a") -> ParsedText:
    made = await trees.parse(key, "python", text)
    assert made is not None
    return made


@given(
    st.sampled_from(sorted(BASES)),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 8), PIECES), min_size=1, max_size=5),
)
@settings(max_examples=400, deadline=None)
def test_a_tree_made_from_the_last_one_is_that_of_the_text(
    language: str, edits: list[tuple[float, int, str]]
) -> None:
    async def go() -> None:
        trees = OpenTrees()
        text = BASES[language]
        await trees.parse("a", language, text)
        for where, removed, inserted in edits:
            at = int(where * len(text))
            text = text[:at] + inserted + text[at + removed :]
            made = await trees.parse("a", language, text)
            fresh = parse(language, text.encode())
            assert made is not None
            assert fresh is not None
            assert made.data == text.encode()
            assert shape(made.tree.root_node) == shape(fresh.root_node)

    asyncio.run(go())


async def test_most_of_the_last_tree_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"def f{number}(a):\n    return a + {number}\n" for number in range(500)]
    trees = OpenTrees()
    first = await parsed(trees, "".join(lines))
    monkeypatch.setattr(open_trees, "FRESH_BELOW_BYTES", 0)
    lines[250] = "def changed(a):\n    return a\n"
    second = await parsed(trees, "".join(lines))
    changed = first.tree.copy()
    changed = open_trees.edited_tree(first.tree, first.data, second.data)
    ranges = changed.changed_ranges(second.tree)
    assert all(500 <= each.start_point[0] <= 503 for each in ranges)


async def test_an_earlier_tree_stays_as_it_was() -> None:
    trees = OpenTrees()
    first = await parsed(trees, "a = 1\n")
    before = shape(first.tree.root_node)
    await parsed(trees, "a = 1\nb = 2\n")
    assert shape(first.tree.root_node) == before
    assert [each.name for each in first.facts.definitions] == ["a"]


async def test_the_same_text_is_not_parsed_again() -> None:
    trees = OpenTrees()
    first = await parsed(trees, "a = 1\n")
    assert await parsed(trees, "a = 1\n") is first


async def test_the_trees_that_were_not_used_for_longest_go_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(open_trees, "MAX_KEPT_BYTES", 20)
    trees = OpenTrees()
    first = await parsed(trees, "a = 1234\n", "a")
    await parsed(trees, "b = 1234\n", "b")
    assert await parsed(trees, "a = 1234\n", "a") is first
    await parsed(trees, "c = 1234\n", "c")
    assert trees.kept_bytes == 18
    assert await parsed(trees, "a = 1234\n", "a") is first


async def test_a_text_that_is_too_big_has_no_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_trees, "MAX_TREE_BYTES", 10)
    trees = OpenTrees()
    assert await trees.parse("a", "python", "a = 1\n") is not None
    assert await trees.parse("a", "python", "a = 1\nb = 2\n") is None
    assert trees.kept_bytes == 0


async def test_a_closed_document_leaves_nothing_behind() -> None:
    trees = OpenTrees()
    await parsed(trees, "a = 1\n")
    trees.forget("a")
    assert trees.kept_bytes == 0
    assert trees._locks == {}


async def test_a_long_text_does_not_hold_up_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    turned = threading.Event()

    def parse_once_the_loop_has_turned(language: str, data: bytes, *, limit_s: float) -> object:
        assert turned.wait(30), "the loop waits for the parser"
        return parse(language, data, limit_s=limit_s)

    monkeypatch.setattr(open_trees, "parse", parse_once_the_loop_has_turned)
    text = "def f(a):\n    return [a, 1, 'x']\n" * 1_000
    assert len(text) > open_trees.THREAD_FROM_BYTES
    running = asyncio.ensure_future(OpenTrees().parse("a", "python", text))
    await asyncio.sleep(0)
    turned.set()
    assert (await running) is not None
