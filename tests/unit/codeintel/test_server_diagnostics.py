"""What the model hears of its edits from language servers of our own: real processes, real edits."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pilotfish.codeintel.note_text import MAX_CHARS, MAX_PER_FILE
from pilotfish.codeintel.servers import round as rounds
from pilotfish.codeintel.servers.judge import judge
from pilotfish.codeintel.servers.pool import PoolLimits
from pilotfish.codeintel.servers.rpc import ServerFailure
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.shapes import to_uri

from tests.support.servers import FakeScript, Workshop, workshop
from tests.support.stage import alive
from tests.support.waiting import WAIT_S, until


@pytest.fixture
async def shop(tmp_path: Path, fake: FakeScript) -> AsyncGenerator[Workshop]:
    limits = PoolLimits(first_pause_s=0.05, last_pause_s=0.05)
    async with workshop(tmp_path / "project", [fake.definition], limits=limits) as shop:
        yield shop


KINDS = [{"pull": True}, {"versions": True}, {"versions": False}]
"""How servers tell of diagnostics."""


@pytest.mark.parametrize("kind", KINDS, ids=["pulled", "pushed", "pushed without versions"])
async def test_new_fixed_and_moved_problems(
    shop: Workshop, fake: FakeScript, kind: dict[str, bool]
) -> None:
    fake.set(**kind)
    old = "ERR(old)\nWARN(older)\n"
    shop.write("a.fk", old)
    moved = "\n" * 30 + old
    assert await shop.edited("a.fk", moved) == ""
    assert await shop.edited("a.fk", moved + "ERR(fresh one)\n") == (
        "The edit was applied; these diagnostics are new (fresh, from fake):\n"
        "a.fk:33:1: error: fresh one [fake E1]"
    )
    text = await shop.edited("a.fk", moved)
    assert "no diagnostics are new (fresh, from fake)" in text
    assert "(1 earlier diagnostics are gone.)" in text


async def test_a_new_file_is_judged_against_nothing(shop: Workshop) -> None:
    assert "new.fk:1:1: error: at once" in await shop.edited("new.fk", "ERR(at once)\n")
    assert "is gone" not in await shop.edited("new.fk", "ERR(at once)\nfine\n")


@pytest.mark.parametrize("kind", KINDS, ids=["pulled", "pushed", "pushed without versions"])
async def test_a_caller_in_another_file_that_breaks_is_told(
    shop: Workshop, fake: FakeScript, kind: dict[str, bool]
) -> None:
    fake.set(**kind)
    shop.write("a.fk", "DEF(f)\n")
    shop.related.append(shop.write("caller.fk", "\nUSE(f) ERR(old)\n"))
    text = await shop.edited("a.fk", "DEF(g)\n")
    assert "caller.fk:2:1: error: nobody defines f" in text
    assert "old" not in text


async def test_two_edits_of_a_message_are_judged_as_one(shop: Workshop, fake: FakeScript) -> None:
    shop.write("a.fk", "one\n")
    await shop.edit("a.fk", "ERR(halfway)\n")
    await shop.edit("b.fk", "ERR(b)\n")
    await shop.edit("a.fk", "ERR(end)\n")
    text = await shop.note()
    assert "halfway" not in text
    assert "a.fk:1:1: error: end" in text
    assert "b.fk:1:1: error: b" in text
    (change,) = fake.heard("textDocument/didChange")
    assert change["contentChanges"] == [{"text": "ERR(end)\n"}]


async def test_what_a_slow_server_finds_is_told_with_the_next_call_once(
    shop: Workshop, fake: FakeScript
) -> None:
    shop.write("a.fk", "fine\n")
    assert await shop.edited("a.fk", "still fine\n") == ""
    fake.set(holds=True)
    shop.wait_s = 0.2
    text = await shop.edited("a.fk", "ERR(slow)\n")
    assert "Not judged in time (timed out): a.fk." in text
    assert "slow" not in text
    fake.set()
    await until(lambda: not shop_is_pending(shop))
    assert "(after the last note, from fake):\na.fk:1:1: error: slow" in await shop.note()
    assert await shop.note() == ""


def shop_is_pending(shop: Workshop) -> bool:
    return any(one.is_pending for one in shop.source._rounds.values())


async def test_edits_while_a_judgement_is_late_are_compared_with_what_was_before_both(
    shop: Workshop, fake: FakeScript
) -> None:
    shop.write("a.fk", "ERR(old)\n")
    assert await shop.edited("a.fk", "ERR(old)\n\n") == ""
    fake.set(holds=True)
    shop.wait_s = 0.1
    assert "timed out" in await shop.edited("a.fk", "ERR(old)\nERR(first)\n")
    assert "first" not in await shop.edited("a.fk", "\n\nERR(old)\nERR(first)\nERR(second)\n")
    fake.set()
    await until(lambda: not shop_is_pending(shop))
    text = await shop.note()
    assert "first" in text
    assert "second" in text
    assert "error: old" not in text


async def test_a_server_that_never_answers_costs_the_wait_once(
    shop: Workshop, fake: FakeScript
) -> None:
    fake.set(silent=True)
    shop.wait_s = 0.2
    shop.write("a.fk", "fine\n")
    loop = asyncio.get_running_loop()
    start = loop.time()
    assert "timed out" in await shop.edited("a.fk", "ERR(unseen)\n")
    assert loop.time() - start >= 0.199
    shop.wait_s = 10 * WAIT_S
    async with asyncio.timeout(WAIT_S):
        for number in range(3):
            await shop.edited("a.fk", f"ERR(unseen {number})\n")


async def test_a_crash_is_survived_and_the_server_comes_back(
    shop: Workshop, fake: FakeScript
) -> None:
    shop.write("a.fk", "fine\n")
    assert await shop.edited("a.fk", "fine too\n") == ""
    fake.set(crash_on="textDocument/didChange")
    told = await shop.edited("a.fk", "ERR(unseen)\n")
    assert told == "The edit was applied.\nNot judged by fake: it has ended."
    await until(lambda: shop.pool.table()[0].state == "stopped")
    assert await shop.edited("a.fk", "ERR(still unseen)\n") == ""  # it is told once
    assert "I cannot go on" in shop.pool.table()[0].problem
    fake.set()
    path = shop.root / "a.fk"
    (found,) = await shop.pool.servers_for(path, shop.access)
    await until(lambda: shop.pool.may_start(found))
    assert "a.fk:2:1: error: seen" in await shop.edited("a.fk", "ERR(unseen)\nERR(seen)\n")
    fake.set(crash_on="textDocument/didChange")
    assert "Not judged by fake: it has ended." in await shop.edited("a.fk", "fine\n")


@pytest.mark.parametrize(
    "noise",
    ["hello\r\n\r\n", "Content-Length: 99999999999\r\n\r\n", "Content-Length: 3\r\n\r\n{{{"],
)
async def test_a_server_that_talks_nonsense_is_ended(
    shop: Workshop, fake: FakeScript, noise: str
) -> None:
    fake.set(say_on_start=noise)
    shop.write("a.fk", "fine\n")
    assert "Not judged by fake: " in await shop.edited("a.fk", "ERR(unseen)\n")
    (row,) = shop.pool.table()
    assert row.state == "stopped"
    await until(lambda: shop.governor.list() == ())


async def test_ten_thousand_diagnostics_become_a_short_note(
    shop: Workshop, fake: FakeScript
) -> None:
    fake.set(flood=10_000)
    shop.write("a.fk", "fine\n")
    text = await shop.edited("a.fk", "FLOOD\n")
    assert text.count(": error: ") == MAX_PER_FILE
    assert "more, not shown" in text
    assert len(text) <= MAX_CHARS


async def test_lists_of_older_versions_are_never_believed(shop: Workshop, fake: FakeScript) -> None:
    fake.set(stale=True)
    shop.write("a.fk", "fine\n")
    for number in range(3):
        text = await shop.edited("a.fk", "fine\n" * number + f"ERR({number})\n")
        assert f"a.fk:{number + 1}:1: error: {number} [fake E1]" in text
        assert "(fresh, from fake)" in text
        assert "a lie" not in text


async def test_what_others_wrote_meanwhile_is_known_before_the_edit(
    shop: Workshop, fake: FakeScript
) -> None:
    shop.write("a.fk", "DEF(f)\n")
    shop.write("b.fk", "USE(f)\n")
    assert await shop.edited("a.fk", "DEF(f)\n\n") == ""
    shop.write("a.fk", "DEF(g)\n")  # a command of the agent's, say
    assert await shop.edited("b.fk", "USE(f)\nfine\n") == ""


async def test_documents_stay_few_and_can_all_be_closed(shop: Workshop, fake: FakeScript) -> None:
    for number in range(5):
        await shop.edited(f"{number}.fk", "fine\n")
    assert shop.pool.table()[0].documents == 5
    shop.pool.close_all_files(shop.opener)
    await until(lambda: shop.pool.table()[0].documents == 0)
    assert "0.fk:1:1: error: again" in await shop.edited("0.fk", "ERR(again)\n")
    assert len(fake.heard("textDocument/didClose")) == 5


async def test_nothing_is_started_in_an_untrusted_workspace(
    tmp_path: Path, fake: FakeScript
) -> None:
    async with workshop(tmp_path / "project", [fake.definition], trusted=False) as shop:
        shop.write("a.fk", "fine\n")
        assert await shop.edited("a.fk", "ERR(unseen)\n") == ""
        assert shop.governor.list() == ()
        assert shop.pool.table() == ()
        trusted = replace(shop.access, trusted=True)
        (found,) = await shop.pool.servers_for(shop.root / "a.fk", trusted)
        with pytest.raises(ServerFailure, match="not trusted"):
            await shop.pool.get(found, shop.access)


async def test_a_server_that_nobody_needs_is_stopped_and_started_again(
    tmp_path: Path, fake: FakeScript
) -> None:
    limits = PoolLimits(idle_s=0.3)
    async with workshop(tmp_path / "project", [fake.definition], limits=limits) as shop:
        assert "x" in await shop.edited("a.fk", "ERR(x)\n")
        pid = shop.pool.table()[0].pid
        assert pid is not None
        await until(lambda: shop.pool.table() == () and not alive({pid}))
        assert "y" in await shop.edited("a.fk", "ERR(x)\nERR(y)\n")


async def test_sessions_share_one_server(shop: Workshop, fake: FakeScript) -> None:
    path = shop.write("a.fk", "fine\n")
    sources = [shop.new_source() for _ in range(20)]
    await asyncio.gather(*(one.expect(path, "fine\n") for one in sources))
    for one in sources:
        one.written(path, "ERR(x)\n")
    reports = await asyncio.gather(*(one.after([path], since=0, limit_s=WAIT_S) for one in sources))
    assert [path in one.published for one in reports] == [True] * 20
    assert len(fake.heard("initialize")) == 1
    assert len(shop.governor.list()) == 1


async def test_a_server_that_is_needed_again_while_it_is_put_away_is_there_once(
    tmp_path: Path, fake: FakeScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    leaving, may_leave = asyncio.Event(), asyncio.Event()
    stop = LanguageServer.stop

    async def lingers(server: LanguageServer) -> None:
        leaving.set()
        await may_leave.wait()
        await stop(server)

    monkeypatch.setattr(LanguageServer, "stop", lingers)
    limits = PoolLimits(idle_s=0.3)
    async with workshop(tmp_path / "project", [fake.definition], limits=limits) as shop:
        shop.write("a.fk", "fine\n")
        (found,) = await shop.pool.servers_for(shop.root / "a.fk", shop.access)
        first = await shop.pool.get(found, shop.access)
        async with asyncio.timeout(WAIT_S):
            await leaving.wait()
            second = await shop.pool.get(found, shop.access)
            async with second.turn:  # somebody works with it
                may_leave.set()
                await first.ended.wait()
                await until(lambda: len(shop.governor.list()) == 1)
                assert [row.pid for row in shop.pool.table()] == [second.child.pid]
                assert shop.pool.running(found) is second


async def test_documents_that_nobody_looks_at_are_closed_while_others_are_worked_with(
    tmp_path: Path, fake: FakeScript
) -> None:
    limits = PoolLimits(idle_s=30.0)
    async with workshop(tmp_path / "project", [fake.definition], limits=limits) as shop:
        await shop.edited("old.fk", "fine\n")
        old = to_uri(shop.root / "old.fk")

        def closed() -> bool:
            return any(
                one["textDocument"]["uri"] == old for one in fake.heard("textDocument/didClose")
            )

        (slot,) = shop.pool._slots.values()
        assert slot.server is not None
        (document,) = slot.server.documents._open.values()
        document.used_s -= 2 * limits.idle_s
        await shop.edited("new.fk", "fine\n")
        await until(closed)
        assert len(fake.heard("initialize")) == 1
        assert "x" in await shop.edited("old.fk", "ERR(x)\n")


async def test_a_document_that_was_closed_meanwhile_was_not_repaired(
    shop: Workshop, fake: FakeScript
) -> None:
    other = shop.write("other.fk", "ERR(old)\n")
    shop.related.append(other)
    shop.write("a.fk", "fine\n")
    await shop.edit("a.fk", "fine too\n")
    (work,) = tuple(shop.source._rounds.values())
    await until(lambda: bool(work._before.lists.get(other)))
    shop.pool.close_all_files(shop.opener)  # the conversation was cleared
    await until(lambda: len(fake.heard("textDocument/didClose")) == 2)
    shop.pool.alive()[0].findings.pushed(other, None, [])
    assert "gone" not in await shop.note()


async def test_what_was_not_judged_in_time_before_an_edit_is_not_told_as_its_doing(
    shop: Workshop, fake: FakeScript, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake.set(pull=True)
    shop.write("defs.fk", "DEF(f)\n")
    edited = shop.write("a.fk", "fine\n")
    caller = shop.write("caller.fk", "USE(f)\n")
    shop.related.append(caller)
    assert await shop.edited("defs.fk", "DEF(f)\n\n") == ""

    async def slow(server: LanguageServer, path: Path, *rest: Any) -> bool:
        is_before = server.documents.text_of(edited) != "fine too\n"
        return not (is_before and path == caller) and await judge(server, path, *rest)

    monkeypatch.setattr(rounds, "judge", slow)
    shop.write("defs.fk", "DEF(g)\n")  # the user breaks the caller
    assert "nobody defines f" not in await shop.edited("a.fk", "fine too\n")
    assert "nobody defines h" in await shop.edited("caller.fk", "USE(f)\nUSE(h)\n")
