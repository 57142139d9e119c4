"""Every ticket and acceptance rule about queues, run states and agents has its tests, or says what it waits for.

Design 04 §9 (JIRA), 04 §10 (AUT), 01 §16 (MA), 04 §1.13 (SE). A proof is a file and the beginning of a
name in it: a test function, a scenario of the browser stories, or a test of the client.
"""

import re

import pytest

from tests.architecture.test_reported_cases import TESTS, names_in

AGENTS = "e2e/test_agents.py"
BACKGROUND = "e2e/test_agents_in_background.py"
ROUNDS = "e2e/test_background_agents.py"
ENDURANCE = "e2e/test_agent_endurance.py"
TREES = "e2e/test_agent_worktrees.py"
ROSTER = "unit/session/test_agent_roster.py"
STATES = "unit/session/test_run_states.py"
LEFT = "unit/session/test_agents_leave_nothing.py"
ENDS = "unit/session/test_agent_ends.py"
COMMANDS = "unit/session/test_background_ends.py"
MANY = "unit/session/test_ten_thousand.py"
SOURCES = "unit/config/test_sources.py"
HANDSHAKE = "e2e/test_handshake.py"
RULES = "architecture/test_rules.py"
BROWSER = "browser/agents.test.mjs"
STRIP = "../client-vscode/test/pure/strip.test.ts"
CLIENT = "../client-vscode/test/pure/agents.test.ts"
FORK = "../client-vscode/test/pure/agent-rows.test.ts"
WEBVIEW = "../client-vscode/test/webview/agents.test.ts"

Proofs = list[tuple[str, str]]

TICKETS: dict[str, Proofs] = {
    # A message of the client has a largest size, in bytes, before anything else is done with it.
    "JIRA-001": [
        (HANDSHAKE, "test_a_message_over_the_limit_is_refused_by_name_and_size"),
        ("unit/edges/test_framing.py", "test_an_oversized_message_is_skipped_and_its_id_found"),
        ("unit/edges/test_hostile_input.py", "test_an_oversized_message_with_an_unreadable_id"),
        ("unit/edges/test_hostile_input.py", "test_a_made_up_session_of_an_oversized_message"),
        ("e2e/test_acp.py", "test_lines_that_make_no_sense_are_refused_one_by_one"),
    ],
    "JIRA-002": [
        (MANY, "test_ten_thousand_pieces_of_a_reply_leave_no_task_listener_or_timer"),
        (MANY, "test_a_stop_among_many_pieces_is_cancelled_and_leaves_as_little"),
    ],
    "JIRA-003": [
        ("unit/session/test_prompt_queue.py", "test_whatever_is_done_the_order_is_that_of_a_plain"),
        ("unit/session/test_prompt_queue.py", "test_taking_and_taking_back_look_at_one_prompt"),
        ("unit/session/test_prompt_queue.py", "test_a_prompt_that_is_taken_back_is_answered"),
        (MANY, "test_a_thousand_prompts_with_stops_among_them_come_out_in_order"),
        ("e2e/test_loop_endurance.py", "test_a_thousand_queued_prompts_reach_the_model_in_order"),
        ("e2e/test_stop.py", "test_a_stop_drops_the_prompts_that_wait"),
    ],
    "JIRA-004": [
        (SOURCES, "test_an_unknown_mode_is_default_with_a_report"),
        (SOURCES, "test_a_mode_that_settings_cannot_choose_is_default_with_a_report"),
        (SOURCES, "test_a_client_may_ask_for_a_mode_that_a_file_may_not_name"),
        (SOURCES, "test_an_untrusted_project_cannot_choose_a_looser_mode"),
        ("e2e/test_permission_rules.py", "test_a_mode_that_does_not_exist_yet_is_refused"),
    ],
    "JIRA-005": [
        ("unit/edges/test_content.py", "test_a_link_is_plain_text_whatever_it_holds"),
        (RULES, "test_prompts_are_taken_apart_in_one_place"),
    ],
    "JIRA-006": [(RULES, "test_what_the_client_starts_it_ends")],
    "JIRA-007": [
        (HANDSHAKE, "test_wrong_parameters_are_named"),
        (HANDSHAKE, "test_what_is_no_json_object_gets_a_parse_error"),
        (HANDSHAKE, "test_fields_that_nobody_knows_pass"),
    ],
    "JIRA-008": [("unit/edges/test_channel.py", "test_a_broken_message_is_refused_by_its_field")],
    "JIRA-009": [
        (MANY, "test_ten_thousand_turns_leave_no_listener_and_no_task"),
        (MANY, "test_a_thousand_prompts_with_stops_among_them_come_out_in_order"),
    ],
    "JIRA-010": [(HANDSHAKE, "test_a_message_over_the_limit_is_refused_by_name_and_size")],
    # What waits is taken and used in one step; what was stopped meanwhile is never sent.
    "AUT-001": [
        ("e2e/test_turn.py", "test_a_prompt_during_a_turn_reaches_the_model_at_the_next_step"),
        ("e2e/test_background_commands.py", "test_an_end_during_a_turn_is_told_at_the_next_step"),
        (MANY, "test_a_thousand_prompts_with_stops_among_them_come_out_in_order"),
    ],
    "AUT-002": [
        (STATES, "test_whatever_is_said_of_an_agent_its_first_end_stands_until_it_goes_on"),
        (STATES, "test_what_is_said_of_an_agent_that_nobody_knows_changes_nothing"),
        (STATES, "test_whatever_is_said_of_a_command_its_first_end_stands"),
        (COMMANDS, "test_the_first_end_of_a_command_counts"),
        (ROSTER, "test_an_end_is_final"),
    ],
    "AUT-003": [
        ("unit/util/test_tasks.py", "test_a_failure_that_nobody_waits_for_is_logged"),
        ("unit/util/test_tasks.py", "test_nothing_is_started_after_the_end"),
        (COMMANDS, "test_a_command_that_cannot_be_followed_has_failed_and_is_told"),
    ],
    "AUT-004": [
        ("e2e/test_restart.py", "test_the_server_ends_with_its_input_or_on_a_signal"),
        (ROSTER, "test_nothing_is_left_when_everything_has_ended"),
        ("../client-vscode/test/pure/restart.test.ts", "nothing happens once it is disposed"),
    ],
    "AUT-005": [
        (STATES, "test_locks_of_files_are_forgotten_after_success_failure_and_cancel"),
        ("unit/tasklist/test_store.py", "test_the_lock_of_a_killed_process_holds_up_nobody"),
    ],
    "AUT-006": [
        ("unit/session/test_agent_fold.py", "test_the_oldest_ended_agents_are_forgotten_and_no"),
        ("unit/session/test_agent_fold.py", "test_agents_that_all_run_are_all_kept"),
        (STATES, "test_commands_that_run_are_kept_however_many_have_ended"),
    ],
    "AUT-007": [
        ("e2e/test_model_errors.py", "test_a_failure_is_explained_and_the_session_goes_on"),
        (AGENTS, "test_an_agent_whose_model_fails_gives_what_it_has_or_an_error"),
    ],
    "AUT-008": [
        ("unit/llm/test_retry.py", "test_closing_the_iterator_closes_the_inner_one"),
        (AGENTS, "test_stop_ends_an_agent_that_the_turn_waits_for_and_keeps_what_it_said"),
        (ENDURANCE, "test_a_server_killed_with_ten_agents_at_work_loses_and_repeats_nothing"),
    ],
    "AUT-009": [("e2e/test_turn.py", "test_a_prompt_during_a_turn_reaches_the_model")],
    "AUT-010": [
        (ENDS, "test_a_stop_while_an_agents_tree_is_made_leaves_neither"),
        ("unit/workspace/test_worktree.py", "test_a_cancelled_start_leaves_nothing"),
        (ROUNDS, "test_closing_a_chat_ends_its_agents"),
        (COMMANDS, "test_a_stop_while_outputs_are_read_takes_no_news_away"),
    ],
    "AUT-011": [
        (STATES, "test_every_reason_to_end_has_an_answer_of_the_protocol"),
        ("unit/engine/test_recovery.py", "test_every_stop_reason_comes_to_an_end"),
    ],
    "AUT-012": [(RULES, "test_no_test_replaces_a_module_of_settings")],
}

ACCEPTANCE: dict[str, Proofs] = {
    "MA-01": [(AGENTS, "test_an_agents_report_is_the_result_of_its_call_in_the_same_turn")],
    "MA-02": [
        (BACKGROUND, "test_a_background_agent_returns_at_once_and_its_end_is_told_once"),
        (ROUNDS, "test_what_the_user_has_typed_is_served_before_the_news"),
    ],
    "MA-03": [
        (ROUNDS, "test_waiting_for_an_agent_spares_the_note"),
        (ENDS, "test_whoever_waits_for_an_agent_hears_its_end_at_once_and_only_once"),
        (ENDS, "test_an_end_is_known_before_what_follows_it_is_done"),
    ],
    "MA-04": [
        (ROUNDS, "test_stop_of_the_main_turn_leaves_agents_alone_and_their_own_stop_ends_them"),
        (ROUNDS, "test_the_model_stops_an_agent_and_gets_what_it_had"),
        (ROUNDS, "test_whoever_waits_for_an_agent_that_the_user_stops_goes_on_with_what"),
    ],
    "MA-05": [(ROUNDS, "test_an_agent_in_the_foreground_streams_into_its_card_and_is_moved")],
    "MA-06": [
        (ROUNDS, "test_looking_into_an_agent_and_writing_to_it"),
        (ROUNDS, "test_the_model_writes_to_an_agent_that_has_ended"),
        (ENDURANCE, "test_an_agent_that_was_waited_for_is_offered_after_a_crash"),
        (ENDS, "test_an_agent_whose_transcript_is_gone_cannot_go_on_and_says_so"),
        ("e2e/test_agent_names.py", "test_the_latest_agent_of_a_name_has_it_and_the_model"),
    ],
    "MA-07": [(AGENTS, "test_a_denied_type_is_an_error_and_not_offered")],
    "MA-08": [
        ("unit/agents/test_model.py", "test_what_is_forbidden_wins_over_what_is_permitted"),
        ("e2e/test_agent_types.py", "test_the_tools_of_an_agent_are_not_those_of_whoever_started"),
        ("unit/session/test_agent_standing.py", "test_nobody_in_a_chain_may_more_than"),
    ],
    "MA-09": [(ENDS, "test_an_agent_that_needs_a_server_is_not_started_without_it")],
    "MA-11": [
        (TREES, "test_an_agent_that_changes_nothing_leaves_nothing"),
        (TREES, "test_two_agents_change_the_same_file_and_both_keep_it"),
        (TREES, "test_an_agent_moved_to_the_background_has_its_tree_until_its_end"),
        (TREES, "test_git_that_cannot_make_one_starts_no_agent"),
        ("unit/workspace/test_worktree.py", "test_what_git_cannot_tell_is_kept"),
    ],
    "MA-12": [
        ("unit/tasklist/test_store.py", "test_two_processes_that_want_the_same_task_have_one"),
        ("unit/tasklist/test_claims.py", "test_a_task_that_cannot_be_taken_says_why"),
        (TREES, "test_an_ended_agent_frees_the_tasks_it_had_taken"),
        (ENDURANCE, "test_what_agents_had_taken_is_free_after_a_crash"),
    ],
    "MA-13": [(BACKGROUND, "test_the_end_of_an_agents_agent_is_told_to_that_agent_alone")],
    "MA-14": [
        (STATES, "test_whatever_is_said_of_an_agent_its_first_end_stands_until_it_goes_on"),
        ("unit/session/test_agent_fold.py", "test_the_oldest_ended_agents_are_forgotten_and_no"),
        (LEFT, "test_what_is_remembered_of_ended_agents_stops_growing"),
        ("unit/llm/test_history_cache.py", "test_tools_are_kept_for_a_limited_number_of_agents"),
        *TICKETS["AUT-001"],
        *TICKETS["AUT-003"],
        *TICKETS["AUT-005"],
        *TICKETS["AUT-006"],
        *TICKETS["AUT-008"],
        *TICKETS["AUT-010"],
    ],
    "MA-15": [
        (ENDURANCE, "test_everything_is_back_to_where_it_was_when_all_agents_have_ended"),
        (LEFT, "test_every_list_is_as_long_as_before"),
    ],
    "SE-order": [
        (BROWSER, "lists agents by their start, and keys alone reach everything"),
        (WEBVIEW, "is not there without agents"),
    ],
    "SE-keys": [
        (BROWSER, "lists agents by their start, and keys alone reach everything"),
        (STRIP, "Down is clamped at the last row, Up leaves it above main"),
    ],
    "SE-view": [
        (BROWSER, "shows an agent's own transcript while the strip keeps the focus"),
        (BROWSER, "keeps the row of an agent that ends while it is looked at, for a while"),
        (ROSTER, "test_what_is_looked_at_stays_and_goes_after_it_was_left"),
        (ROSTER, "test_a_row_goes_by_itself_some_time_after_the_end"),
        (ROSTER, "test_only_one_timer_runs_however_many_agents_have_ended"),
        (CLIENT, "drops a transcript that comes after the view was left or changed"),
    ],
    "SE-dismiss": [
        (BROWSER, "takes an agent off at once, stopped or not"),
        (ROSTER, "test_the_list_rule_holds_whatever_the_rows"),
    ],
    "SE-fork": [
        (FORK, "shows the directive once, in place of what carried it"),
        (FORK, "shows it after what was inherited while its carrier is not loaded"),
    ],
}

WAITS_FOR = {
    "MA-10": "forks of the Agent tool",
    "MA-11, made by a hook": "hooks that make worktrees",
    "MA-14, A-1 to A-6": "scheduled runs",
}
"""Rules about parts that do not exist yet."""


def test_every_ticket_is_in_the_table() -> None:
    jira = [f"JIRA-{number:03}" for number in range(1, 11)]
    autonomy = [f"AUT-{number:03}" for number in range(1, 13)]
    assert list(TICKETS) == [*jira, *autonomy]


def test_every_acceptance_test_is_in_the_table() -> None:
    known = {name[:5] for name in [*ACCEPTANCE, *WAITS_FOR] if name.startswith("MA-")}
    assert sorted(known) == [f"MA-{number:02}" for number in range(1, 16)]


@pytest.mark.parametrize("rule", [*TICKETS, *ACCEPTANCE])
def test_every_rule_has_its_tests(rule: str) -> None:
    for file, name in (TICKETS | ACCEPTANCE)[rule]:
        path = TESTS / file
        if path.suffix == ".ts":
            known = re.findall(r'\bit\(\s*"([^"]+)"', path.read_text(encoding="utf-8"))
        else:
            known = names_in(path)
        assert any(one.startswith(name) for one in known), f"{rule}: {file}: {name}"
