"""Rules as text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.config.rule_syntax import TOOL_NAMES, parse_rule, split_rules
from pilotfish.core.permission import Behavior, PermissionRule


@pytest.mark.parametrize(
    ("text", "tool", "content"),
    [
        ("Bash", "Bash", None),
        ("*", "*", None),
        (" Bash(git push:*) ", "Bash", "git push:*"),
        ("Bash()", "Bash", None),
        ("Bash(*)", "Bash", None),
        ("Bash(*:*)", "Bash", None),
        ("Bash(echo (a))", "Bash", "echo (a)"),
        (r"Bash(echo \(a\))", "Bash", "echo (a)"),
        (r"Bash(echo \*)", "Bash", r"echo \*"),
        ("Read(//etc/**)", "Read", "//etc/**"),
        ("Task(Explore)", "Agent", "Explore"),
        ("mcp__db__query", "mcp__db__query", None),
        ("mcp__my-server", "mcp__my-server", None),
    ],
)
def test_a_rule_is_a_tool_and_perhaps_a_content(text: str, tool: str, content: str | None) -> None:
    parsed = parse_rule(text, "allow", "userSettings")

    assert parsed.rule is not None
    assert (parsed.rule.tool, parsed.rule.content) == (tool, content)


@pytest.mark.parametrize("text", ["Bash(npm publish", "", "(x)", "Bash(x) y", "*(x)", "12(x)"])
def test_a_malformed_allow_rule_is_reported_and_does_nothing(text: str) -> None:
    parsed = parse_rule(text, "allow", "userSettings")

    assert parsed.rule is None
    assert parsed.problem


def test_a_malformed_deny_rule_for_a_known_tool_asks_for_the_whole_tool() -> None:
    parsed = parse_rule("Bash(npm publish", "deny", "userSettings")

    assert parsed.rule is not None
    assert (parsed.rule.behavior, parsed.rule.tool, parsed.rule.content) == ("ask", "Bash", None)
    assert "asks" in parsed.problem


@pytest.mark.parametrize(
    "text", ["Bush(ls)", "WebFetch(example.com)", "Skill(x:*)", "WebSearch(x)", "mcp__a__b(x)"]
)
def test_a_rule_that_cannot_match_is_reported(text: str) -> None:
    assert parse_rule(text, "allow", "userSettings").problem


def test_a_list_is_split_outside_parentheses() -> None:
    text = r"Agent(Explore) Agent(Plan), Bash(git log:*),Read  Bash(echo \) x)"

    assert split_rules(text) == [
        "Agent(Explore)",
        "Agent(Plan)",
        "Bash(git log:*)",
        "Read",
        r"Bash(echo \) x)",
    ]


@given(
    st.sampled_from(sorted(TOOL_NAMES)),
    st.none() | st.text(min_size=1, max_size=60).filter(lambda s: s == s.strip() != ""),
)
def test_a_written_rule_reads_back_unchanged(tool: str, content: str | None) -> None:
    if content in ("*", ":*", "*:*"):
        content = None
    rule = PermissionRule(source="session", behavior="deny", tool=tool, content=content)

    assert parse_rule(rule.text(), "deny", "session").rule == rule


@given(st.text(max_size=60), st.sampled_from(["allow", "ask", "deny"]))
def test_no_text_makes_it_raise(text: str, behavior: Behavior) -> None:
    parsed = parse_rule(text, behavior, "projectSettings")

    assert parsed.rule is not None or parsed.problem
