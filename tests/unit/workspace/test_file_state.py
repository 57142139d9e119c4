"""An agent's memory of files."""

from pathlib import Path

from pilotfish.workspace.file_state import FileState, FileStates


def state(text: str = "x") -> FileState:
    return FileState(origin="read", full=True, content_hash="h", text=text)


def test_oldest_unused_entry_goes_first() -> None:
    states = FileStates(max_entries=2)
    states.record(Path("/a"), state())
    states.record(Path("/b"), state())
    assert states.get(Path("/a")) is not None
    states.record(Path("/c"), state())
    assert states.paths() == (Path("/a"), Path("/c"))


def test_beyond_the_byte_limit_texts_go_but_entries_stay() -> None:
    states = FileStates(max_bytes=10)
    states.record(Path("/a"), state("é" * 4))
    states.record(Path("/b"), state("b" * 8))
    first, second = states.get(Path("/a")), states.get(Path("/b"))
    assert first is not None
    assert second is not None
    assert (first.text, first.content_hash, second.text) == (None, "h", "b" * 8)
    assert states.text_bytes == 8


def test_recording_again_replaces_and_keeps_the_count_right() -> None:
    states = FileStates()
    states.record(Path("/a"), state("12345"))
    states.record(Path("/a"), state("1"))
    assert (len(states), states.text_bytes) == (1, 1)
    states.forget(Path("/a"))
    assert (len(states), states.text_bytes) == (0, 0)


def test_other_spelling_of_the_same_file_finds_the_entry(tmp_path: Path) -> None:
    # A hard link stands in for a file system that ignores case.
    (tmp_path / "Readme.md").write_text("x", encoding="utf-8")
    (tmp_path / "README.md").hardlink_to(tmp_path / "Readme.md")
    states = FileStates()
    states.record(tmp_path / "Readme.md", state())
    assert states.get(tmp_path / "README.md") is not None
    states.record(tmp_path / "README.md", state())
    assert len(states) == 1


def test_other_file_with_a_like_name_is_not_confused(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x", encoding="utf-8")
    (tmp_path / "A").write_text("x", encoding="utf-8")
    states = FileStates()
    states.record(tmp_path / "a", state())
    assert states.get(tmp_path / "A") is None


def test_after_forgetting_reads_a_file_still_counts_as_seen() -> None:
    states = FileStates()
    states.record(Path("/a"), state())
    states.forget_reads()
    kept = states.get(Path("/a"))
    assert kept is not None
    assert kept.origin == "edit"
