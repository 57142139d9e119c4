"""A task list on disk: numbers, deletion, damage, several writers at once."""

import json
import logging
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from filelock import FileLock
from pilotfish.core.errors import WorkspaceError
from pilotfish.tasklist import store as stores
from pilotfish.tasklist.model import EntryChange, NewEntry, TaskListError
from pilotfish.tasklist.store import TaskStore, copy_list, list_name

WRITERS = 12
WAIT_S = 60

PRELUDE = (
    "import sys; from pathlib import Path; "
    "from pilotfish.tasklist.store import TaskStore; "
    "from pilotfish.tasklist.model import EntryChange, NewEntry, TaskListError; "
    "store = TaskStore(Path(sys.argv[1])); name = sys.argv[2]; "
    "print('ready', flush=True); sys.stdin.readline()\n"
)


def race(folder: Path, count: int, script: str) -> list[str]:
    """Run a script in several processes that all begin at the same word; return what each says."""
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PRELUDE + script, str(folder), f"agent{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(count)
    ]
    for each in running:
        assert each.stdout is not None
        assert each.stdout.readline() == "ready\n"
    for each in running:
        assert each.stdin is not None
        each.stdin.write("go\n")
        each.stdin.flush()
    return [each.communicate(timeout=WAIT_S)[0].strip() for each in running]


def subjects(store: TaskStore) -> list[str]:
    return [entry.subject for entry in store.entries().values()]


def add(store: TaskStore, *names: str) -> None:
    for name in names:
        store.create(NewEntry(subject=name))


def test_a_list_outlives_its_process(tmp_path: Path) -> None:
    store = TaskStore(tmp_path / "list")
    assert store.entries() == {}
    add(store, "a", "b")
    store.update(
        "2",
        EntryChange(add_blocked_by=("1",), description="long", metadata={"k": [1]}),
        "main",
    )
    again = TaskStore(tmp_path / "list").entries()
    assert list(again) == ["1", "2"]
    assert (again["2"].blocked_by, again["1"].blocks) == (("1",), ("2",))
    assert (again["2"].description, again["2"].metadata) == ("long", {"k": [1]})
    plain = json.loads((tmp_path / "list" / "2.json").read_text(encoding="utf-8"))
    assert (plain["blockedBy"], plain["status"]) == (["1"], "pending")


def test_a_deleted_number_is_not_used_again(tmp_path: Path) -> None:
    store = TaskStore(tmp_path)
    add(store, *"abcde")
    store.update("4", EntryChange(add_blocked_by=("5",)), "main")
    store.update("3", EntryChange(add_blocks=("5",)), "main")
    assert store.delete("5").subject == "e"
    assert store.entries()["4"].blocked_by == ()
    assert store.entries()["3"].blocks == ()
    assert store.create(NewEntry(subject="f")).id == "6"
    for each in list(store.entries()):
        store.delete(each)
    assert store.create(NewEntry(subject="g")).id == "7"
    with pytest.raises(TaskListError, match="task_not_found"):
        store.delete("5")


def test_two_processes_that_want_the_same_task_have_one_winner(tmp_path: Path) -> None:
    store = TaskStore(tmp_path)
    for number in range(5):
        add(store, "contested")
        said = race(
            tmp_path,
            2,
            "try:\n"
            f"    store.update('{number + 1}', EntryChange(status='in_progress'), name)\n"
            "    print('won')\n"
            "except TaskListError as error:\n"
            "    print(error.reason)\n",
        )
        assert sorted(said) == ["already_claimed", "won"]
        assert store.entries()[str(number + 1)].owner == f"agent{said.index('won')}"


def test_twelve_writers_lose_nothing(tmp_path: Path) -> None:
    each = 5
    said = race(
        tmp_path,
        WRITERS,
        f"print(*[store.create(NewEntry(subject=name)).id for _ in range({each})])\n",
    )
    ids = [entry_id for line in said for entry_id in line.split()]
    assert sorted(ids, key=int) == [str(number) for number in range(1, WRITERS * each + 1)]
    assert len(subjects(TaskStore(tmp_path))) == WRITERS * each


def test_the_lock_of_a_killed_process_holds_up_nobody(tmp_path: Path) -> None:
    store = TaskStore(tmp_path)
    add(store, "a")
    script = (
        "import sys, time; from filelock import FileLock\n"
        "with FileLock(sys.argv[1]):\n"
        "    print('held', flush=True); time.sleep(600)\n"
    )
    lock = str(tmp_path / ".lock")
    with subprocess.Popen(
        [sys.executable, "-c", script, lock], stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()
    assert (tmp_path / ".lock").exists()
    add(store, "b")
    assert subjects(store) == ["a", "b"]


def test_a_lock_that_is_held_for_long_is_an_error_with_a_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "LOCK_WAIT_S", 0.05)
    tmp_path.joinpath("list").mkdir()
    with (
        FileLock(tmp_path / "list" / ".lock"),
        pytest.raises(WorkspaceError, match=r"changed by others.*again"),
    ):
        add(TaskStore(tmp_path / "list"), "a")


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", '{"id": "2"}', '{"id": "2", "subject": "x", "status": "done"}', "\udcff"],
)
def test_a_damaged_file_is_left_out_and_told(
    tmp_path: Path, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    store = TaskStore(tmp_path)
    add(store, "a")
    (tmp_path / "2.json").write_bytes(text.encode(errors="surrogateescape"))
    (tmp_path / "x.json").write_text("not ours", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert subjects(store) == ["a"]
    assert "2.json" in caplog.text
    assert store.create(NewEntry(subject="b")).id == "3"
    assert (tmp_path / "2.json").exists()


def test_a_file_is_what_its_name_says(tmp_path: Path) -> None:
    store = TaskStore(tmp_path)
    add(store, "a")
    (tmp_path / "2.json").write_text('{"id": "../../x", "subject": "b"}', encoding="utf-8")
    assert list(store.entries()) == ["1", "2"]
    with pytest.raises(TaskListError, match="task_not_found"):
        store.update("../../x", EntryChange(status="completed"), "main")


@pytest.mark.parametrize("mark", ["", "nonsense", "-5", "9" * 40, "١٢"])
def test_a_damaged_mark_leaves_the_numbers_of_the_files(tmp_path: Path, mark: str) -> None:
    store = TaskStore(tmp_path)
    add(store, "a", "b")
    (tmp_path / ".highwatermark").write_text(mark, encoding="utf-8")
    assert store.create(NewEntry(subject="c")).id == "3"


def test_a_crash_between_the_two_ends_of_an_edge_is_put_right(tmp_path: Path) -> None:
    store = TaskStore(tmp_path)
    add(store, "a", "b")
    before = (tmp_path / "1.json").read_bytes()
    store.update("1", EntryChange(add_blocks=("2",)), "main")
    (tmp_path / "1.json").write_bytes(before)
    assert store.entries()["1"].blocks == ("2",)
    store.delete("2")
    assert store.entries()["1"].blocks == ()


def test_a_refused_change_writes_nothing(tmp_path: Path) -> None:
    store = TaskStore(tmp_path)
    add(store, "a", "b")
    before = _contents(tmp_path)
    with pytest.raises(TaskListError, match="cycle"):
        store.update(
            "1",
            EntryChange(subject="changed", add_blocks=("2",), add_blocked_by=("2",)),
            "main",
        )
    assert _contents(tmp_path) == before


def test_a_full_list_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stores, "MAX_ENTRIES", 2)
    store = TaskStore(tmp_path)
    add(store, "a", "b")
    with pytest.raises(TaskListError, match=r"list_full.*Delete"):
        add(store, "c")


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "list").write_text("a file", encoding="utf-8")
    with pytest.raises(WorkspaceError, match="cannot be locked"):
        add(TaskStore(tmp_path / "list"), "a")


def test_a_copy_of_a_list_is_a_list_of_its_own(tmp_path: Path) -> None:
    copy_list(tmp_path / "none", tmp_path / "target")
    assert not (tmp_path / "target").exists()
    store = TaskStore(tmp_path / "source")
    add(store, "a")
    copy_list(tmp_path / "source", tmp_path / "copy")
    add(TaskStore(tmp_path / "copy"), "b")
    assert subjects(store) == ["a"]
    assert subjects(TaskStore(tmp_path / "copy")) == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "name"), [("my team", "my-team"), ("../../etc", "------etc"), ("é" * 99, "-" * 64)]
)
def test_a_name_of_a_list_is_the_name_of_one_folder(text: str, name: str) -> None:
    assert list_name(text) == name


def _contents(folder: Path) -> Sequence[tuple[str, bytes]]:
    return sorted((each.name, each.read_bytes()) for each in folder.glob("*.json"))
