"""What agents of one kind keep for the next one.

Owns: where an agent's memory is, whether it has one, and what of it stands in its system prompt.
Does not own: the field (``agents.reader``), who may write there (``permissions.agent_memory``).
See also: design 03 §1.7, 02 §3.

A memory inside a project is text from a repository: in a folder that nobody vouches for there is none.
Blocks on the disk.
"""

import hashlib
import os
import re
from pathlib import Path

from pilotfish.agents.model import AgentDefinition
from pilotfish.config.files import read_text
from pilotfish.config.home import FOLDER_NAME
from pilotfish.core.agents import AgentMemory, MemoryScope
from pilotfish.core.errors import SettingsError
from pilotfish.definitions.files import why_not_read
from pilotfish.prompts.system import memory_prompt

INDEX = "MEMORY.md"

MAX_INDEX_LINES = 200
"""As much of an index as an agent is shown (design 02 §3)."""

MAX_INDEX_BYTES = 25_000

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]")
_FOLDERS: dict[MemoryScope, str] = {
    "user": "agent-memory",
    "project": "agent-memory",
    "local": "agent-memory-local",
}
_SCOPES: dict[MemoryScope, str] = {
    "user": "in any project",
    "project": "in this project; it may be under version control, for everybody who works on it",
    "local": "in this project, for this user",
}


def memory_of(
    definition: AgentDefinition, state_folder: Path, project: Path, *, trusted: bool
) -> tuple[AgentMemory | None, str]:
    """Return an agent's memory, and why there is none although it asks for one.

    Args:
        definition: What it is.
        state_folder: Pilotfish's own folder of the user.
        project: The project's folder.
        trusted: Whether the user vouches for the project.
    """
    if definition.memory is None:
        return None, ""
    scope = memory_scope(definition)
    limited = tuple(name for name in ("Write", "Edit") if definition.gains_by_memory(name))
    none = AgentMemory(folder="", scope=scope, limited_tools=limited)
    if scope != "user" and not trusted:
        return none, "its memory is in a folder that is not trusted"
    base = Path(os.path.realpath(state_folder if scope == "user" else project / FOLDER_NAME))
    folder = base / _FOLDERS[scope] / _folder_name(definition.agent_type)
    if os.path.realpath(folder) != str(folder):
        return none, f"{folder} is reached over a link"
    if scope == "local":
        _keep_out_of_git(folder.parent)
    return AgentMemory(folder=str(folder), scope=scope, limited_tools=limited), ""


def memory_scope(definition: AgentDefinition) -> MemoryScope:
    """Return whose an agent's memory is: a project's agent keeps out of that of all projects."""
    if definition.memory == "user" and not definition.is_users_own:
        return "local"
    return definition.memory or "local"


def recall(memory: AgentMemory | None) -> str:
    """Return what stands in the system prompt of an agent about its memory; empty without one."""
    if memory is None or not memory.folder:
        return ""
    return memory_prompt(
        folder=memory.folder,
        scope=_SCOPES[memory.scope],
        lines=MAX_INDEX_LINES,
        index=_index(Path(memory.folder) / INDEX),
    )


def _index(file: Path) -> str:
    if not file.exists():
        return f"{INDEX} is not there yet: nothing is known."
    problem = why_not_read(file, inside=file.parent)
    try:
        text = None if problem else read_text(file)
    except SettingsError as error:
        problem = str(error)
        text = None
    if text is None:
        return f"{INDEX} cannot be read: {problem or 'it is gone'}"
    shown = "\n".join(text.split("\n")[:MAX_INDEX_LINES]).encode()[:MAX_INDEX_BYTES]
    found = shown.decode("utf-8", "ignore").rstrip()
    cut = "" if len(found) >= len(text.rstrip()) else f"\n(Only the beginning of {INDEX} is shown.)"
    return f"{INDEX} says:\n\n{found}{cut}" if found else f"{INDEX} is empty: nothing is known."


def _folder_name(agent_type: str) -> str:
    """Return a folder's name that no other kind of agent has, and every system takes."""
    safe = _UNSAFE.sub("-", agent_type)
    if safe == agent_type:
        return safe
    return f"{safe}-{hashlib.sha256(agent_type.encode()).hexdigest()[:8]}"


def _keep_out_of_git(folder: Path) -> None:
    """Make the folder of private memories one that git does not see; a failure shows in git."""
    mark = folder / ".gitignore"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with mark.open("x", encoding="utf-8") as file:
            file.write("*\n")
    except OSError:
        return  # it is there already, or nothing can be written here at all
