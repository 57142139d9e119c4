"""The task list of a session.

Owns: which list it is, and what views and the transcript are told of it.
Does not own: the list (``tasklist``), the tools that change it (``tools.task_list``).
"""

from pilotfish.config.schema import Settings
from pilotfish.config.task_list import shares_tasks
from pilotfish.core.events import TodosChanged
from pilotfish.core.todos import TodoItem
from pilotfish.session.services import Services
from pilotfish.session.session import Session
from pilotfish.tasklist.desk import TaskDesk
from pilotfish.tasklist.model import Entries, open_blockers
from pilotfish.tasklist.store import TaskStore, list_name

LIST_VARIABLE = "PILOTFISH_TASK_LIST_ID"
"""Names a list that several sessions share."""


def shares_list(settings: Settings, services: Services, *, one_shot: bool) -> bool:
    """Tell whether a session has a list on disk, rather than one that the model writes whole."""
    return shares_tasks(
        settings.task_tools,
        one_shot=one_shot,
        list_is_named=bool(_named_list(services)),
    )


def task_desk(session: Session, services: Services) -> TaskDesk:
    """Return the desk of a session's list, whose changes the session is told of."""

    def announce(entries: Entries) -> None:
        items = todo_items(entries)
        if items != session.data.todos:
            session.log.emit(TodosChanged(todos=items))

    name = _named_list(services) or session.id
    return TaskDesk(TaskStore(services.state_folder / "tasks" / name), announce)


def todo_items(entries: Entries) -> tuple[TodoItem, ...]:
    """Return the lines that people see; a list that is all done is empty, as with TodoWrite."""
    shown = [entry for entry in entries.values() if not entry.is_internal]
    if all(entry.status == "completed" for entry in shown):
        return ()
    return tuple(
        TodoItem(
            content=entry.subject,
            status=entry.status,
            active_form=entry.active_form or entry.subject,
            task_id=entry.id,
            owner=entry.owner,
            blocked_by=open_blockers(entry, entries),
        )
        for entry in shown
    )


def _named_list(services: Services) -> str:
    return list_name(services.environment.get(LIST_VARIABLE, ""))
