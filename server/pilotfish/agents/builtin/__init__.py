"""The agents that come with Pilotfish.

Owns: their definitions; the prompts are the Markdown files beside this one.
Does not own: whether they count: a definition of the user, of a project or of the administrator with
the same name replaces one of these (``definitions.catalog``).
See also: design 03 §1.8.
"""

from functools import cache
from importlib.resources import files

from pilotfish.agents.model import GENERAL_PURPOSE, INHERIT, SMALL, AgentDefinition

_WRITING = ("Edit", "MultiEdit", "Write", "NotebookEdit", "TodoWrite")
"""Tools that change files, and the one list that belongs to the user's own conversation."""

_STARTING = ("Agent", "SendMessage", "EnterWorktree", "ExitWorktree", "EnterPlanMode")
"""Tools that set other things going: a search is an end in itself."""


@cache
def builtin_agents() -> tuple[AgentDefinition, ...]:
    """Return the definitions, by name."""
    return (
        AgentDefinition(
            agent_type="Explore",
            description=(
                "Searches a code base and reports what it found; changes nothing. Use it for "
                "questions that take several searches: where something is done, how parts belong "
                "together, every place that would have to change. Say how thorough it should be: "
                "quick, medium or very thorough. For a known file or name, Read and Grep are quicker."
            ),
            system_prompt=_prompt("explore"),
            disallowed_tools=(*_WRITING, *_STARTING, "ExitPlanMode"),
            model=SMALL,
            color="cyan",
            is_one_shot=True,
        ),
        AgentDefinition(
            agent_type="Plan",
            description=(
                "Studies the code and works out how to make a change: the steps, the files that "
                "matter most, what may go wrong; changes nothing. Use it before large or risky "
                "changes, and to compare ways of making one."
            ),
            system_prompt=_prompt("plan"),
            disallowed_tools=(*_WRITING, *_STARTING),
            model=INHERIT,
            color="purple",
            is_one_shot=True,
        ),
        AgentDefinition(
            agent_type=GENERAL_PURPOSE,
            description=(
                "Does a whole task on its own, with every tool: research that takes many steps, or a "
                "change that can be described completely. Use it when no other agent fits, and to "
                "keep long intermediate results out of the conversation."
            ),
            system_prompt=_prompt("general_purpose"),
            color="blue",
        ),
        AgentDefinition(
            agent_type="statusline-setup",
            description=(
                "Sets up the user's own status line: the `statusLine` command in the user's settings "
                "of Pilotfish, if asked after the prompt of the user's shell."
            ),
            system_prompt=_prompt("statusline_setup"),
            tools=("Read", "Edit"),
            color="orange",
        ),
    )


def _prompt(name: str) -> str:
    text = files("pilotfish.agents.builtin").joinpath(f"{name}.md").read_text(encoding="utf-8")
    return text.strip()
