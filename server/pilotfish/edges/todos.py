"""The list of what is to be done, on the wire.

Owns: its two forms: ACP's plan, and our own in a snapshot.
"""

from collections.abc import Sequence

from pilotfish.core.jsontypes import JsonObject
from pilotfish.core.todos import TodoItem
from pilotfish.wire.session import TodoEntry


def to_todo_entry(todo: TodoItem) -> TodoEntry:
    """Return a line of the list in our own form."""
    return TodoEntry(
        content=todo.content,
        status=todo.status,
        active_form=todo.active_form,
        task_id=todo.task_id or None,
        owner=todo.owner or None,
        blocked_by=list(todo.blocked_by),
    )


def plan_entries(todos: Sequence[TodoItem]) -> list[JsonObject]:
    """Return the list as ACP's plan; what ACP has no word for is in ``_meta.pilotfish``."""
    return [_plan_entry(todo) for todo in todos]


def _plan_entry(todo: TodoItem) -> JsonObject:
    entry = to_todo_entry(todo).model_dump(by_alias=True, exclude_none=True)
    del entry["content"], entry["status"]
    return {
        "content": todo.content,
        "status": todo.status,
        "priority": "medium",
        "_meta": {"pilotfish": entry},
    }
