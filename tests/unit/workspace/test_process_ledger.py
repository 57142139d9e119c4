"""The record of children where the disk is full or cannot be written."""

import io
import os
from pathlib import Path

import pytest
from pilotfish.util.whole_file import append_whole
from pilotfish.workspace import process_ledger
from pilotfish.workspace.process_ledger import ProcessLedger, read_ledgers, sweep_orphans

from tests.support.full_disk import files_end_at, read_only
from tests.support.stage import names_in


def ledger_in(folder: Path) -> ProcessLedger:
    ledger = ProcessLedger(folder)
    ledger.begin("mark")
    return ledger


def test_a_child_that_a_full_disk_did_not_take_is_noted_once_there_is_room(tmp_path: Path) -> None:
    ledger = ledger_in(tmp_path)
    with files_end_at(20):
        ledger.add(os.getpid(), "shell", "sleep")
        assert read_ledgers(tmp_path) == []
    ledger.add(os.getppid(), "shell", "make")
    [record] = read_ledgers(tmp_path)
    assert [child.label for child in record.children] == ["sleep", "make"]
    ledger.close()
    assert names_in(tmp_path) == []


def busy_ledger(folder: Path, monkeypatch: pytest.MonkeyPatch) -> ProcessLedger:
    """Return one with a child that runs, whose file is written anew with its next line."""
    monkeypatch.setattr(process_ledger, "MAX_LINES", 4)
    ledger = ledger_in(folder)
    ledger.add(os.getpid(), "shell", "sleep")
    ledger.add(os.getppid(), "shell", "make")
    ledger.remove(os.getppid())
    return ledger


def labels_in(folder: Path) -> list[str]:
    return [child.label for record in read_ledgers(folder) for child in record.children]


def test_a_full_disk_leaves_the_whole_record_when_it_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = busy_ledger(tmp_path, monkeypatch)
    [before] = [file.read_bytes() for file in tmp_path.iterdir()]
    with files_end_at(20):
        ledger.add(os.getppid(), "shell", "make again")
        assert labels_in(tmp_path) == ["sleep"], "an orphan that nobody knows is never ended"
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [before]
    ledger.add(os.getpid(), "shell", "sleep")
    assert labels_in(tmp_path) == ["sleep", "make again"]
    [file] = tmp_path.iterdir()
    assert file.read_bytes().count(b"\n") == 3, "what has ended is not in it any more"
    ledger.remove(os.getppid())
    assert labels_in(tmp_path) == ["sleep"], "lines go to the new file"
    ledger.close()
    assert names_in(tmp_path) == []


def test_a_record_is_whole_at_each_moment_while_it_is_written_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = busy_ledger(tmp_path, monkeypatch)
    seen: list[list[str]] = []

    def look(file: io.FileIO, data: bytes) -> None:
        append_whole(file, data[: len(data) // 2])
        seen.append(labels_in(tmp_path))  # as the next server does after this one was killed
        append_whole(file, data[len(data) // 2 :])

    monkeypatch.setattr(process_ledger, "append_whole", look)
    ledger.add(os.getppid(), "shell", "make again")
    assert seen == [["sleep"]]
    assert labels_in(tmp_path) == ["sleep", "make again"]
    ledger.close()


def test_what_a_server_left_that_was_killed_while_it_wrote_goes(tmp_path: Path) -> None:
    at_work = f"{os.getpid()}.jsonl.part"
    for name in ("999999999.jsonl.part", at_work, "ours.jsonl.part", f"{10**30}.jsonl.part"):
        (tmp_path / name).write_text('{"pid":9999', "utf-8")
    assert sweep_orphans(tmp_path) == 0
    left = names_in(tmp_path)
    assert "999999999.jsonl.part" not in left
    assert at_work in left, "that server may write it right now"


def test_a_server_ends_whatever_becomes_of_its_record(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = ledger_in(tmp_path)
    with files_end_at(20):
        ledger.add(os.getpid(), "shell", "sleep")
        ledger.close()
    assert "cannot be recorded" in caplog.text
    assert names_in(tmp_path) == []


def test_what_a_killed_server_left_stops_nobody_where_it_cannot_be_removed(tmp_path: Path) -> None:
    left = tmp_path / "1.jsonl"
    left.write_text('{"pid":999999999,"since_boot_s":1.0,"mark":"no-such-mark"}\n', "utf-8")
    torn = tmp_path / "2.jsonl"
    torn.write_text('{"pid":9999', "utf-8")
    with read_only(tmp_path):
        assert sweep_orphans(tmp_path) == 0
    assert sweep_orphans(tmp_path) == 0
    assert names_in(tmp_path) == ["2.jsonl"]
