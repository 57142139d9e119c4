"""Which agents are listed, until when, and what a view hears of them."""

import asyncio
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.agent_events import AgentBackgrounded, AgentResumed
from pilotfish.core.agents import AgentEntry, AgentWorktree
from pilotfish.core.errors import AgentError
from pilotfish.core.events import ReplyFinished, ToolStarted
from pilotfish.core.ids import AgentId, MessageId, ToolUseId
from pilotfish.core.messages import Usage
from pilotfish.core.passing_events import AgentsChanged
from pilotfish.session.agent_roster import GRACE_MS, MAX_VIEWS
from pilotfish.session.agent_rows import AgentRow, listed

from tests.support.made_up_agents import MadeUp, facts, outcome
from tests.support.waiting import until

GRACE_S = GRACE_MS / 1000


def told(made: MadeUp) -> list[int]:
    return [one.event.revision for one in made.heard if isinstance(one.event, AgentsChanged)]


async def test_agents_in_the_background_are_listed_by_their_start(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        assert made.listed() == []
        for agent in ("c", "a", "b"):
            made.start(agent)
            made.clock.advance(1)
        made.start("front", is_background=False)
        assert made.listed() == ["c", "a", "b"]
        assert [row.entry.agent_id for row in made.session.roster.foreground()] == ["front"]
        made.session.log.emit(AgentBackgrounded(agent_id=AgentId("front")))
        assert made.listed() == ["c", "a", "b", "front"]
        assert made.session.roster.foreground() == []


async def test_a_row_goes_by_itself_some_time_after_the_end(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        made.start("a")
        made.clock.advance(GRACE_S * 3)
        assert made.listed() == ["a"], "while it runs it stays"
        made.end("a")
        await made.clock.wait_for_sleeper()
        made.clock.advance(GRACE_S - 1)
        assert made.listed() == ["a"]
        await until(lambda: bool(told(made)))
        before = len(told(made))
        made.clock.advance(1)
        assert made.listed() == []
        await until(lambda: len(told(made)) > before)  # nobody has touched anything
        assert made.clock.sleepers == 0


async def test_what_is_looked_at_stays_and_goes_after_it_was_left(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        roster = made.session.roster
        agent = made.start("a")
        roster.view(agent)
        made.end("a")
        made.clock.advance(GRACE_S * 10)
        assert made.listed() == ["a"]
        assert roster.viewed == (agent,)
        assert roster.row(agent).evict_at_ms is None
        roster.unview()
        assert roster.viewed == ()
        made.clock.advance(GRACE_S - 1)
        assert made.listed() == ["a"]
        made.clock.advance(1)
        assert made.listed() == []


async def test_looking_again_in_the_grace_keeps_the_row(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        agent, other = made.start("a"), made.start("b")
        made.end("a")
        made.clock.advance(GRACE_S / 2)
        made.session.roster.view(agent)
        made.clock.advance(GRACE_S * 2)
        assert made.listed() == ["a", "b"]
        made.session.roster.view(other)
        assert made.session.roster.row(agent).evict_at_ms == made.clock.now_ms() + GRACE_MS
        made.session.roster.unview()
        assert made.session.roster.row(other).evict_at_ms is None, "it runs"


async def test_an_ended_agent_is_dismissed_at_once_and_a_running_one_is_not(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        roster = made.session.roster
        agent = made.start("a")
        with pytest.raises(AgentError, match="still runs"):
            roster.dismiss(agent)
        made.end("a")
        roster.view(agent)
        roster.dismiss(agent)
        assert (made.listed(), roster.viewed) == ([], ())
        with pytest.raises(AgentError, match="no agent 'x'"):
            roster.dismiss(AgentId("x"))


async def test_an_agent_that_goes_on_is_listed_again(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        agent = made.start("a")
        made.end("a")
        made.session.roster.dismiss(agent)
        made.session.log.emit(AgentResumed(agent_id=agent))
        assert made.listed() == ["a"]
        assert made.session.roster.row(agent).evict_at_ms is None


async def test_an_end_is_final(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        agent = made.start("a")
        made.end("a", "first", status="killed")
        made.end("a", "second", status="completed")
        entry = made.session.roster.row(agent).entry
        assert (entry.status, entry.outcome and entry.outcome.text) == ("killed", "first")


async def test_a_row_tells_what_its_agent_does_and_has_used(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        agent, child = made.start("a"), made.child("a")
        made.session.roster.follow(agent, child)
        child.log.emit(
            ToolStarted(
                tool_use_id=ToolUseId("t"),
                tool="Grep",
                title="Grep needle",
                kind="search",
                input={},
            )
        )
        reply = ReplyFinished(
            message_id=MessageId("m"),
            model="m",
            stop_reason="tool_use",
            usage=Usage(input_tokens=900, output_tokens=100),
            cost_usd=None,
        )
        child.log.emit(reply)
        row = made.session.roster.row(agent)
        assert (row.activity, row.tokens, row.tool_uses) == ("Grep needle", 1_000, 1)
        assert row.activity_tool == "Grep"
        made.end("a", total_tokens=1_200, tool_uses=2)
        row = made.session.roster.row(agent)
        assert (row.activity, row.tokens, row.tool_uses) == ("", 1_200, 2)
        child.log.emit(reply)
        assert made.session.roster.row(agent).tokens == 1_200
        await child.close()


async def test_many_changes_are_told_together_and_in_growing_numbers(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        child = made.child("a")
        made.session.roster.follow(made.start("a"), child)
        for number in range(500):
            child.log.emit(
                ToolStarted(
                    tool_use_id=ToolUseId(f"t{number}"), tool="T", title="t", kind="read", input={}
                )
            )
        revision = made.session.roster.revision
        await until(lambda: bool(told(made)))
        assert told(made) == [revision]
        made.session.roster.view(AgentId("a"))
        assert told(made) == [revision, revision + 1], "what the user does is shown at once"
        await child.close()


async def test_only_one_timer_runs_however_many_agents_have_ended(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        for number in range(50):
            made.start(f"a{number}")
            made.end(f"a{number}")
            made.clock.advance(0.1)
        await made.clock.wait_for_sleeper()
        await asyncio.sleep(0)
        assert made.clock.sleepers == 1
        made.clock.advance(GRACE_S + 10)
        await until(lambda: made.clock.sleepers == 0)
        assert made.listed() == []


async def test_what_is_shown_of_foreground_agents_follows_their_parents(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        roster, children = made.session.roster, [made.child(one) for one in "abcd"]
        made.start("a", is_background=False)
        made.start("b", is_background=False, parent=AgentId("a"), depth=2)
        made.start("c")
        made.start("d", is_background=False, parent=AgentId("c"), depth=2)
        for agent, child in zip("abcd", children, strict=True):
            roster.follow(AgentId(agent), child)
        assert roster.shown() == {"a", "b"}
        roster.view(AgentId("c"))
        assert roster.shown() == {"a", "b", "c", "d"}
        made.end("b")
        assert roster.shown() == {"a", "c", "d"}
        for child in children:
            await child.close()


async def test_several_views_look_at_agents_of_their_own(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        roster = made.session.roster
        one, other = made.start("a"), made.start("b")
        children = [made.child("a"), made.child("b")]
        for agent, child in zip((one, other), children, strict=True):
            roster.follow(agent, child)
        roster.view(one, "left")
        roster.view(other, "right")
        assert roster.viewed == (one, other)
        assert roster.shown() == {one, other}, "each goes on before the eyes of its view"
        roster.view(one, "right")
        assert roster.viewed == (one,)
        made.end("a")
        roster.unview("left")
        made.clock.advance(GRACE_S + 1)
        assert "a" in made.listed(), "somebody still looks at it"
        roster.unview("right")
        made.clock.advance(GRACE_S + 1)
        await until(lambda: "a" not in made.listed())
        for number in range(MAX_VIEWS + 5):
            roster.view(other, f"view {number}")
        assert len(roster._views) == MAX_VIEWS
        for child in children:
            await child.close()


async def test_work_in_a_worktree_is_found_after_its_row_has_gone(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        roster = made.session.roster
        for name, background, kept in (
            ("a", True, True),
            ("b", False, True),
            ("c", True, False),
            ("d", True, None),
        ):
            tree = AgentWorktree(path=f"/w/{name}", branch=name, owner=name)
            made.start(name, is_background=background, worktree=tree)
            made.end(name, worktree_kept=kept)

        def found() -> list[str]:
            return [row.entry.agent_id for row in roster.with_work()]

        assert found() == ["b"], "nobody lists an agent that was waited for"
        made.clock.advance(GRACE_S + 1)
        await until(lambda: made.listed() == [])
        assert found() == ["a", "b"]
        roster.dismiss(AgentId("a"))
        assert found() == ["b"]


async def test_nothing_is_left_when_everything_has_ended(tmp_path: Path) -> None:
    async with MadeUp.open(tmp_path) as made:
        listeners = made.session.log.listeners
        children = [made.child(f"a{number}") for number in range(20)]
        for number, child in enumerate(children):
            agent = made.start(f"a{number}")
            made.session.roster.follow(agent, child)
        before = [child.log.listeners for child in children]
        for number in range(20):
            made.end(f"a{number}")
        made.clock.advance(GRACE_S + 1)
        await until(lambda: made.clock.sleepers == 0)
        assert made.listed() == []
        assert made.session.log.listeners == listeners
        assert [child.log.listeners + 1 for child in children] == before
        for child in children:
            await child.close()


@given(
    st.lists(
        st.tuples(st.integers(0, 50), st.booleans(), st.one_of(st.none(), st.integers(0, 100))),
        max_size=20,
    ),
    st.integers(0, 100),
)
def test_the_list_rule_holds_whatever_the_rows(
    shapes: list[tuple[int, bool, int | None]], now_ms: int
) -> None:
    rows = [
        AgentRow(
            entry=AgentEntry(
                facts=facts(f"a{number}", started_ms=start),
                is_background=background,
                outcome=None if evict is None else outcome(),
            ),
            tokens=0,
            tool_uses=0,
            activity="",
            activity_tool="",
            open_questions=0,
            evict_at_ms=evict,
        )
        for number, (start, background, evict) in enumerate(shapes)
    ]
    shown = listed(random.Random(now_ms).sample(rows, len(rows)), now_ms)
    starts = [row.entry.facts.started_ms for row in shown]
    assert starts == sorted(starts)
    for row in rows:
        gone = row.evict_at_ms is not None and row.evict_at_ms <= now_ms
        assert (row in shown) == (row.entry.is_background and not gone)
