"""Which tools a definition leaves."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.agents.builtin import builtin_agents
from pilotfish.agents.model import GENERAL_PURPOSE, AgentDefinition
from pilotfish.tools import builtin_tools

PLAIN = AgentDefinition(agent_type="x", description="d", system_prompt="p")
SESSION = frozenset(tool.spec.name for tool in builtin_tools()) | {"Agent", "mcp__db__query"}


def test_without_lists_every_tool_is_left() -> None:
    assert PLAIN.pool(SESSION) == SESSION
    assert replace(PLAIN, tools=("*",)).pool(SESSION) == SESSION


def test_a_list_of_tools_leaves_these_alone() -> None:
    chosen = replace(PLAIN, tools=("Read", "Grep", "NoSuchTool"))
    assert chosen.pool(SESSION) == {"Read", "Grep"}


def test_an_empty_list_leaves_no_tool() -> None:
    assert replace(PLAIN, tools=()).pool(SESSION) == frozenset()


def test_what_is_forbidden_wins_over_what_is_permitted_and_over_what_the_memory_needs() -> None:
    chosen = replace(
        PLAIN, tools=("Read", "Grep", "Bash"), disallowed_tools=("Bash", "Write"), memory="project"
    )
    assert chosen.pool(SESSION) == {"Read", "Grep", "Edit"}


@pytest.mark.parametrize("entry", ["mcp__db", "mcp__db__*", "mcp__db__query"])
def test_a_server_stands_for_its_tools(entry: str) -> None:
    tools = {"mcp__db__query", "mcp__dbx__query", "Read"}
    assert replace(PLAIN, tools=(entry,)).pool(tools) == {"mcp__db__query"}
    assert replace(PLAIN, disallowed_tools=(entry,)).pool(tools) == tools - {"mcp__db__query"}


def test_parentheses_do_not_hide_the_tool() -> None:
    assert replace(PLAIN, tools=("Bash(git log:*)",)).pool(SESSION) == {"Bash"}
    assert "Bash" not in replace(PLAIN, disallowed_tools=("Bash(rm:*)",)).pool(SESSION)


@given(
    tools=st.none() | st.lists(st.sampled_from(["*", "Read", "Edit", "Bash(x)", "mcp__a"])),
    forbidden=st.lists(st.sampled_from(["*", "Read", "Edit", "Bash(x)", "mcp__a"])),
    memory=st.sampled_from([None, "user"]),
)
def test_nothing_that_is_forbidden_is_ever_left(
    tools: list[str] | None, forbidden: list[str], memory: str | None
) -> None:
    chosen = replace(
        PLAIN,
        tools=None if tools is None else tuple(tools),
        disallowed_tools=tuple(forbidden),
        memory="user" if memory else None,
    )
    pool = chosen.pool({"Read", "Edit", "Bash", "Grep", "mcp__a__b"})
    assert not pool & replace(PLAIN, tools=tuple(forbidden)).pool({*pool})


def test_the_searching_agents_have_no_tool_that_writes_or_starts_another() -> None:
    by_name = {agent.agent_type: agent for agent in builtin_agents()}
    assert set(by_name) == {GENERAL_PURPOSE, "Explore", "Plan", "statusline-setup"}
    writing = {"Edit", "MultiEdit", "Write", "NotebookEdit", "Agent", "SendMessage"}
    for name in ("Explore", "Plan"):
        assert not by_name[name].pool(SESSION | writing) & writing
    assert "ExitPlanMode" not in by_name["Explore"].pool(SESSION)
    assert "ExitPlanMode" in by_name["Plan"].pool(SESSION)
    assert by_name["statusline-setup"].pool(SESSION) == {"Read", "Edit"}
    assert by_name[GENERAL_PURPOSE].pool(SESSION) == SESSION


def test_every_built_in_agent_has_a_prompt_of_its_own() -> None:
    prompts = [agent.system_prompt for agent in builtin_agents()]
    assert len(set(prompts)) == len(prompts)
    assert all(len(prompt) > 500 for prompt in prompts)
