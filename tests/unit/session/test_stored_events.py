"""A look into an agent that has ended begins with the end of its transcript."""

from pathlib import Path

import pytest
from pilotfish.core.errors import SessionError
from pilotfish.core.events import BlockFinished, EventRecord, KeptEvent, TodosChanged, TurnStarted
from pilotfish.core.ids import MAIN_AGENT, MessageId, TurnId
from pilotfish.core.messages import TextBlock
from pilotfish.core.todos import TodoItem
from pilotfish.session import codec
from pilotfish.session import stored_events as module
from pilotfish.session.stored_events import StoredEvents, StoredPage

COUNT = 300
PAGE = 10_000


def said(number: int, size: int = 200) -> KeptEvent:
    block = TextBlock(text=f"{number} é\n" + "x" * size)
    return BlockFinished(message_id=MessageId(f"m{number}"), block_index=0, block=block)


def line(seq: int, event: KeptEvent) -> bytes:
    return codec.to_line(EventRecord(seq=seq, time_ms=seq, event=event, agent_id=MAIN_AGENT))


def write(path: Path, *events: KeptEvent, torn: bytes = b"") -> StoredEvents:
    path.write_bytes(b"".join(line(seq, one) for seq, one in enumerate(events, start=1)) + torn)
    return StoredEvents(path)


def seqs(stored: StoredPage) -> list[int]:
    return [record.seq for record in stored.page.records]


async def test_the_latest_page_is_had_without_going_through_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_: Path) -> None:
        raise AssertionError("all of it is read")

    stored = write(tmp_path / "a.jsonl", *map(said, range(COUNT)))
    monkeypatch.setattr(module, "index_of", never)
    latest = await stored.page(max_bytes=PAGE)
    assert latest.last_seq == COUNT
    assert latest.page.has_earlier
    assert seqs(latest) == list(range(seqs(latest)[0], COUNT + 1))
    assert len(seqs(latest)) > 10


async def test_its_pages_hold_every_event_once(tmp_path: Path) -> None:
    stored = write(tmp_path / "a.jsonl", *map(said, range(COUNT)))
    page = await stored.page(max_bytes=PAGE)
    found = seqs(page)
    while page.page.has_earlier:
        page = await stored.page(before=found[0], max_bytes=PAGE)
        found = [*seqs(page), *found]
    assert found == list(range(1, COUNT + 1))


async def test_what_a_view_has_already_is_left_out(tmp_path: Path) -> None:
    stored = write(tmp_path / "a.jsonl", *map(said, range(COUNT)))
    newer = await stored.page(after=COUNT - 3, max_bytes=PAGE)
    assert (seqs(newer), newer.page.has_earlier) == ([298, 299, 300], False)
    assert seqs(await stored.page(after=COUNT, max_bytes=PAGE)) == []


@pytest.mark.parametrize("torn", [b"", b'{"seq":4,"time', b"\0\0\0\0"])
async def test_an_event_longer_than_a_page_is_shown_and_a_torn_end_is_not(
    tmp_path: Path, torn: bytes
) -> None:
    turn = TurnStarted(turn_id=TurnId("t"), model="m")
    stored = write(tmp_path / "a.jsonl", turn, said(1), said(2, 5 * PAGE), torn=torn)
    page = await stored.page(max_bytes=PAGE)
    assert (seqs(page), page.last_seq, page.page.has_earlier) == ([3], 3, True)


async def test_the_todos_are_those_that_were_set_last(tmp_path: Path) -> None:
    first, last = (
        TodosChanged(todos=(TodoItem(content=word, active_form=word, status="pending"),))
        for word in ("one", "two")
    )
    stored = write(tmp_path / "a.jsonl", first, last, *map(said, range(COUNT)))
    assert [todo.content for todo in (await stored.page(max_bytes=PAGE)).todos] == ["two"]


async def test_an_empty_one_and_one_that_is_gone(tmp_path: Path) -> None:
    stored = write(tmp_path / "a.jsonl")
    empty = await stored.page()
    assert (seqs(empty), empty.last_seq, empty.page.has_earlier) == ([], 0, False)
    (tmp_path / "a.jsonl").unlink()
    with pytest.raises(SessionError, match="not on disk any more"):
        await stored.page()
