"""Trees that are made from the last ones find what trees made anew find."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel import recent_trees
from pilotfish.codeintel.open_trees import ParsedText, parse_again
from pilotfish.codeintel.recent_trees import RecentTrees
from pilotfish.codeintel.syntax import SyntaxProblem, problems_in

LIMIT_S = 5.0

LINES = ("def f(a):", "    return a", "x = (1,", ")", "# 🐟 é", "class A:", "    y = 'é'", "")
TEXT = st.lists(st.sampled_from(LINES), max_size=12).map("\n".join)


def problems(parsed: ParsedText) -> Sequence[SyntaxProblem]:
    return problems_in(parsed.tree.root_node, parsed.data)


@given(st.lists(TEXT, min_size=1, max_size=6))
def test_one_version_after_the_other_gives_what_each_gives_alone(texts: list[str]) -> None:
    trees = RecentTrees(problems)
    for text in texts:
        fresh = parse_again(None, "python", text)
        assert fresh is not None
        assert trees.find("a.py", "python", text, LIMIT_S) == problems(fresh)


def test_a_text_that_is_asked_for_again_is_not_looked_at_again() -> None:
    looks: list[bytes] = []
    trees = RecentTrees(lambda parsed: looks.append(parsed.data))
    for text in ("x = 1", "x = 1", "x = 2", "x = 2"):
        trees.find("a.py", "python", text, LIMIT_S)
    trees.find("b.py", "python", "x = 2", LIMIT_S)
    assert looks == [b"x = 1", b"x = 2", b"x = 2"]


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent_trees, "MAX_KEPT_BYTES", 20)
    trees = RecentTrees(problems)
    for number in range(10):
        trees.find(f"{number}.py", "python", "x = 1234", LIMIT_S)
    assert trees.kept_bytes == 16
    assert trees.find("big.py", "python", "x = 1\n" * 10, LIMIT_S) == ()
    assert trees.kept_bytes == 0
