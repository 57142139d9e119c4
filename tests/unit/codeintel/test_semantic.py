"""What the model hears of language servers' findings."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.codeintel.note_text import (
    MAX_CHARS,
    MAX_PER_FILE,
    MAX_PER_TURN,
    NoteLimits,
    TurnRoom,
    report_of,
)
from pilotfish.codeintel.semantic import (
    SHORT_WAIT_S,
    WAIT_S,
    SemanticDiagnostics,
    ToldProblems,
)
from pilotfish.codeintel.semantic_by_file import SemanticByFile, Teller
from pilotfish.core.ids import TurnId
from pilotfish.ports.diagnostics import Problem, ProblemReport

from tests.support.edit_records import edit_record
from tests.support.waiting import until

ROOT = Path("/w")
TEXT = "".join(f"line {number}\n" for number in range(1, 21))


def problem(
    line: int, message: str = "bad", severity: Literal["error", "warning"] = "error"
) -> Problem:
    return Problem(
        severity=severity, line=line, column=1, message=message, source="ts", code="2304"
    )


@dataclass
class Script:
    """A source whose answers are set by the test."""

    name: str = "a test"
    known: dict[Path, Sequence[Problem]] = field(default_factory=dict[Path, Sequence[Problem]])
    speaks: bool = True
    """Whether it judges what is edited."""
    dead: bool = False
    revision: int = 0
    watched: set[Path] = field(default_factory=set[Path])
    waits: list[float] = field(default_factory=list[float])

    def say(self, name: str, *problems: Problem) -> None:
        self.known[ROOT / name] = problems
        self.revision += 1

    async def now(self) -> ProblemReport | None:
        return None if self.dead else self._report(())

    def begin_batch(self) -> None:
        """Nothing to do."""

    async def expect(self, path: Path, old_text: str | None) -> None:
        """Nothing to do."""

    def written(self, path: Path, new_text: str) -> None:
        """Nothing to do."""

    async def after(
        self, paths: Sequence[Path], *, since: int, limit_s: float
    ) -> ProblemReport | None:
        assert since <= self.revision
        if limit_s > 0:
            self.waits.append(limit_s)
        return None if self.dead else self._report(paths if self.speaks else ())

    def _report(self, published: Sequence[Path]) -> ProblemReport:
        return ProblemReport(
            revision=self.revision,
            problems=dict(self.known),
            published=frozenset(published),
            watched=frozenset(self.watched),
        )


@dataclass
class Agent:
    """An agent that edits, with its source."""

    source: Script = field(default_factory=Script)
    syntax: set[tuple[Path, int]] = field(default_factory=set[tuple[Path, int]])
    room: TurnRoom = field(default_factory=TurnRoom)
    told: ToldProblems | None = None

    def __post_init__(self) -> None:
        self.semantic = SemanticDiagnostics(
            ROOT, self.source, lambda: frozenset(self.syntax), room=self.room, told=self.told
        )

    async def edit(
        self, *says: Problem, name: str = "a.ts", old: str = TEXT, new: str = TEXT, turn: str = "t"
    ) -> None:
        await self.semantic.before_edit(ROOT / name, old)
        self.source.say(name, *says)
        self.semantic.edited(edit_record(ROOT / name, old, new, turn=turn))

    async def note(self) -> str:
        return report_of(await self.semantic.sections())


@pytest.fixture
def agent() -> Agent:
    return Agent()


async def test_a_new_error_is_told_with_place_source_and_freshness(agent: Agent) -> None:
    await agent.edit(problem(3, "Cannot find name 'x'."))
    assert await agent.note() == (
        "The edit was applied; these diagnostics are new (fresh, from a test):\n"
        "a.ts:3:1: error: Cannot find name 'x'. [ts 2304]"
    )
    assert await agent.note() == ""


async def test_old_problems_that_an_edit_moved_are_no_news(agent: Agent) -> None:
    agent.source.say("a.ts", problem(10), problem(15, "other", "warning"))
    new = TEXT.replace("line 5\n", "line 5\nmore\nand more\n")
    await agent.edit(problem(12), problem(17, "other", "warning"), new=new)
    assert await agent.note() == ""


async def test_a_second_one_of_the_same_kind_is_news(agent: Agent) -> None:
    agent.source.say("a.ts", problem(10))
    await agent.edit(problem(10), problem(12))
    assert "a.ts:12:1" in await agent.note()
    await agent.edit(problem(10), problem(12), problem(14))
    assert "a.ts:14:1" in await agent.note()


async def test_what_breaks_elsewhere_is_told_too_and_repairs_are_counted(agent: Agent) -> None:
    agent.source.say("a.ts", problem(1), problem(2))
    await agent.edit(problem(2))
    agent.source.say("caller.ts", problem(7, "Expected 2 arguments."))
    text = await agent.note()
    assert "caller.ts:7:1: error: Expected 2 arguments." in text
    assert "(1 earlier diagnostics are gone.)" in text


async def test_errors_come_before_warnings(agent: Agent) -> None:
    await agent.edit(problem(1, "w", "warning"), problem(9, "e"))
    lines = (await agent.note()).splitlines()
    assert ["error" in line for line in lines[1:]] == [True, False]


async def test_errors_of_all_files_come_before_warnings_of_any(agent: Agent) -> None:
    await agent.edit(problem(1, "careful", "warning"), name="a.ts")
    agent.source.say("b.ts", problem(7, "broken caller"))
    text = await agent.note()
    assert text.index("broken caller") < text.index("careful")


async def test_all_that_tell_an_agent_share_what_may_be_told_in_a_turn() -> None:
    room = TurnRoom(lambda: NoteLimits(per_file=2, per_turn=3))
    agent = Agent(room=room)
    room.begin(TurnId("t"))
    assert room.take(1) == 1  # a syntax error, say
    await agent.edit(*(problem(1, f"m{number}") for number in range(5)))
    assert (await agent.note()).count(": error: ") == 2
    await agent.edit(problem(1, "one too many"), name="b.ts")
    assert "(1 more, not shown)" in await agent.note()
    await agent.edit(problem(1, "next turn"), name="c.ts", turn="u")
    assert "next turn" in await agent.note()


async def test_what_two_of_them_find_alike_is_told_once() -> None:
    """An editor and a server of ours may look at the same file, each because of another edit."""
    told: ToldProblems = {}
    editor, own = Agent(told=told), Agent(told=told)
    for one in (editor, own):
        await one.edit(problem(3, "both"), name="a.ts")
    await own.edit(problem(3, "both"), problem(3, "own"), name="a.ts")
    assert "both" in await editor.note()
    note = await own.note()
    assert "own" in note
    assert "both" not in note


async def test_silence_about_a_file_that_is_watched_does_not_bench_the_source(agent: Agent) -> None:
    agent.source.speaks = False
    agent.source.watched = {ROOT / "a.ts"}
    for _ in range(3):
        await agent.edit()
        assert await agent.note() == ""
    assert agent.source.waits == [WAIT_S] * 3


async def test_a_batch_is_judged_as_one(agent: Agent) -> None:
    await agent.edit(problem(3))
    await agent.edit(old=TEXT)
    assert await agent.note() == ""
    assert len(agent.source.waits) == 1


async def test_a_syntax_error_is_not_told_twice(agent: Agent) -> None:
    agent.syntax.add((ROOT / "a.ts", 3))
    await agent.edit(problem(3), problem(3, "unused", "warning"), problem(4))
    text = await agent.note()
    assert "a.ts:3:1: error" not in text
    assert "a.ts:3:1: warning" in text
    assert "a.ts:4:1: error" in text


async def test_a_silent_source_costs_one_wait_for_each_file_until_it_speaks_of_it(
    agent: Agent,
) -> None:
    agent.source.speaks = False
    for _ in range(3):
        await agent.edit()
        await agent.note()
    assert agent.source.waits == [WAIT_S]
    agent.source.speaks = True
    await agent.edit()
    await agent.note()
    await agent.edit()
    await agent.note()
    assert agent.source.waits == [WAIT_S, WAIT_S]


async def test_a_file_of_a_kind_that_the_source_is_silent_about_costs_a_short_wait(
    agent: Agent,
) -> None:
    agent.source.speaks = False
    for name in ("a.ts", "b.ts", "c.py", "b.ts"):
        await agent.edit(name=name)
        await agent.note()
    assert agent.source.waits == [WAIT_S, SHORT_WAIT_S, WAIT_S]
    agent.source.speaks = True
    await agent.edit(name="b.ts")
    await agent.note()
    await agent.edit(name="d.ts")
    await agent.note()
    assert agent.source.waits[3:] == [WAIT_S]


async def test_beside_a_benched_file_another_one_is_waited_for_and_both_are_told(
    agent: Agent,
) -> None:
    agent.source.speaks = False
    await agent.edit()
    await agent.note()
    agent.source.speaks = True
    await agent.edit(problem(3))
    await agent.edit(problem(4), name="b.ts")
    text = await agent.note()
    assert "a.ts:3:1" in text
    assert "b.ts:4:1" in text
    assert agent.source.waits == [WAIT_S, SHORT_WAIT_S]


async def test_what_arrives_late_is_told_once_and_labelled(agent: Agent) -> None:
    agent.source.speaks = False
    await agent.edit()
    assert await agent.note() == ""
    agent.source.say("a.ts", problem(3))
    assert "(after the last note, from a test)" in await agent.note()
    assert await agent.note() == ""
    # Found when the next batch begins: it must not vanish into what was known before.
    agent.source.say("a.ts", problem(3), problem(8))
    await agent.edit(problem(3), problem(8))
    text = await agent.note()
    assert "a.ts:8:1" in text
    assert "a.ts:3:1" not in text


async def test_what_arrived_before_a_stop_is_told_in_the_next_turn_once(agent: Agent) -> None:
    agent.source.speaks = False
    await agent.edit()
    assert await agent.note() == ""
    agent.source.say("a.ts", problem(3))
    await agent.edit(problem(3), name="b.ts")  # what came late is found now; then the user stops
    agent.semantic.begin_turn()
    text = await agent.note()
    assert text.count("a.ts:3:1") == 1
    # What comes after the turn may be the user's own.
    agent.semantic.begin_turn()
    agent.source.say("a.ts", problem(3), problem(8))
    assert await agent.note() == ""


@dataclass
class Hanging(Script):
    """One that can be made to keep whoever asks waiting for good."""

    hangs: bool = False
    begun: asyncio.Event = field(default_factory=asyncio.Event)

    async def after(
        self, paths: Sequence[Path], *, since: int, limit_s: float
    ) -> ProblemReport | None:
        if self.hangs:
            self.begun.set()
            await asyncio.get_running_loop().create_future()
        return await super().after(paths, since=since, limit_s=limit_s)


async def stopped_while_asking() -> Agent:
    """Have a Stop end the judgement of an edit; whoever is asked answers from then on."""
    source = Hanging(hangs=True)
    agent = Agent(source)
    await agent.edit(problem(3))
    asked = asyncio.gather(agent.semantic.sections())
    await source.begun.wait()
    asked.cancel()
    with suppress(asyncio.CancelledError):
        await asked
    source.hangs = False
    return agent


async def test_a_batch_whose_judgement_a_stop_has_ended_is_told_in_the_next_turn_once() -> None:
    agent = await stopped_while_asking()
    agent.semantic.begin_turn()
    assert (await agent.note()).count("a.ts:3:1") == 1
    assert await agent.note() == ""
    await agent.edit(problem(3), problem(5))
    text = await agent.note()
    assert "a.ts:5:1" in text
    assert "a.ts:3:1" not in text


async def test_edits_after_such_a_stop_are_judged_with_those_before_it() -> None:
    agent = await stopped_while_asking()
    await agent.edit(problem(4), name="b.ts")
    text = await agent.note()
    assert text.count("a.ts:3:1") == text.count("b.ts:4:1") == 1


async def test_a_stop_while_one_source_is_waited_for_loses_nothing_that_had_arrived() -> None:
    told: ToldProblems = {}
    source = Hanging("slow")
    quick, slow = Agent(Script("quick"), told=told), Agent(source, told=told)
    tellers: dict[Teller, SemanticDiagnostics] = {"editor": quick.semantic, "own": slow.semantic}
    both = SemanticByFile(tellers, lambda _: answer(("editor", "own")), told)
    slow.source.speaks = False
    await both.before_edit(ROOT / "a.ts", TEXT)
    both.edited(edit_record(ROOT / "a.ts", TEXT, TEXT))
    assert await both.sections() == []
    slow.source.say("a.ts", problem(3, "slow"))
    await both.before_edit(ROOT / "a.ts", TEXT)
    both.edited(edit_record(ROOT / "a.ts", TEXT, TEXT))
    quick.source.say("a.ts", problem(4, "quick"))
    source.hangs = True
    asked = asyncio.gather(both.sections())
    await until(lambda: source.begun.is_set() and (ROOT / "a.ts", 4, "quick") in told)
    asked.cancel()
    with suppress(asyncio.CancelledError):
        await asked
    source.hangs = False
    both.begin_turn()
    text = report_of(await both.sections())
    assert [text.count(f"error: {name}") for name in ("quick", "slow")] == [1, 1]
    assert await both.sections() == []


async def answer(names: Sequence[Teller]) -> Sequence[Teller]:
    return names


async def test_a_partial_answer_says_so(agent: Agent) -> None:
    class HalfSilent(Script):
        def _report(self, published: Sequence[Path]) -> ProblemReport:
            return super()._report(published[:1])

    agent = Agent(HalfSilent())
    await agent.edit(problem(3))
    await agent.edit(name="b.ts")
    assert "(partial, from a test)" in await agent.note()


async def test_a_dead_source_says_nothing_and_breaks_nothing(agent: Agent) -> None:
    agent.source.dead = True
    await agent.edit(problem(1))
    assert await agent.note() == ""
    agent.source.dead = False
    await agent.edit(problem(1))
    agent.source.dead = True
    assert await agent.note() == ""


async def test_numbers_are_bounded(agent: Agent) -> None:
    many = [problem(1, f"{number} " + "x" * 1000) for number in range(50)]
    told = 0
    for number in range(5):
        await agent.edit(*many, name=f"{number}.ts")
        text = await agent.note()
        assert len(text) <= MAX_CHARS
        told += text.count(": error: ")
        assert text.count(": error: ") <= MAX_PER_FILE
    assert told <= MAX_PER_TURN
    await agent.edit(problem(1, "next turn"), name="z.ts", turn="u")
    assert "next turn" in await agent.note()


@given(st.lists(st.integers(1, 20), max_size=8), st.integers(0, 20), st.integers(1, 5))
async def test_moving_lines_makes_no_news(lines: list[int], at: int, count: int) -> None:
    agent = Agent()
    agent.source.say("a.ts", *(problem(line) for line in lines))
    rows = TEXT.splitlines(keepends=True)
    new = "".join([*rows[:at], *["new\n"] * count, *rows[at:]])
    moved = [problem(line + count if line > at else line) for line in lines]
    await agent.edit(*moved, new=new)
    assert await agent.note() == ""
