"""Finding tools that are not in the list which goes with each request."""

import pytest
from pilotfish.tooling.deferred import MAX_HITS, DeferredTool, search


def tool(name: str, description: str, hint: str = "") -> DeferredTool:
    return DeferredTool(name=name, description=description, hint=hint, input_schema={})


TOOLS = [
    tool("mcp__github__create_issue", "Opens an issue in a repository."),
    tool("mcp__github__list_pulls", "Lists pull requests of a repository."),
    tool("mcp__slack__send_message", "Sends a message to a channel."),
    tool("NotebookRead", "Shows the cells of a notebook.", "jupyter ipynb outputs"),
    tool("WeatherTool", "Says what the weather will be."),
]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("select:NotebookRead,mcp__slack__send_message", ["NotebookRead", "mcp__slack__send_message"]),
        ("select:notebookread, NotebookRead ,nothing", ["NotebookRead"]),
        ("notebookread", ["NotebookRead"]),
        ("mcp__github", ["mcp__github__create_issue", "mcp__github__list_pulls"]),
        ("jupyter", ["NotebookRead"]),
        ("notebooks", ["NotebookRead"]),
        ("send slack messages", ["mcp__slack__send_message"]),
        ("discover:weather", ["WeatherTool"]),
        ("+pulls repository", ["mcp__github__list_pulls"]),
        ("+nothing repository", []),
        ("quantum", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_query_finds_what_it_means(query: str, names: list[str]) -> None:
    assert [found.name for found in search(query, TOOLS)] == names


def test_the_best_comes_first_and_few_are_returned() -> None:
    many = [tool(f"mcp__files__copy_{n}", "Copies a file.") for n in range(20)]
    found = search("copy 7 file", [*many, tool("mcp__files__move", "Moves a file, or its copy.")])
    assert len(found) == MAX_HITS
    assert found[0].name == "mcp__files__copy_7"


@pytest.mark.parametrize(
    ("query", "description"),
    [
        ("天气", "查询天气"),
        ("てんき", "てんきをしらべる"),
        ("날씨", "날씨를 조회합니다"),
        ("погода", "Погода на завтра"),
        ("météo", "La météo de demain"),
    ],
)
def test_other_scripts_are_found_by_their_characters_or_words(query: str, description: str) -> None:
    assert [one.name for one in search(query, [tool("x", description), *TOOLS])] == ["x"]


def test_no_tools_are_no_hits() -> None:
    assert search("anything", []) == []
