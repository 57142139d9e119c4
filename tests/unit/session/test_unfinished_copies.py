"""A copy that was killed leaves no file for good."""

import os
import time
from pathlib import Path

from pilotfish.session.transcript_store import TranscriptStore
from pilotfish.session.unfinished_copies import LEFT_AFTER_S


async def test_what_killed_copies_left_goes_with_the_next_look_at_the_list(tmp_path: Path) -> None:
    project = tmp_path / "projects" / "elsewhere"
    (project / "0f0f0f0f").mkdir(parents=True)
    left = [project / "0f0f0f0f.part", project / "0f0f0f0f" / "agent-1.part"]
    being_written = project / "1e1e1e1e.part"
    kept = project / "2d2d2d2d.jsonl"
    for path in (*left, being_written, kept):
        path.write_text("{}", encoding="utf-8")
    long_ago = time.time() - 2 * LEFT_AFTER_S
    for path in (*left, kept):
        os.utime(path, (long_ago, long_ago))

    await TranscriptStore(tmp_path).list_sessions()

    assert [path.exists() for path in left] == [False, False]
    assert being_written.exists()
    assert kept.exists()
