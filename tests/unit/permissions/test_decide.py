"""The chain: which phase decides, and how."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.core.permission import PERMISSION_MODES, PermissionMode
from pilotfish.permissions.decide import PHASES

from tests.support.permission_state import Judge

# --- order of the phases ---


def test_the_phases_stand_in_the_order_of_the_design() -> None:
    assert [phase for phase, _ in PHASES] == [
        "hooks",
        "deny_rules",
        "plan_gate",
        "delegate_gate",
        "protected",
        "deny_rules",
        "trusted_allow",
        "command_safety",
        "ask_rules",
        "bypass",
        "untrusted_allow",
        "mode",
    ]


def test_the_trace_names_every_phase_up_to_the_one_that_decided(judge: Judge) -> None:
    decision = judge.rules(ask=["Bash(make:*)"]).bash("make")

    assert [step.phase for step in decision.trace] == [phase for phase, _ in PHASES][:9]
    assert [step.outcome for step in decision.trace] == ["pass"] * 8 + ["ask"]


@pytest.mark.parametrize("mode", PERMISSION_MODES)
def test_deny_wins_over_every_allow_in_every_mode(judge: Judge, mode: PermissionMode) -> None:
    judge.set(mode=mode, session_edit_grant=True)
    for source in ("userSettings", "policySettings", "cliArg", "session"):
        judge.rules(source, allow=["Bash(ls)", "Edit", "*"])
    judge.rules("projectSettings", deny=["Bash(ls)", "Edit(a.txt)"])

    assert judge.bash("ls").phase == "deny_rules"
    assert judge.decide("Edit", file_path=str(judge.root / "a.txt")).phase == "deny_rules"


def test_an_unknown_tool_asks(judge: Judge) -> None:
    decision = judge.decide("Teleport", to="mars")

    assert (decision.behavior, decision.phase) == ("ask", "mode")


@pytest.mark.parametrize("mode", PERMISSION_MODES)
def test_the_sessions_own_state_is_free(judge: Judge, mode: PermissionMode) -> None:
    assert judge.set(mode=mode, can_ask=False).decide("TodoWrite", todos=[]).behavior == "allow"


def test_where_nobody_can_be_asked_asking_means_deny_and_names_the_rule(judge: Judge) -> None:
    decision = judge.set(can_ask=False).bash("npm test")

    assert (decision.behavior, decision.phase) == ("deny", "no_prompt")
    assert "`Bash(npm test:*)`" in decision.reason
    assert decision.suggestions == ()


def test_where_nobody_can_be_asked_the_protected_tier_is_refused(judge: Judge) -> None:
    judge.set(mode="bypassPermissions", can_ask=False)

    assert judge.bash("rm -rf /").behavior == "deny"
    path = str(judge.root / ".pilotfish" / "settings.json")
    assert judge.decide("Write", file_path=path).behavior == "deny"


def test_a_search_that_may_show_a_denied_file_asks_unless_something_refuses_it(
    judge: Judge,
) -> None:
    (judge.root / ".env").write_text("x")
    judge.rules(deny=["Read(.env)"])

    assert judge.bash("grep -rn x .").phase == "deny_rules"
    assert judge.bash("grep -rn x . && rm -rf /").hide_always
    assert judge.set(mode="plan").bash("grep -rn x . && git push").behavior == "deny"


# --- trust ---


def test_an_untrusted_projects_rule_does_not_pass_the_safety_check(judge: Judge) -> None:
    judge.set(trusted=False).rules("projectSettings", allow=["Bash(git push:*)", "Bash(make:*)"])

    assert judge.bash("git push").phase == "command_safety"
    assert judge.bash("make").phase == "untrusted_allow"
    assert judge.set(trusted=True).bash("git push").phase == "trusted_allow"


def test_nor_does_it_where_nobody_can_be_asked(judge: Judge) -> None:
    judge.set(trusted=False, can_ask=False).rules("localSettings", allow=["Bash(rm:*)", "Bash"])

    assert judge.bash("rm x").behavior == "deny"
    assert judge.bash("make").behavior == "deny"


@pytest.mark.parametrize("rule", ["Bash", "Bash(*)", "Bash(:*)", "Bash(* )"])
def test_nor_does_one_that_names_no_command(judge: Judge, rule: str) -> None:
    judge.set(trusted=False).rules("projectSettings", allow=[rule])
    assert judge.bash("make").behavior == "ask"
    assert judge.set(trusted=True).bash("make").behavior == "allow"


def test_it_opens_nothing_but_commands(judge: Judge) -> None:
    judge.set(trusted=False).rules(
        "projectSettings",
        allow=["Edit", "Edit(**)", "Read(//**)", "WebFetch(domain:example.com)", "mcp__db"],
    )
    assert judge.decide("Write", file_path="a.txt", content="x").behavior == "ask"
    assert judge.decide("Read", file_path=str(judge.outside / "x")).behavior == "ask"
    assert judge.decide("WebFetch", url="https://example.com/x").behavior == "ask"
    assert judge.decide("mcp__db__query").behavior == "ask"


def test_in_the_mode_that_asks_nothing_it_does_not_count(judge: Judge) -> None:
    judge.set(trusted=False, mode="dontAsk").rules("projectSettings", allow=["Bash(make:*)"])
    assert judge.bash("make").behavior == "deny"


def test_a_line_is_only_as_trusted_as_its_weakest_part(judge: Judge) -> None:
    judge.set(trusted=False)
    judge.rules("projectSettings", allow=["Bash(git push:*)"]).rules(allow=["Bash(make:*)"])

    assert judge.bash("make && git push").behavior == "ask"


def test_a_running_commands_rule_is_not_trusted(judge: Judge) -> None:
    assert judge.rules("command", allow=["Bash(rm:*)"]).bash("rm x").behavior == "ask"


# --- ask against allow ---


def test_the_more_specific_ask_rule_wins(judge: Judge) -> None:
    judge.rules(ask=["Bash(git fetch:*)"], allow=["Bash(git:*)"])

    assert judge.bash("git fetch").phase == "ask_rules"
    assert judge.bash("git pull").behavior == "allow"


def test_a_policy_ask_rule_beats_a_more_specific_allow(judge: Judge) -> None:
    judge.rules("policySettings", ask=["Bash"]).rules(allow=["Bash(make)"])

    assert judge.bash("make").behavior == "ask"


def test_ask_can_be_made_to_beat_allow_always(judge: Judge) -> None:
    judge.rules(ask=["Bash(git:*)"], allow=["Bash(git push)"])

    assert judge.bash("git push").behavior == "allow"
    assert judge.set(ask_beats_allow=True).bash("git push").behavior == "ask"


# --- modes ---


def test_bypass_that_is_not_available_acts_as_default(judge: Judge) -> None:
    judge.set(mode="bypassPermissions")
    assert judge.bash("npm publish").behavior == "allow"

    judge.set(bypass_available=False)
    assert judge.bash("npm publish").behavior == "ask"


def test_accept_edits_covers_plain_project_files_only(judge: Judge) -> None:
    judge.set(mode="acceptEdits")

    def edit(path: Path) -> tuple[str, bool]:
        decision = judge.decide("Edit", file_path=str(path))
        return decision.behavior, decision.hide_always

    assert edit(judge.root / "a.py") == ("allow", False)
    assert edit(judge.root / ".git" / "config") == ("ask", False)
    assert edit(judge.root / ".pilotfish" / "settings.json") == ("ask", True)
    assert edit(judge.outside / "a.py") == ("ask", True)


def test_plan_mode_reads_and_writes_the_plan_only(judge: Judge) -> None:
    plan = judge.home / ".pilotfish" / "plans" / "plan.md"
    judge.set(mode="plan", plan_file=plan).rules(allow=["Edit", "Bash"])

    assert judge.decide("Edit", file_path=str(judge.root / "a.py")).phase == "plan_gate"
    assert judge.decide("Write", file_path=str(plan)).behavior == "allow"
    assert judge.bash("git log").behavior == "allow"
    assert judge.bash("npm test").phase == "plan_gate"
    assert judge.decide("Grep", path=str(judge.root)).behavior == "allow"


def test_plan_mode_reads_outside_as_the_mode_before_it(judge: Judge) -> None:
    path = str(judge.outside / "a")
    judge.set(mode="plan")

    assert judge.decide("Read", file_path=path).behavior == "ask"
    judge.set(pre_plan_mode="bypassPermissions")
    assert judge.decide("Read", file_path=path).behavior == "allow"


def test_git_reads_freely_only_where_the_repository_is_harmless(judge: Judge) -> None:
    assert judge.bash("git status").behavior == "allow"
    config = judge.root / ".git" / "config"
    config.parent.mkdir()
    config.write_text("[core]\n\tfsmonitor = ./hook.sh\n")

    assert judge.bash("git status").behavior == "ask"
    assert judge.rules(allow=["Bash(git status)"]).bash("git status").behavior == "allow"


def test_a_rule_for_git_does_not_reach_into_a_foreign_repository(judge: Judge) -> None:
    judge.rules(allow=["Bash(git:*)", "Bash(cd:*)"])

    assert judge.bash(f"cd {judge.outside} && git log").behavior == "ask"
    assert judge.bash(f"git -C {judge.outside} log").behavior == "ask"


# --- the protected tier ---


def test_only_a_policy_rule_that_names_it_opens_the_protected_tier(judge: Judge) -> None:
    path = str(judge.root / ".mcp.json")
    judge.rules(allow=["Edit(/.mcp.json)", "*"]).rules("policySettings", allow=["Edit"])
    assert judge.decide("Write", file_path=path).phase == "protected"

    judge.rules("policySettings", allow=["Edit(/.mcp.json)"])
    assert judge.decide("Write", file_path=path).behavior == "allow"


def test_a_link_to_a_protected_file_is_protected(judge: Judge) -> None:
    (judge.root / "notes").symlink_to(judge.root / ".claude")
    decision = judge.set(mode="bypassPermissions").decide(
        "Write", file_path=str(judge.root / "notes" / "settings.json")
    )

    assert decision.phase == "protected"


def test_a_moved_state_folder_is_protected_too(judge: Judge) -> None:
    judge.set(mode="bypassPermissions", state_folder=judge.root / "pf-state")

    assert judge.bash("echo x > pf-state/settings.json").phase == "protected"


@pytest.mark.parametrize(
    "command",
    ["cp hooks .git/", "mv x .mcp.json", "tee .vscode/tasks.json", "ln -s a .claude/x",
     "cp -t .pilotfish a", "(cd .pilotfish && echo x > settings.json)", "sudo tee .mcp.json",
     "bash -c 'echo x > .mcp.json'", "echo x > $PWD/.mcp.json"],
)  # fmt: skip
def test_shell_writes_to_protected_files_ask_even_in_bypass(judge: Judge, command: str) -> None:
    decision = judge.set(mode="bypassPermissions").bash(command)

    assert (decision.phase, decision.hide_always) == ("protected", True)


# --- what holds for any input ---

_HARMLESS = ["ls", "git status", "echo x", "cat a.txt", "make all", "true"]
_OTHERS = ["./run.sh", "npm publish", "rm -rf x", "curl u | sh", "evil --now", "git push"]
_JOINS = [" && ", " || ", "; ", " | ", "\n", " |& ", " & "]


@pytest.fixture(scope="module")
def shared_judge(tmp_path_factory: pytest.TempPathFactory) -> Judge:
    judge = Judge(tmp_path_factory.mktemp("shared"))
    return judge.rules(allow=["Bash(make:*)", "Bash(ls *)", "Bash(echo:*)"])


@given(
    parts=st.lists(st.sampled_from(_HARMLESS), max_size=5),
    other=st.sampled_from(_OTHERS),
    place=st.integers(0, 5),
    joins=st.lists(st.sampled_from(_JOINS), min_size=6, max_size=6),
    wrap=st.sampled_from(["{}", "({})", 'echo "$({})"', "time {}", "! {}", "if true; then {}; fi"]),
)
def test_no_line_with_a_part_that_nothing_allows_is_allowed(
    shared_judge: Judge, parts: list[str], other: str, place: int, joins: list[str], wrap: str
) -> None:
    parts.insert(place, wrap.format(other))
    command = parts[0] + "".join(join + part for join, part in zip(joins, parts[1:], strict=False))

    assert shared_judge.bash(command).behavior != "allow"


@given(
    parts=st.lists(st.sampled_from([*_HARMLESS, *_OTHERS]), max_size=4),
    joins=st.lists(st.sampled_from(_JOINS), min_size=5, max_size=5),
    wrap=st.sampled_from(
        ["{}", "({})", "X=$({})", "FOO=1 {}", "env A=1 {}", "time A=1 {}", "timeout 5 {}", "sudo -u x {}",
         "bash -c '{}'", "for i in 1; do {}; done", "xargs -n 1 {}", "cat <<E\n$({})\nE"]
    ),
)  # fmt: skip
def test_no_line_that_starts_a_denied_command_escapes(
    shared_judge: Judge, parts: list[str], joins: list[str], wrap: str
) -> None:
    before = shared_judge.state
    shared_judge.rules(allow=["Bash"], deny=["Bash(forbidden:*)"])
    parts.append(wrap.format("forbidden a"))
    command = parts[0] + "".join(join + part for join, part in zip(joins, parts[1:], strict=False))

    try:
        assert shared_judge.bash(command).behavior == "deny"
    finally:
        shared_judge.state = before


@given(
    command=st.text(alphabet=" \n'\"\\$`(){}<>|&;#=*?[]!~-/.abcdgirtm", max_size=40),
    mode=st.sampled_from(PERMISSION_MODES),
    rule=st.text(alphabet="ab :*(\\)", max_size=12),
)
def test_deciding_never_raises(
    shared_judge: Judge, command: str, mode: PermissionMode, rule: str
) -> None:
    judge = shared_judge
    before = judge.state
    judge.set(mode=mode).rules(deny=[f"Bash({rule})"], allow=[f"Read({rule})"])
    try:
        assert judge.bash(command).behavior in ("allow", "ask", "deny")
        path = "/" + command.replace("\x00", "")
        assert judge.decide("Read", file_path=path).behavior in ("allow", "ask", "deny")
    finally:
        judge.state = before
