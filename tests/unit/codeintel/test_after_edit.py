"""The note about what edits broke."""

from pathlib import Path

from pilotfish.codeintel.after_edit import DiagnosticsAfterEdit
from pilotfish.codeintel.note_text import MAX_CHARS, report_of
from pilotfish.ports.editing import EditRecord

from tests.support.edit_records import edit_record

ROOT = Path("/w")
GOOD = "def f(a):\n    return a\n"
BAD = "def f(a:\n    return a\n"


def record(old: str | None, new: str, *, name: str = "a.py", turn: str = "turn") -> EditRecord:
    return edit_record(ROOT / name, old, new, turn=turn)


async def note(source: DiagnosticsAfterEdit, *records: EditRecord) -> str:
    for each in records:
        source.edited(each)
    return report_of(await source.sections())


async def test_new_error_is_told_once_with_place_source_and_freshness() -> None:
    source = DiagnosticsAfterEdit(ROOT)
    text = await note(source, record(GOOD, BAD))
    assert text.startswith(
        "The edit was applied; these diagnostics are new (fresh, from the syntax check"
    )
    assert "\na.py:1:1: syntax error" in text
    assert "\n    def f(a:" in text
    assert await note(source) == ""


async def test_good_edit_and_old_errors_say_nothing() -> None:
    source = DiagnosticsAfterEdit(ROOT)
    assert await note(source, record(GOOD, GOOD + "x = 1\n")) == ""
    assert await note(source, record(BAD, "\n" + BAD)) == ""


async def test_several_edits_of_a_batch_count_as_one() -> None:
    source = DiagnosticsAfterEdit(ROOT)
    assert await note(source, record(GOOD, BAD), record(BAD, GOOD + "y = 2\n")) == ""


async def test_created_file_is_checked() -> None:
    assert "error" in await note(DiagnosticsAfterEdit(ROOT), record(None, BAD))


async def test_repair_of_what_was_reported_is_told_once() -> None:
    source = DiagnosticsAfterEdit(ROOT)
    await note(source, record(GOOD, BAD))
    text = await note(source, record(BAD, GOOD))
    assert text.startswith("Fixed since they were reported")
    assert "none left" in text
    assert await note(source, record(GOOD, GOOD + "z = 1\n")) == ""


async def test_repair_of_what_was_never_reported_is_not_told() -> None:
    assert await note(DiagnosticsAfterEdit(ROOT), record(BAD, GOOD)) == ""


async def test_unknown_language_is_left_alone() -> None:
    assert await note(DiagnosticsAfterEdit(ROOT), record("a", "((", name="x.unknown")) == ""


async def test_numbers_are_bounded_and_the_rest_is_counted() -> None:
    source = DiagnosticsAfterEdit(ROOT)
    many = "".join(f"x{n} = = {n}\n" for n in range(40))
    text = await note(source, record("", many))
    assert text.count("syntax error:") == 10
    assert "30 more errors, not shown" in text
    second = await note(source, *(record("", many, name=f"{n}.py") for n in range(4)))
    assert second.count("syntax error:") == 20
    other_turn = await note(source, record("", many, name="z.py", turn="next"))
    assert other_turn.count("syntax error:") == 10


async def test_note_is_bounded_in_characters() -> None:
    source = DiagnosticsAfterEdit(ROOT)
    wide = "".join(f"{'y' * 110}{n} = = {n}\n" for n in range(40))
    text = await note(source, *(record("", wide, name=f"{n}/{'d' * 150}.py") for n in range(4)))
    assert len(text) <= MAX_CHARS
    assert "more, not shown" in text
