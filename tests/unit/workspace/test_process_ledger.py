"""The record of children where the disk is full or cannot be written."""

import os
from pathlib import Path

import pytest
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
