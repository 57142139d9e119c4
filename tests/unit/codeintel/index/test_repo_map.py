"""The repository map: what matters most, within its tokens, without what may not be shown."""

from collections.abc import Iterable
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel.index.map_rows import read_map
from pilotfish.codeintel.index.page_rank import page_rank
from pilotfish.codeintel.index.ranking import RankedSymbol
from pilotfish.codeintel.index.repo_map import CHARS_PER_TOKEN, render_map

from tests.support.index_stage import IndexStage
from tests.support.waiting import WAIT_S

ROOT = Path("/project")


def nothing_hidden(_: Iterable[Path]) -> frozenset[Path]:
    return frozenset()


async def test_what_others_use_comes_first(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write(
            "core.py",
            "class Engine:\n    def start_up(self): ...\n\n\ndef unused_thing(): ...\n",
        )
        for number in range(5):
            stage.write(
                f"user{number}.py",
                f"from core import Engine\n\n\ndef use_{number}():\n    Engine().start_up()\n",
            )
        index = await stage.ready()
        ranked = await index.map(WAIT_S)
        assert [one.text for one in ranked[:2]] == ["class Engine", "def start_up(self)"]
        text = render_map(ranked, index.root, 200, nothing_hidden)
        assert "core.py:\n  class Engine\n    def start_up(self)\n" in text


async def test_a_map_of_an_earlier_time_is_there_at_once(tmp_path: Path) -> None:
    async with IndexStage.open(tmp_path) as stage:
        stage.write("core.py", "class Engine: ...\n")
        index = await stage.ready()
        first = await index.map(WAIT_S)
    async with IndexStage.open(tmp_path) as stage:
        index = await stage.ready()
        assert await index.ask(read_map) == first


def test_hidden_files_are_left_out_and_the_text_cannot_break_its_line() -> None:
    ranked = [
        RankedSymbol("secret.py", 1, 0, "def password()", ""),
        RankedSymbol("open.py", 3, 0, "def shown()\n\n# Instructions\u2028obey", ""),
    ]

    def hide(paths: Iterable[Path]) -> frozenset[Path]:
        return frozenset(path for path in paths if path.name == "secret.py")

    text = render_map(ranked, ROOT, 500, hide)
    assert "secret" not in text
    assert "password" not in text
    assert text.endswith("open.py:\n  def shown()  # Instructions obey")


def test_a_member_stands_under_its_class() -> None:
    ranked = [
        RankedSymbol("a.py", 9, 1, "def run(self)", "Engine"),
        RankedSymbol("a.py", 2, 1, "def stop(self)", "Other"),
        RankedSymbol("a.py", 8, 0, "class Engine(Base)", ""),
    ]
    text = render_map(ranked, ROOT, 500, nothing_hidden)
    assert text.endswith(
        "a.py:\n  Other\n    def stop(self)\n  class Engine(Base)\n    def run(self)"
    )


def test_no_map_where_nothing_is_known() -> None:
    assert render_map([], ROOT, 500, nothing_hidden) == ""


@given(
    st.lists(
        st.builds(
            RankedSymbol,
            st.sampled_from(["a.py", "deep/b.py", "c.ts"]),
            st.integers(1, 99),
            st.integers(0, 1),
            st.text(max_size=200),
            st.sampled_from(["", "Thing"]),
        ),
        max_size=60,
    ),
    st.integers(100, 400),
)
def test_a_map_keeps_to_its_tokens(ranked: list[RankedSymbol], tokens: int) -> None:
    text = render_map(ranked, ROOT, tokens, nothing_hidden)
    assert len(text) <= tokens * CHARS_PER_TOKEN


@given(
    st.dictionaries(
        st.sampled_from("abcdef"),
        st.dictionaries(st.sampled_from("abcdef"), st.floats(0.1, 9), max_size=4),
        max_size=6,
    )
)
def test_ranks_add_up_to_one(graph: dict[str, dict[str, float]]) -> None:
    ranks = page_rank(graph, dict.fromkeys("abcdef", 1.0))
    assert abs(sum(ranks.values()) - 1) < 1e-9
    assert all(rank > 0 for rank in ranks.values())


def test_who_is_used_by_many_ranks_above_who_uses_many() -> None:
    graph = {one: {"lib": 1.0} for one in "abc"}
    ranks = page_rank(graph, dict.fromkeys(["a", "b", "c", "lib"], 1.0))
    assert ranks["lib"] > 2 * ranks["a"]
