"""The file history on disk."""

from pathlib import Path

import pytest
from pilotfish.core.ids import MAIN_AGENT, SessionId, ToolUseId, TurnId
from pilotfish.util.clock import SystemClock
from pilotfish.util.whole_file import replace_file
from pilotfish.workspace import history
from pilotfish.workspace.history import Checkpoint, FileHistory, WriteOrigin

from tests.support.full_disk import files_end_at
from tests.support.stage import names_in


def origin(turn: int = 1) -> WriteOrigin:
    return WriteOrigin(
        session_id=SessionId("s"),
        turn_id=TurnId(f"turn_{turn}"),
        agent_id=MAIN_AGENT,
        tool_use_id=ToolUseId("toolu"),
    )


async def add(
    store: FileHistory, before: bytes | None, after: bytes, *, turn: int = 1
) -> Checkpoint:
    mode = None if before is None else 0o644
    return await store.add(origin(turn), Path("/w/ä\udcff"), before=before, after=after, mode=mode)


async def test_checkpoints_survive_a_restart(tmp_path: Path) -> None:
    first = await add(FileHistory(tmp_path, SystemClock()), b"one", b"two")
    second = await add(FileHistory(tmp_path, SystemClock()), None, b"new")
    again = FileHistory(tmp_path, SystemClock())
    assert await again.checkpoints() == (first, second)
    assert first.before is not None
    assert await again.content(first.before) == b"one"


async def test_same_content_is_stored_once(tmp_path: Path) -> None:
    store = FileHistory(tmp_path, SystemClock())
    for number in range(5):
        await add(store, b"same", b"same" if number % 2 else b"other")
    assert len(list((tmp_path / "blobs").iterdir())) == 2


async def test_void_takes_a_checkpoint_back_for_good(tmp_path: Path) -> None:
    store = FileHistory(tmp_path, SystemClock())
    await store.void(await add(store, b"a", b"b"))
    assert await store.checkpoints() == ()
    assert await FileHistory(tmp_path, SystemClock()).checkpoints() == ()


@pytest.mark.parametrize("torn", [b'{"id": "ckpt_', b"\xff\xfe", b"[1]\n", b'{"id": 1}\n'])
async def test_torn_or_foreign_line_costs_no_other_line(tmp_path: Path, torn: bytes) -> None:
    first = await add(FileHistory(tmp_path, SystemClock()), b"a", b"b")
    with (tmp_path / "checkpoints.jsonl").open("ab") as file:
        file.write(torn)
    second = await add(FileHistory(tmp_path, SystemClock()), b"b", b"c")
    assert await FileHistory(tmp_path, SystemClock()).checkpoints() == (first, second)


async def test_oldest_turn_goes_first_with_its_contents(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MAX_TURNS", 2)
    store = FileHistory(tmp_path, SystemClock())
    for turn in range(4):
        await add(store, f"before {turn}".encode(), f"after {turn}".encode(), turn=turn)
    kept = await store.checkpoints()
    assert [each.origin.turn_id for each in kept] == ["turn_2", "turn_3"]
    assert await FileHistory(tmp_path, SystemClock()).checkpoints() == kept
    assert len(list((tmp_path / "blobs").iterdir())) == 4


async def test_nothing_is_on_disk_before_the_first_write(tmp_path: Path) -> None:
    store = FileHistory(tmp_path / "h", SystemClock())
    assert await store.checkpoints() == ()
    assert not (tmp_path / "h").exists()


async def test_what_was_looked_at_survives_a_restart_and_pruning(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MAX_TURNS", 2)
    store = FileHistory(tmp_path, SystemClock())
    first = await add(store, b"a", b"b")
    await store.mark_reviewed(first.path, baseline=b"a half", current=b"b and mine")
    for turn in (2, 3):
        await add(store, b"b", f"c {turn}".encode(), turn=turn)
    again = FileHistory(tmp_path, SystemClock())
    mark = await again.mark_of(first.path)
    assert mark is not None
    assert mark == await store.mark_of(first.path)
    assert mark.after == first.id
    assert mark.baseline is not None
    assert mark.current is not None
    assert await again.content(mark.baseline) == b"a half"
    assert await again.content(mark.current) == b"b and mine"
    assert await again.mark_of(Path("/w/other")) is None


async def test_a_file_that_does_not_exist_can_be_looked_at(tmp_path: Path) -> None:
    store = FileHistory(tmp_path, SystemClock())
    written = await add(store, None, b"new")
    await store.mark_reviewed(written.path, baseline=None, current=None)
    mark = await FileHistory(tmp_path, SystemClock()).mark_of(written.path)
    assert mark is not None
    assert (mark.baseline, mark.current) == (None, None)


@pytest.mark.parametrize("fault", ["the list", "a content"])
async def test_what_a_full_disk_does_not_take_is_said_and_leaves_nothing(
    tmp_path: Path, fault: str
) -> None:
    store = FileHistory(tmp_path, SystemClock())
    first = await add(store, b"a", b"b")
    list_file = tmp_path / "checkpoints.jsonl"
    whole, blobs = list_file.read_bytes(), {path.name for path in (tmp_path / "blobs").iterdir()}
    text = b"c" if fault == "the list" else b"c" * 10_000
    room = len(whole) + (10 if fault == "the list" else 5_000)
    with files_end_at(room), pytest.raises(OSError, match="File too large"):
        await add(store, b"b", text)
    assert list_file.read_bytes() == whole
    if fault == "a content":
        assert {path.name for path in (tmp_path / "blobs").iterdir()} == blobs
    assert await store.checkpoints() == (first,)
    second = await add(store, b"b", text)
    assert await FileHistory(tmp_path, SystemClock()).checkpoints() == (first, second)


async def test_a_write_that_did_not_happen_is_taken_back_on_a_full_disk_too(tmp_path: Path) -> None:
    store = FileHistory(tmp_path, SystemClock())
    first = await add(store, b"a", b"b")
    second = await add(store, b"b", b"c")
    with files_end_at((tmp_path / "checkpoints.jsonl").stat().st_size):
        await store.void(second)
    assert await store.checkpoints() == (first,)


async def test_old_turns_that_cannot_be_dropped_now_keep_no_write_from_happening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "MAX_TURNS", 1)
    store = FileHistory(tmp_path, SystemClock())
    await add(store, b"a", b"b", turn=1)
    names = names_in(tmp_path)

    def full(path: Path, _: bytes) -> None:
        with files_end_at(1):
            replace_file(path, b"too long")

    monkeypatch.setattr("pilotfish.workspace.history.replace_file", full)
    second = await add(store, b"b", b"c", turn=2)
    assert await store.checkpoints() == (second,)
    assert names_in(tmp_path) == names
    monkeypatch.setattr("pilotfish.workspace.history.replace_file", replace_file)
    third = await add(store, b"c", b"d", turn=3)
    assert await FileHistory(tmp_path, SystemClock()).checkpoints() == (third,)
