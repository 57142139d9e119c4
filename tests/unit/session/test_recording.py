"""A recording where the disk is full: no torn lines, and all of it once there is room."""

import json
from pathlib import Path

import pytest
from pilotfish.session import recording
from pilotfish.session.recording import MAX_HELD_LINES, Recording
from pilotfish.util.redact import Redactor

from tests.support.full_disk import files_end_at
from tests.support.waiting import until


def numbers_in(path: Path) -> list[int]:
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert lines[0]["type"] == "recording"
    return [line["number"] for line in lines[1:]]


async def test_what_a_full_disk_did_not_take_is_written_once_there_is_room(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "recordings" / "s.jsonl"
    kept = Recording(path, Redactor())
    with files_end_at(2_000):
        for number in range(MAX_HELD_LINES):
            kept.write({"type": "event", "number": number})
        await until(lambda: "cannot be written" in caplog.text)
        assert path.read_bytes() == b""
    kept.write({"type": "event", "number": MAX_HELD_LINES})
    await kept.close()
    assert numbers_in(path) == list(range(MAX_HELD_LINES + 1))


async def test_a_disk_that_stays_full_ends_the_recording_and_not_the_memory(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "MAX_REFUSED_LINES", 10)
    path = tmp_path / "s.jsonl"
    kept = Recording(path, Redactor())
    with files_end_at(100):
        for number in range(MAX_HELD_LINES):
            kept.write({"type": "event", "number": number})
        await until(lambda: "ends here" in caplog.text)
    kept.write({"type": "event", "number": 0})
    await kept.close()
    assert path.read_bytes() == b""
