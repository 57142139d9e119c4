"""The list of what is to be done, as people see it.

Owns: one line of it. Does not own: tasks (``tasklist``).
"""

from typing import Literal

from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class TodoItem:
    """One line of the todo list."""

    content: str
    status: Literal["pending", "in_progress", "completed"]
    active_form: str
    task_id: str = ""
    """Its number in the task list; empty in a list that an agent writes whole."""
    owner: str = ""
    """The agent that does it; empty: nobody."""
    blocked_by: tuple[str, ...] = ()
    """Numbers of the unfinished tasks that it waits for."""
