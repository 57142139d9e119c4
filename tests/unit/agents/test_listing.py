"""The list of agents that goes into every request."""

from hypothesis import given
from hypothesis import strategies as st
from pilotfish.agents.listing import MAX_DESCRIPTION_CHARS, MAX_LISTING_CHARS, list_types
from pilotfish.ports.agents import AgentType


def kind(name: str, description: str) -> AgentType:
    return AgentType(name=name, description=description, tools="all tools", is_read_only=False)


def test_a_line_says_what_one_is_for_and_what_it_has() -> None:
    listed = list_types([kind("a", "One."), kind("b", "Two.")])
    assert listed == "- a: One. (Tools: all tools)\n- b: Two. (Tools: all tools)"
    assert list_types([]) == ""


def test_a_long_description_is_cut() -> None:
    listed = list_types([kind("a", "x" * 5_000)])
    assert listed == f"- a: {'x' * (MAX_DESCRIPTION_CHARS - 1)}… (Tools: all tools)"


def test_many_descriptions_get_shorter_together() -> None:
    lines = list_types([kind(f"a{n}", "x" * 900) for n in range(50)]).splitlines()
    assert len(lines) == 50
    assert len({len(line) for line in lines}) == 2
    assert all("x" * 20 in line for line in lines)


def test_very_many_are_names_and_the_rest_is_counted() -> None:
    lines = list_types(
        [kind(f"agent-with-a-long-name-{n}", "x" * 900) for n in range(1_000)]
    ).splitlines()
    assert lines[0] == "- agent-with-a-long-name-0"
    assert lines[-1] == f"- and {1_000 - len(lines) + 1} more, which are not listed"


@given(
    st.lists(
        st.builds(kind, st.text(min_size=1, max_size=64), st.text(max_size=4_000)), max_size=300
    )
)
def test_the_list_is_never_longer_than_its_limit(types: list[AgentType]) -> None:
    assert len(list_types(types)) <= MAX_LISTING_CHARS + 100
