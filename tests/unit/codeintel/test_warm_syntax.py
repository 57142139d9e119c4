"""What was read is parsed before an edit of it asks."""

from pathlib import Path

import pytest
from pilotfish.codeintel import syntax
from pilotfish.codeintel.latest_first import MAX_WAITING
from pilotfish.codeintel.open_trees import ParsedText
from pilotfish.codeintel.recent_trees import RecentTrees
from pilotfish.codeintel.syntax import check_syntax
from pilotfish.codeintel.warm_syntax import SyntaxWarmUp
from pilotfish.util.tasks import TaskScope

from tests.support.waiting import until

TEXTS = {"a.py": "def f(:\n", "b.txt": "words", "gone.py": None}


def counted(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """Make the trees that are kept fresh ones, and note each text that is looked at."""
    looked: list[bytes] = []

    def look(parsed: ParsedText) -> tuple[syntax.SyntaxProblem, ...]:
        looked.append(parsed.data)
        return ()

    monkeypatch.setattr(syntax, "_checked", RecentTrees(look))
    return looked


async def warmed(paths: list[str]) -> list[Path]:
    """Let a warm-up work through files; return those it read."""
    read: list[Path] = []

    def text_of(path: Path) -> str | None:
        read.append(path)
        return TEXTS.get(path.name, "x = 1\n")

    tasks = TaskScope("test")
    warm_up = SyntaxWarmUp(text_of, tasks)
    for path in paths:
        warm_up.seen(Path("/p") / path)
    await until(lambda: len(tasks) == 0)
    await tasks.close()
    return read


async def test_an_edit_finds_the_tree_of_what_was_read(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = counted(monkeypatch)
    await warmed(["a.py"])
    assert looked == [b"def f(:\n"]
    assert await check_syntax(Path("/p/a.py"), "def f(:\n") is not None
    assert looked == [b"def f(:\n"]


async def test_only_what_parses_is_read_and_what_is_gone_harms_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked = counted(monkeypatch)
    assert await warmed(["b.txt", "gone.py", "a.py"]) == [Path("/p/a.py"), Path("/p/gone.py")]
    assert looked == [b"def f(:\n"]


async def test_of_many_files_the_last_ones_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    counted(monkeypatch)
    names = [f"{number}.py" for number in range(MAX_WAITING + 5)]
    assert await warmed(names) == [Path("/p") / name for name in reversed(names[5:])]
