"""What the text of a definition says, and what is said about it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pilotfish.agents.model import AgentDefinition, DefinitionSource
from pilotfish.agents.reader import (
    MAX_DESCRIPTION_CHARS,
    color_of,
    read_definition,
)
from pilotfish.core.permission import AgentMode
from pilotfish.definitions.fields import DefinitionProblem
from pilotfish.definitions.loading import ReadText

FILE = Path("/p/.pilotfish/agents/x.md")


def read(
    header: str, *, body: str = "Do it.", source: DefinitionSource = "userSettings"
) -> ReadText[AgentDefinition]:
    text = f"---\nname: x\ndescription: d\n{header}\n---\n{body}\n"
    return read_definition(text, source=source, path=FILE)


def definition(header: str) -> AgentDefinition:
    found = read(header)
    assert found.found is not None
    assert not found.problems
    return found.found


def warning(header: str, source: DefinitionSource = "userSettings") -> str:
    """Return the one warning about a header that stands in line 4; the definition still counts."""
    found = read(header, source=source)
    assert found.found is not None
    (problem,) = found.problems
    assert (problem.line, problem.severity, problem.path) == (4, "warning", FILE)
    return problem.text


def failure(text: str) -> DefinitionProblem:
    found = read_definition(text, source="userSettings", path=FILE)
    assert found.found is None
    (problem,) = found.problems
    assert problem.severity == "error"
    return problem


def test_every_field_is_read() -> None:
    found = definition(
        "tools: Read, Grep, Bash\ndisallowedTools: [Write]\nmodel: opus\neffort: high\nmaxTurns: 12\n"
        "permissionMode: plan\nbackground: true\ninitialPrompt: Begin with the tests.\n"
        "isolation: worktree\nrequiredMcpServers: db\ncolor: pink"
    )
    assert found == AgentDefinition(
        agent_type="x",
        description="d",
        system_prompt="Do it.",
        source="userSettings",
        path=FILE,
        tools=("Read", "Grep", "Bash"),
        disallowed_tools=("Write",),
        model="opus",
        effort="high",
        permission_mode="plan",
        max_turns=12,
        background=True,
        isolation="worktree",
        initial_prompt="Begin with the tests.",
        required_mcp_servers=("db",),
        color="pink",
    )


def test_only_name_description_and_text_are_needed() -> None:
    found = definition("")
    assert (found.tools, found.disallowed_tools, found.model) == (None, (), None)
    assert found.color == color_of("x")


def test_a_page_that_is_no_definition_is_left_alone() -> None:
    assert read_definition("# Our agents\n", source="userSettings", path=FILE) == ReadText(
        found=None
    )


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("---\ndescription: d\n---\nText", 1, "`name` is missing"),
        ("---\nname: x\n---\nText", 1, "`description` is missing"),
        ("---\ndescription: d\nname:\n---\nText", 3, "`name` is empty"),
        ("---\nname: [x]\ndescription: d\n---\nText", 2, "`name` is no text"),
        ("---\nname: ../x\ndescription: d\n---\nText", 2, "letters, digits"),
        ("---\nname: a b\ndescription: d\n---\nText", 2, "letters, digits"),
        (f"---\nname: {'x' * 65}\ndescription: d\n---\nText", 2, "at most 64"),
        ('---\nname: "x\\u202ey"\ndescription: d\n---\nText', 2, "u202e"),
        ("---\nname: x\ndescription: d\n---\n\n", 1, "no text below"),
        ("---\nname: x\ndescription: d\ntools: {a: b}\n---\nText", 4, "no list of tools"),
        (
            "---\nname: x\ndescription: d\ndisallowedTools:\n  - [Bash]\n---\nText",
            4,
            "no list of tools",
        ),
        ("---\nname: x\ndescription: d\ntools: [Read\n---\nText", 4, "no YAML"),
    ],
)
def test_what_makes_a_file_unusable_is_said_with_its_line(text: str, line: int, what: str) -> None:
    problem = failure(text)
    assert what in problem.text
    assert problem.line == line


@pytest.mark.parametrize(
    ("header", "what"),
    [
        ("tools: Read, Wrote", "no tool called 'Wrote'"),
        ("tools:", "names no tool"),
        ("tools: Bash(git log:*, x)", "counts as Bash"),
        ("maxTurns: 0", "above 0"),
        ("maxTurns: many", "above 0"),
        ("maxTurns: [3]", "above 0"),
        ("isolation: remote", "none of worktree"),
        ("memory: shared", "none of user, project, local"),
        ("color: beige", "none of red"),
        ("background: perhaps", "neither true nor false"),
        ("effort: 3", "no word"),
        ("model: [a]", "no text"),
        ("model: Inherit", "taken for a model's name"),
        ("skills: {a: b}", "no list of names"),
        ("mcpServers: [[a]]", "no list of names"),
        ("hooks: yes please", "no mapping"),
        ("hooks:\n  Stop: []", "not used yet"),
        ("permissionMode: turbo", "counts as default"),
        ("permissionMode: auto", "counts as default"),
        ("permissionMode:", "counts as default"),
        ("permissionMode: [plan]", "counts as default"),
        ("dissallowedTools: Bash", "did you mean `disallowedTools`"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said_and_the_rest_counts(header: str, what: str) -> None:
    assert what in warning(header)


def test_what_would_restrict_the_agent_is_never_lost() -> None:
    found = read("disallowedTools: bash, WRITE, Task(x), KillShell").found
    assert found is not None
    assert found.disallowed_tools == ("Bash", "Write", "Agent", "TaskStop")
    for header in ("permissionMode: turbo", "permissionMode: bubble", "permissionMode:"):
        found = read(header).found
        assert found is not None
        assert found.permission_mode == "default"


def test_an_empty_list_of_tools_is_no_tool_at_all() -> None:
    for header in ("tools:", "tools: []", "tools: ''"):
        found = read(header).found
        assert found is not None
        assert found.tools == ()


@pytest.mark.parametrize(
    ("text", "mode"),
    [("acceptEdits", "acceptEdits"), ("accept-edits", "acceptEdits"), ("ignore", "ignore")],
)
def test_modes_are_read_as_everywhere(text: str, mode: AgentMode) -> None:
    assert definition(f"permissionMode: {text}").permission_mode == mode


def test_a_project_hears_that_its_agent_cannot_bypass_permissions() -> None:
    assert not read("permissionMode: bypassPermissions").problems
    said = warning("permissionMode: bypassPermissions", source="projectSettings")
    assert "only where the session does" in said


@pytest.mark.parametrize("key", ["max-turns", "max_turns", "MaxTurns", "maxTurns"])
def test_keys_may_be_spelt_in_several_ways(key: str) -> None:
    assert definition(f"{key}: 7").max_turns == 7


def test_commas_in_parentheses_do_not_cut_a_tool_in_two() -> None:
    for header in (
        "tools: Bash(a, b), Read",
        "tools: [Bash(a, b), Read]",
        "tools:\n- Bash(a, b)\n- Read",
    ):
        found = read(header).found
        assert found is not None
        assert found.tools == ("Bash", "Read")


def test_a_description_is_one_line_that_shows_what_it_holds() -> None:
    text = "---\nname: x\ndescription: |\n  One.\n\n  Two\u202e.\n---\nText"
    found = read_definition(text, source="userSettings", path=FILE)
    assert found.found is not None
    assert found.found.description == "One. Two\\u202e."
    assert "U+202E" in found.problems[0].text


def test_a_description_without_end_is_cut() -> None:
    text = f"---\nname: x\ndescription: {'word ' * 5_000}\n---\nText"
    found = read_definition(text, source="userSettings", path=FILE)
    assert found.found is not None
    assert len(found.found.description) == MAX_DESCRIPTION_CHARS


VALUES = st.text(st.characters(exclude_characters="\r\n")) | st.sampled_from(
    ["", "null", "[]", "[Read]", "{a: b}", "'x'", "yes", "3", "-1", "1e9", "9" * 5_000, "- a", "*x"]
)
KEYS = st.sampled_from(
    ["name", "description", "tools", "disallowedTools", "model", "effort", "maxTurns", "permissionMode",
     "background", "initialPrompt", "isolation", "memory", "mcpServers", "requiredMcpServers", "hooks",
     "skills", "color", "other"]
)  # fmt: skip


@given(st.dictionaries(KEYS, VALUES))
def test_whatever_stands_in_the_fields_nothing_breaks_and_no_restriction_is_lost(
    fields: dict[str, str],
) -> None:
    fields = {"name": "x", "description": "d"} | fields
    header = "\n".join(f"{key}: {value}" for key, value in fields.items())
    found = read_definition(f"---\n{header}\n---\nText", source="projectSettings", path=FILE)
    assert all("\n" not in problem.text for problem in found.problems)
    if found.found is None:
        assert found.problems
        return
    assert ("tools" in fields) == (found.found.tools is not None)
    assert ("permissionMode" in fields) == (found.found.permission_mode is not None)
    assert len(found.found.agent_type) <= 64
    assert "\n" not in found.found.description
