"""Skip switches, secrets, and doubt while a settings file is broken."""

from pathlib import Path
from typing import Any

import pytest
from pilotfish.config.schema import SkipKey, SkippedQuestion
from pilotfish.core.permission import PermissionMode, RuleSource, UnreadSettings
from pilotfish.permissions.assumed import CallHints

from tests.support.permission_state import Judge


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path)


# --- skip switches ---


def skipping(judge: Judge, key: SkipKey, source: RuleSource = "userSettings") -> Judge:
    return judge.set(skipped=(SkippedQuestion(key=key, source=source),))


def test_skipping_shell_questions_allows_commands(judge: Judge) -> None:
    skipping(judge, "skipBashExecPermission")

    assert judge.bash("npm test && make > out.txt").behavior == "allow"
    assert judge.bash("git push").behavior == "allow"
    assert judge.decide("Write", file_path="a.py", content="x").behavior == "ask"


def test_skipping_opens_neither_a_deny_rule_nor_an_ask_rule_nor_the_protected_tier(
    judge: Judge,
) -> None:
    skipping(judge, "skipBashExecPermission").rules(deny=["Bash(rm:*)"], ask=["Bash(make:*)"])

    assert judge.bash("ls; rm a").behavior == "deny"
    assert judge.bash("make").behavior == "ask"
    catastrophe = judge.bash("dd if=/dev/zero of=/dev/sda")
    assert (catastrophe.behavior, catastrophe.hide_always) == ("ask", True)
    assert judge.rules(ask=["Bash"]).bash("npm test").behavior == "ask"


def test_skipping_edit_questions_covers_the_project_only(judge: Judge) -> None:
    skipping(judge, "skipFileEditPermission")

    def edit(path: object) -> str:
        return judge.decide("Write", file_path=str(path), content="x").behavior

    assert edit("src/a.py") == "allow"
    assert edit(judge.outside / "a.py") == "ask"
    assert edit(".git/config") == "ask"
    assert edit(".pilotfish/settings.json") == "ask"
    assert judge.set(mode="plan").decide("Write", file_path="a", content="x").behavior == "deny"


def test_skipping_the_questions_of_skills_and_servers(judge: Judge) -> None:
    acts = CallHints(skill_is_plain=False)
    skipping(judge, "skipSkillPermission")
    assert judge.decide_with(acts, "Skill", skill="deploy").behavior == "allow"
    assert judge.decide("mcp__db__drop").behavior == "ask"

    skipping(judge, "skipMCPToolPermission")
    assert judge.decide("mcp__db__drop").behavior == "allow"
    assert judge.decide_with(acts, "Skill", skill="deploy").behavior == "ask"
    assert judge.rules(deny=["mcp__db"]).decide("mcp__db__drop").behavior == "deny"


# --- vouching for a folder ---

VOUCHING = [
    "pilotfish trust",
    "pilotfish trust /tmp/x",
    "cd sub && pilotfish trust",
    ".venv/bin/pilotfish trust .",
    "/opt/x/pilotfish --no-color trust",
    "python -m pilotfish trust",
    "python3.12 -I -m pilotfish trust x",
    "python -mpilotfish trust",
    "uv run pilotfish trust",
    "env X=1 timeout 9 pilotfish trust",
    "bash -c 'pilotfish trust'",
    "'pilotfish' \"trust\"",
    "yes | pilotfish trust",
]


@pytest.mark.parametrize("command", VOUCHING)
@pytest.mark.parametrize("mode", ["default", "bypassPermissions", "autoInProject", "acceptEdits"])
def test_nothing_but_a_person_vouches_for_a_folder(
    judge: Judge, command: str, mode: PermissionMode
) -> None:
    skipping(judge, "skipBashExecPermission").rules(allow=["Bash"]).set(mode=mode)
    found = judge.bash(command)
    assert (found.behavior, found.phase, found.hide_always) == ("ask", "protected", True)
    assert judge.decide("PowerShell", command=command.replace("/", "\\")).behavior == "ask"


def test_where_nobody_can_be_asked_no_command_vouches(judge: Judge) -> None:
    judge.rules(allow=["Bash"]).set(can_ask=False)
    assert judge.bash("pilotfish trust").behavior == "deny"


@pytest.mark.parametrize(
    "command", ["pilotfish doctor", "rg pilotfish trust", "git log pilotfish/trust", "make trust"]
)
def test_other_commands_pass_as_before(judge: Judge, command: str) -> None:
    assert judge.rules(allow=["Bash"]).bash(command).behavior == "allow"


# --- secrets ---


def protected(judge: Judge, **files: str) -> Judge:
    for name in (".env", "key.pem", "plain.txt"):
        (judge.root / name).write_text("x")
    return judge.set(protect_secrets=True)


SECRETS = [
    ("Read", {"file_path": ".env"}),
    ("Read", {"file_path": "deep/.ENV.local"}),
    ("Read", {"file_path": "server.pem"}),
    ("Read", {"file_path": "id_ed25519"}),
    ("Read", {"file_path": "aws/credentials"}),
    ("Grep", {"path": ".env", "pattern": "KEY"}),
    ("Glob", {"path": ".env", "pattern": "*"}),
    ("Bash", {"command": "cat .env"}),
    ("Bash", {"command": "ls | head -1 key.pem"}),
    ("Bash", {"command": "wc -l < .env"}),
    ("Bash", {"command": "cat .e*"}),
    ("Bash", {"command": "grep -r KEY ."}),
]


@pytest.mark.parametrize(("tool", "given"), SECRETS)
@pytest.mark.parametrize("mode", ["default", "acceptEdits", "autoInProject", "bypassPermissions"])
def test_reading_secrets_asks_in_every_mode(
    judge: Judge, tool: str, given: dict[str, Any], mode: PermissionMode
) -> None:
    protected(judge).set(mode=mode)
    assert judge.decide(tool, **given).behavior == "ask"


@pytest.mark.parametrize(("tool", "given"), SECRETS[:8])
def test_without_the_setting_reading_in_the_project_is_free(
    judge: Judge, tool: str, given: dict[str, Any]
) -> None:
    assert protected(judge).set(protect_secrets=False).decide(tool, **given).behavior == "allow"


def test_other_files_are_read_as_before(judge: Judge) -> None:
    protected(judge)
    assert judge.decide("Read", file_path="environment.py").behavior == "allow"
    assert judge.bash("cat plain.txt").behavior == "allow"


def test_a_trusted_rule_opens_a_secret_and_a_cloned_projects_rule_does_not(judge: Judge) -> None:
    protected(judge).set(trusted=False).rules(
        "projectSettings", allow=["Read(.env)", "Bash(cat:*)"]
    )
    assert judge.decide("Read", file_path=".env").behavior == "ask"
    assert judge.bash("cat .env").behavior == "ask"

    judge.rules(allow=["Read(.env)"])
    assert judge.decide("Read", file_path=".env").behavior == "allow"
    assert judge.bash("cat .env").behavior == "allow"
    assert judge.bash("cat .env key.pem").behavior == "ask"
    assert judge.rules(allow=["Bash(cat:*)"]).bash("cat .env key.pem").behavior == "allow"


def test_a_link_to_a_secret_is_a_secret(judge: Judge) -> None:
    protected(judge)
    (judge.root / "notes.txt").symlink_to(judge.root / ".env")
    assert judge.decide("Read", file_path="notes.txt").behavior == "ask"


# --- broken settings ---


def doubting(judge: Judge, source: RuleSource = "userSettings") -> Judge:
    return judge.set(unread=(UnreadSettings(source=source, place="/h/settings.json:3"),))


@pytest.mark.parametrize("mode", ["acceptEdits", "bypassPermissions", "autoInProject"])
def test_while_a_file_is_broken_no_mode_and_no_rule_runs_anything_unasked(
    judge: Judge, mode: PermissionMode
) -> None:
    doubting(judge).set(mode=mode).rules(allow=["Bash(npm test)", "WebFetch", "Agent"])

    for decision in (
        judge.decide("Write", file_path="a.py", content="x"),
        judge.bash("npm test"),
        judge.decide("WebFetch", url="https://example.com"),
        judge.decide("Agent", subagent_type="general"),
    ):
        assert decision.behavior == "ask"
    assert "/h/settings.json:3 is broken" in judge.bash("npm test").reason


def test_reading_goes_on_while_a_file_is_broken(judge: Judge) -> None:
    doubting(judge)
    assert judge.decide("Read", file_path="a.py").behavior == "allow"
    assert judge.bash("git log | head").behavior == "allow"
    assert judge.decide("TodoWrite").behavior == "allow"


def test_what_the_user_grants_meanwhile_counts_unless_the_managed_file_is_broken(
    judge: Judge,
) -> None:
    doubting(judge).rules("session", allow=["Bash(npm test)"])
    assert judge.bash("npm test").behavior == "allow"

    doubting(judge, "policySettings")
    assert judge.bash("npm test").behavior == "ask"


def test_where_nobody_can_be_asked_it_is_refused_with_the_place(judge: Judge) -> None:
    doubting(judge).set(can_ask=False).rules("cliArg", allow=["Bash"])

    decision = judge.bash("npm test")

    assert decision.behavior == "deny"
    assert "/h/settings.json:3" in decision.reason


def test_where_only_managed_rules_count_no_lasting_rule_is_offered(judge: Judge) -> None:
    assert judge.bash("npm test").suggestions
    judge.set(managed_rules_only=True)
    assert judge.bash("npm test").suggestions == ()
    edit = judge.decide("Write", file_path="a.py", content="x")
    assert [one.mode for one in edit.suggestions] == ["acceptEdits"]
