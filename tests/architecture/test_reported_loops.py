"""Every public report about agent sessions has a test with the right outcome, or names what it waits for."""

import pytest

from tests.architecture.test_reported_cases import TESTS, names_in

LOOPS = "e2e/test_reported_loops.py"
HISTORIES = "e2e/test_reported_histories.py"
SERVERS = "e2e/test_reported_servers.py"
MATRIX = "e2e/test_fault_matrix.py"
ERRORS = "e2e/test_model_errors.py"
CONVERT = "unit/llm/test_anthropic_convert.py"
PROGRAMS = "unit/tools/test_bash_programs.py"

CASES: dict[str, list[tuple[str, str]]] = {
    "AL-02": [
        ("e2e/test_crash_matrix.py", "test_every_step_of_a_turn_survives_kill_9"),
        ("e2e/test_crash_tools.py", "test_each_kind_of_tool_survives_kill_9"),
        ("e2e/test_crash_tools.py", "test_whatever_line_was_the_last"),
        ("e2e/test_restart.py", "test_a_command_that_ran_when_the_server_died"),
    ],
    "AL-03": [(LOOPS, "test_al03_")],
    "AL-04": [
        (HISTORIES, "test_al04_"),
        ("unit/engine/test_conversation.py", "test_whatever_happened_the_messages_are_valid"),
    ],
    "AL-06": [
        (HISTORIES, "test_al06_"),
        ("unit/llm/test_openai.py", "test_images_go_where_the_api_takes_them"),
    ],
    "AL-07": [(LOOPS, "test_al07_"), (ERRORS, "test_an_overloaded_model_gives_way")],
    "AL-08": [
        (HISTORIES, "test_al08_"),
        (CONVERT, "test_blank_texts_and_unsigned_thinking_are_left_out"),
    ],
    "AL-09": [
        (LOOPS, "test_al09_"),
        (HISTORIES, "test_al09_"),
        ("unit/engine/test_conversation.py", "test_a_blank_text_block_never_reaches_a_request"),
    ],
    "AL-10": [
        (LOOPS, "test_al10_a_character"),
        (LOOPS, "test_al10_a_lone_surrogate"),
        (HISTORIES, "test_al10_"),
        (CONVERT, "test_lone_surrogates_never_break_a_request"),
    ],
    "AL-11": [
        (HISTORIES, "test_al11_"),
        ("unit/tools/test_read_kinds.py", "test_large_picture_ends_within_the_budget"),
        (ERRORS, "picture"),
        ("e2e/test_attachments.py", "test_large_pictures_are_made_smaller"),
        ("e2e/test_attachments.py", "test_older_pictures_give_way"),
    ],
    "AL-15": [
        (HISTORIES, "test_al15_"),
        (MATRIX, "test_inputs_that_are_no_json_are_results_that_say_so"),
    ],
    "AL-16": [
        (HISTORIES, "test_al16_"),
        ("unit/tooling/test_arguments.py", "test_small_mistakes_are_put_right"),
        ("unit/tooling/test_arguments.py", "test_other_mistakes_are_explained"),
    ],
    "AL-18": [
        (HISTORIES, "test_al18_"),
        (LOOPS, "test_al18_the_same_call"),
        (LOOPS, "test_al18_the_same_failing"),
    ],
    "AL-20": [
        (LOOPS, "test_al20_"),
        (MATRIX, "test_a_stream_may_fall_silent_at_every_event"),
    ],
    "AL-21": [(MATRIX, "test_a_stream_may_break_at_every_event")],
    "AL-23": [(ERRORS, "test_an_overloaded_model_gives_way"), (MATRIX, "test_every_status_that")],
    "AL-26": [
        (LOOPS, "test_al26_"),
        ("unit/tools/test_shell_profile.py", "test_functions_aliases"),
    ],
    "AL-28": [
        (HISTORIES, "test_al28_"),
        ("unit/session/test_long_sessions.py", "test_damaged_lines_are_counted"),
    ],
    "AL-29": [(LOOPS, "test_al29_")],
    "AL-31": [(LOOPS, "test_al31_")],
    "AL-32": [
        (LOOPS, "test_al32_"),
        ("unit/tools/test_background_commands.py", "test_a_question_that_nobody_can_answer"),
    ],
    "AL-33": [(LOOPS, "test_al33_"), (PROGRAMS, "test_git_commit_without_a_message")],
    "AL-34": [
        (HISTORIES, "test_al34_"),
        (LOOPS, "test_al34_"),
        (PROGRAMS, "test_a_line_of_ten_megabytes"),
    ],
    "AL-38": [
        (SERVERS, "test_al38_agents"),
        (SERVERS, "test_al38_no_server"),
        ("unit/codeintel/test_server_diagnostics.py", "test_sessions_share_one_server"),
        ("unit/codeintel/test_server_diagnostics.py", "test_a_server_that_nobody_needs"),
    ],
    "AL-40": [
        (SERVERS, "test_al40_"),
        ("unit/codeintel/test_server_diagnostics.py", "test_lists_of_older_versions"),
        ("unit/codeintel/test_semantic.py", "test_what_arrives_late_is_told_once"),
    ],
}

WAITS_FOR = {"AL-19": "compaction", "AL-36": "MCP servers", "AL-37": "MCP servers"}
"""Reports about parts that do not exist yet."""

NUMBERS = (
    *(2, 3, 4, *range(6, 12), 15, 16, 18, 19, 20, 21, 23, 26, 28, 29),
    *(31, 32, 33, 34, 36, 37, 38, 40),
)


def test_every_report_is_in_the_tables() -> None:
    assert sorted([*CASES, *WAITS_FOR]) == [f"AL-{number:02}" for number in NUMBERS]


@pytest.mark.parametrize("case", CASES)
def test_every_report_has_its_tests(case: str) -> None:
    for file, name in CASES[case]:
        known = names_in(TESTS / file)
        assert any(one.startswith(name) for one in known), f"{case}: {file}: {name}"
