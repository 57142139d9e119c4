"""The report on edits: one note, with room for all who have something to tell."""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel import after_edit
from pilotfish.codeintel.after_edit import DiagnosticsAfterEdit
from pilotfish.codeintel.edit_report import EditReport
from pilotfish.codeintel.note_text import MAX_CHARS, Section, TurnRoom, report_of
from pilotfish.codeintel.semantic import SemanticDiagnostics
from pilotfish.codeintel.syntax import SyntaxReport, check_syntax
from pilotfish.ports.diagnostics import Problem, ProblemReport

from tests.support.edit_records import edit_record
from tests.support.waiting import WAIT_S

ROOT = Path("/w")
WIDE = "w" * 280


class Finder:
    """A language server that finds what the test puts into ``found``, or judges nothing yet."""

    name = "a server"

    def __init__(self) -> None:
        self.found: dict[Path, list[Problem]] = {}
        self.late = False

    async def now(self) -> ProblemReport:
        return self._report(())

    def begin_batch(self) -> None:
        """Nothing to do."""

    async def expect(self, path: Path, old_text: str | None) -> None:
        """Nothing to do."""

    def written(self, path: Path, new_text: str) -> None:
        """Nothing to do."""

    async def after(self, paths: Sequence[Path], *, since: int, limit_s: float) -> ProblemReport:
        return self._report(paths)

    def _report(self, paths: Sequence[Path]) -> ProblemReport:
        known = {} if self.late else {path: self.found.get(path, []) for path in paths}
        return ProblemReport(
            revision=0,
            problems=known,
            published=frozenset(known),
            baseline={},
            pending=frozenset(paths if self.late else ()),
        )


class Agent:
    """An agent that edits."""

    def __init__(self) -> None:
        self.finder = Finder()
        room = TurnRoom()
        syntax = DiagnosticsAfterEdit(ROOT, room=room)
        semantic = SemanticDiagnostics(ROOT, self.finder, lambda: syntax.told_places, room=room)
        self.report = EditReport(syntax, semantic)

    async def edit(self, name: str, new: str) -> None:
        path = ROOT / name
        await self.report.before_edit(path, "")
        self.report.edited(edit_record(path, "", new))

    def find(self, name: str, count: int, *, line: int = 1) -> None:
        self.finder.found[ROOT / name] = [
            Problem(
                severity="error",
                line=line + at,
                column=1,
                message=f"meaning {at} {WIDE}",
                source="s",
                code="",
            )
            for at in range(count)
        ]

    async def told(self) -> str:
        """Return what the model hears with its next call: one note at most."""
        notes = await self.report.collect()
        assert len(notes) <= 1
        assert all(one.origin == "diagnostics" for one in notes)
        return "".join(one.text for one in notes)


@pytest.fixture
def agent() -> Agent:
    return Agent()


def broken(count: int) -> str:
    return "".join(f"{'y' * 200}{n} = = {n}\n" for n in range(count))


async def test_syntax_and_meaning_are_one_report_within_its_limit(agent: Agent) -> None:
    for name in ("d" * 150 + ".py", "e" * 150 + ".py"):
        await agent.edit(name, broken(10))
    await agent.edit("m.py", "fine = 1\n")
    agent.find("m.py", 10)
    text = await agent.told()
    assert len(text) <= MAX_CHARS
    assert text.count("syntax error:") >= 4
    assert text.count("meaning ") >= 4
    hidden = [int(number) for number in re.findall(r"\((\d+) more, not shown\)", text)]
    assert text.count("syntax error:") + text.count("meaning ") + sum(hidden) == 30


async def test_what_comes_late_has_the_room_of_a_report(agent: Agent) -> None:
    await agent.edit("a.py", broken(10))
    agent.find("a.py", 10, line=20)
    agent.finder.late = True
    first = await agent.told()
    assert "Not judged in time (timed out): a.py" in first
    assert first.count("syntax error:") == 10
    agent.finder.late = False
    late = await agent.told()
    assert late.count("meaning ") == 10
    assert await agent.told() == ""


async def stop(agent: Agent, begun: asyncio.Event) -> None:
    """Collect, and stop as soon as that has begun to wait for something."""
    async with asyncio.timeout(WAIT_S), asyncio.TaskGroup() as group:
        collecting = group.create_task(agent.report.collect())
        await begun.wait()
        collecting.cancel()
    assert collecting.cancelled()


async def test_a_stop_while_a_server_is_waited_for_loses_no_syntax_error(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def hang(*_: object, **__: object) -> ProblemReport:
        begun.set()
        return await asyncio.get_running_loop().create_future()

    await agent.edit("a.py", "def f(a:\n")
    with monkeypatch.context() as patch:
        patch.setattr(agent.finder, "after", hang)
        await stop(agent, begun)
    agent.report.begin_turn()
    assert "a.py:1:1: syntax error" in await agent.told()
    assert await agent.told() == ""


async def test_a_stop_while_syntax_is_checked_loses_no_syntax_error(
    agent: Agent, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = asyncio.Event()

    async def hang(path: Path, text: str) -> SyntaxReport | None:
        if path.name == "b.py":
            begun.set()
            await asyncio.get_running_loop().create_future()
        return await check_syntax(path, text)

    for name in ("a.py", "b.py", "c.py"):
        await agent.edit(name, "def f(a:\n")
    with monkeypatch.context() as patch:
        patch.setattr(after_edit, "check_syntax", hang)
        await stop(agent, begun)
    # What is mended before anybody has heard of it is no news.
    await agent.edit("c.py", "fine = 1\n")
    text = await agent.told()
    assert re.findall(r"(\w\.py):1:1: syntax error", text) == ["a.py", "b.py"]
    assert "c.py" not in text
    assert await agent.told() == ""


async def test_a_syntax_error_is_told_by_one_alone_however_late_the_other_comes(
    agent: Agent,
) -> None:
    await agent.edit("a.py", "def f(a:\n    return a\n")
    agent.find("a.py", 1)
    agent.finder.late = True
    assert "a.py:1:1: syntax error" in await agent.told()
    assert await agent.told() == ""
    agent.finder.late = False
    assert await agent.told() == ""


def test_what_must_be_heard_is_heard_however_much_was_found() -> None:
    lines = [f"{at}: {WIDE}" for at in range(30)]
    remarks = ["Not judged in time (timed out): a.py."]
    text = report_of([Section(head="New:", lines=lines, hidden=5, remarks=remarks)])
    shown = text.count(WIDE)
    assert text.endswith(f"({35 - shown} more, not shown)\n{remarks[0]}")
    assert 10 < shown < 30


def test_who_has_little_to_say_leaves_the_rest_to_others() -> None:
    long = Section(head="Long:", lines=[f"{at}: {WIDE}" for at in range(12)])
    short = Section(head="Short:", lines=["one"])
    text = report_of([long, short, short])
    assert text.count(WIDE) == 12
    assert text.endswith("Short:\none\nShort:\none")


_LINES = st.lists(st.text("x", max_size=3000), max_size=30)


@given(
    st.lists(
        st.builds(Section, head=st.text("h", max_size=900), lines=_LINES, remarks=_LINES),
        min_size=1,
        max_size=5,
    )
)
def test_a_report_is_never_too_long(sections: list[Section]) -> None:
    assert len(report_of(sections)) <= MAX_CHARS
