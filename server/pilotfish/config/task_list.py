"""``taskList`` of a settings file: with which tools the model keeps the list of what is to be done.

Owns: the key and what it means for a session. See also: design 06 §12.1.
"""

from typing import Literal, TypeAlias

from pilotfish.config.section import Section

TaskTools: TypeAlias = Literal["auto", "todo", "tasks"]
"""``tasks``: a list on disk that agents share; ``todo``: one that a single agent writes whole."""


class TaskListSection(Section):
    """``taskList`` of a settings file."""

    tools: TaskTools | None = None


def shares_tasks(tools: TaskTools, *, one_shot: bool, list_is_named: bool) -> bool:
    """Tell whether a session has the shared list.

    Args:
        tools: The setting.
        one_shot: Whether the session ends with its first turn, which a list on disk would outlive.
        list_is_named: Whether the user names a list that several sessions share.
    """
    if tools == "auto":
        return list_is_named or not one_shot
    return tools == "tasks"
