"""Every public report about agents that edit files has a test with the right outcome.

The table names for each report what is right, and the tests that prove it: a function, or a case of a
table of cases by a part of its name, or a scenario of the browser stories.
"""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]

PIPELINE = "unit/workspace/test_edit_pipeline.py"
MATCHING = "unit/workspace/test_matching.py"
WRITING = "unit/tools/test_edit_and_write.py"
READING = "unit/tools/test_read.py"
REPORTED = "e2e/test_reported_edits.py"

CASES: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "FE-01": (
        "one byte of a CRLF file changes",
        [(PIPELINE, "FE-01"), (MATCHING, "FE-01 one word of a CRLF file")],
    ),
    "FE-02": (
        "lines with LF match a CRLF file, which stays one",
        [(MATCHING, "FE-02 several lines of a CRLF file")],
    ),
    "FE-03": (
        "no false clash on CRLF files",
        [(PIPELINE, "test_fe03_edits_follow_one_another_without_reading_again")],
    ),
    "FE-04": (
        "mixed line endings stay",
        [(PIPELINE, "FE-04"), (MATCHING, "FE-04 mixed endings stay")],
    ),
    "FE-05": (
        "a script is written with LF as sent",
        [(PIPELINE, "test_fe05_whole_text_is_written_as_sent"), (WRITING, "FE-05")],
    ),
    "FE-06": ("the byte order mark stays and is never shown", [(PIPELINE, "FE-06")]),
    "FE-07": ("bytes of a legacy encoding survive", [(PIPELINE, "FE-07")]),
    "FE-11": (
        "tabs and spaces are named, nothing is converted",
        [(MATCHING, "test_mismatch_says_where_and_why")],
    ),
    "FE-13": ("curly quotes match and stay curly", [(MATCHING, "FE-13 curly quotes")]),
    "FE-17": ("backslashes stay text", [(WRITING, "FE-17 backslashes stay text")]),
    "FE-18": ("entities stay text", [(WRITING, "FE-18 entities stay text")]),
    "FE-19": (
        "deleting a part of a line leaves its line break",
        [(MATCHING, "FE-19 part of a line"), (PIPELINE, "FE-19")],
    ),
    "FE-20": (
        "no final newline is invented or lost",
        [(MATCHING, "FE-20")],
    ),
    "FE-21": (
        "a stale edit fails with the text as it is, and the third time with a reminder",
        [
            (PIPELINE, "test_fe21_change_by_somebody_else_is_shown_and_refused_each_time"),
            (
                REPORTED,
                "test_fe21_the_same_stale_edit_fails_each_time_and_the_third_brings_a_reminder",
            ),
        ],
    ),
    "FE-23": (
        "parallel edits of a file are both kept",
        [(PIPELINE, "test_fe23_parallel_edits_of_one_file_are_both_kept")],
    ),
    "FE-25": (
        "an unsaved buffer is what is read and edited",
        [
            (PIPELINE, "test_fe25_unsaved_buffer_is_edited_and_not_saved"),
            (READING, "test_fe25_open_document_is_shown_as_it_stands_with_a_note"),
            ("browser/review.test.mjs", "leaves what the user has not saved"),
        ],
    ),
    "FE-27": (
        "a refused proposal changes nothing",
        [(REPORTED, "test_fe27_a_refused_proposal_leaves_file_and_document_as_they_were")],
    ),
    "FE-28": (
        "closing the dialog refuses; an accepted edit is one step of undo",
        [
            (
                REPORTED,
                "test_fe28_closing_the_dialog_changes_nothing_and_an_accepted_edit_is_one_step",
            )
        ],
    ),
    "FE-29": (
        "a new chat reverts nothing, and the proposal's tab closes",
        [
            (REPORTED, "test_fe29_a_new_chat_reverts_nothing"),
            ("browser/review.test.mjs", "of a proposal: a hunk is put back, the rest is applied"),
        ],
    ),
    "FE-30": (
        "our own save is no change by others",
        [(PIPELINE, "test_fe30_engine_and_editor_saves_are_no_changes_by_others")],
    ),
    "FE-31": ("mode bits stay", [(PIPELINE, "test_fe31_mode_bits_stay")]),
    "FE-32": (
        "a link stays a link, a circle of links is an error",
        [(PIPELINE, "test_fe32_symlink_is_followed_and_stays")],
    ),
    "FE-34": (
        "all names of a file show the new text",
        [(PIPELINE, "test_fe34_hard_linked_names_keep_showing_the_same_text")],
    ),
    "FE-37": (
        "a name in another normal form is pointed to",
        [(WRITING, "test_fe37_twin_of_a_look_alike_name_is_mentioned"), (READING, "FE-37")],
    ),
    "FE-38": ("odd spaces in names are pointed to", [(READING, "FE-38")]),
    "FE-39": (
        "a sibling folder is outside, a relative path starts at the root",
        [
            (WRITING, "test_fe39_sibling_folder_with_a_common_prefix_is_not_rewritten"),
            (
                REPORTED,
                "test_fe39_a_sibling_with_a_like_name_is_outside_and_another_root_is_inside",
            ),
        ],
    ),
    "FE-40": (
        "another case finds the same entry, or the look-alike is named",
        [
            (WRITING, "test_fe40_another_case_is_another_file_here_and_the_look_alike_is_named"),
            (
                "unit/workspace/test_file_state.py",
                "test_other_spelling_of_the_same_file_finds_the_entry",
            ),
        ],
    ),
    "FE-42": (
        "a new cell lands where it should, the rest of the notebook stays",
        [
            (
                "unit/workspace/test_notebook.py",
                "test_fe42_insert_lands_after_the_cell_with_a_new_id_and_a_list_of_lines",
            )
        ],
    ),
}

NUMBERS = (*range(1, 8), 11, 13, 17, 18, 19, 20, 21, 23, 25, *range(27, 33), 34, *range(37, 41), 42)


def names_in(path: Path) -> list[str]:
    """Return what a file of tests calls its tests and cases."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".mjs":
        return re.findall(r'scenario\(\s*"([^"]+)"', text)
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith(
            "test_"
        ):
            names.append(node.name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.append(node.value)
    return names


def test_every_report_is_in_the_table() -> None:
    assert list(CASES) == [f"FE-{number:02}" for number in NUMBERS]


@pytest.mark.parametrize("case", CASES)
def test_every_report_has_its_tests(case: str) -> None:
    outcome, proofs = CASES[case]
    assert outcome
    assert proofs, f"{case} has no test"
    for file, name in proofs:
        known = names_in(TESTS / file)
        assert any(one == name or one.startswith(name) for one in known), f"{case}: {file}: {name}"
