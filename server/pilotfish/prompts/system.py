"""Putting the system prompt together.

Owns: the order of its blocks and what is known of the environment.
Nothing here may change during a session, or the prompt cache is lost: no time of day, no random
ids, no lists that depend on what is connected.
"""

from functools import cache
from importlib import resources
from pathlib import Path

from pilotfish.core.submodules import told_of_submodules
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class Environment:
    """Facts that hold for a whole session."""

    cwd: Path
    roots: tuple[Path, ...]
    platform: str
    """For example ``linux``."""
    date: str
    """The day the session began, ISO 8601."""
    is_git: bool
    empty_submodules: tuple[str, ...] = ()
    """Folders of submodules without their files, as a worktree has them."""


def build_system_prompt(
    environment: Environment, append: str | None = None, repository_map: str = ""
) -> tuple[str, ...]:
    """Return the blocks of the system prompt, the one that is the same for everybody first.

    Args:
        environment: Facts of this session.
        append: Text that the user or the caller adds at the end.
        repository_map: What the repository defines; empty when that is not known.
    """
    blocks = [_base_prompt(), _describe(environment)]
    if repository_map:
        blocks.append(repository_map)
    if append and append.strip():
        blocks.append(append.strip())
    return tuple(blocks)


def build_agent_prompt(
    definition: str, environment: Environment, memory: str = ""
) -> tuple[str, ...]:
    """Return the blocks of a sub-agent's system prompt.

    Args:
        definition: Its definition's text.
        environment: Where it works.
        memory: What ``memory_prompt`` says; comes last.
    """
    return tuple(text for text in (definition.strip(), _describe(environment), memory) if text)


def memory_prompt(*, folder: str, scope: str, lines: int, index: str) -> str:
    """Return what an agent is told of its memory.

    Args:
        folder: Where it is.
        scope: For whom it is kept, the end of a sentence.
        lines: How many lines of its index are shown.
        index: What the index says, or that there is none.
    """
    told = _text("agent_memory.md").replace("{folder}", folder).replace("{scope}", scope)
    # Last, since it may hold anything.
    return told.replace("{lines}", str(lines)).replace("{index}", index)


@cache
def _base_prompt() -> str:
    return _text("system.md")


def _text(name: str) -> str:
    return resources.files("pilotfish.prompts").joinpath(name).read_text("utf-8").strip()


def _describe(environment: Environment) -> str:
    lines = [
        "# Environment",
        f"Working directory: {environment.cwd}",
        f"Platform: {environment.platform}",
        f"Today's date: {environment.date}",
        f"Git repository: {'yes' if environment.is_git else 'no'}",
    ]
    others = [str(root) for root in environment.roots if root != environment.cwd]
    if others:
        lines.append("Other workspace folders: " + ", ".join(others))
    if environment.empty_submodules:
        lines.append(told_of_submodules(environment.empty_submodules))
    return "\n".join(lines)
