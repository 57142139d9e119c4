"""One entry of a task list.

Owns: the record, what may be changed about it, why a change is refused.
"""

from collections.abc import Mapping
from dataclasses import field
from typing import Literal, TypeAlias

from pilotfish.core.errors import WorkspaceError
from pilotfish.core.jsontypes import JsonValue
from pilotfish.util.records import dataclass

EntryId: TypeAlias = str
"""Decimal digits, without a sign; grows and is never used twice in a list."""

EntryStatus = Literal["pending", "in_progress", "completed"]

RefusalReason = Literal[
    "task_not_found",
    "already_claimed",
    "already_resolved",
    "blocked",
    "edge_to_itself",
    "cycle",
    "list_full",
    "too_large",
]
"""Why a change of the list is refused."""

MAX_ENTRIES = 500
"""Entries of one list; more than anybody keeps in view."""

MAX_SUBJECT_CHARS = 300
MAX_DESCRIPTION_CHARS = 20_000
MAX_METADATA_CHARS = 10_000
"""As JSON. Files of a list stay small enough to be read whole for each call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """Something to be done."""

    id: EntryId
    subject: str
    """What to do, as an order."""
    description: str = ""
    active_form: str = ""
    """The same while it is being done; empty: the subject serves."""
    owner: str = ""
    """The agent that works on it; empty: nobody."""
    status: EntryStatus = "pending"
    blocks: tuple[EntryId, ...] = ()
    """Entries that wait for this one."""
    blocked_by: tuple[EntryId, ...] = ()
    """Entries that this one waits for; the other end of their ``blocks``."""
    metadata: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])

    @property
    def is_internal(self) -> bool:
        """Whether it is bookkeeping that no list shows."""
        return self.metadata.get("_internal") is True


Entries: TypeAlias = Mapping[EntryId, Entry]
"""A whole list, by id, in the order of the ids."""


@dataclass(frozen=True, kw_only=True, slots=True)
class NewEntry:
    """What is known of an entry before it has an id."""

    subject: str
    description: str = ""
    active_form: str = ""
    metadata: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])


@dataclass(frozen=True, kw_only=True, slots=True)
class EntryChange:
    """What is to be different about an entry; None leaves a field as it is."""

    status: EntryStatus | None = None
    subject: str | None = None
    description: str | None = None
    active_form: str | None = None
    owner: str | None = None
    """The empty text takes the owner away."""
    add_blocks: tuple[EntryId, ...] = ()
    add_blocked_by: tuple[EntryId, ...] = ()
    metadata: Mapping[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    """Keys to set; None deletes a key."""


class TaskListError(WorkspaceError):
    """A change of the list is refused; nothing of it was done."""

    def __init__(self, reason: RefusalReason, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.reason: RefusalReason = reason


def open_blockers(entry: Entry, entries: Entries) -> tuple[EntryId, ...]:
    """Return what an entry still waits for."""
    return tuple(
        each for each in entry.blocked_by if each in entries and entries[each].status != "completed"
    )


def require(entries: Entries, entry_id: EntryId) -> Entry:
    """Return an entry.

    Raises:
        TaskListError: There is none of that id.
    """
    entry = entries.get(entry_id)
    if entry is None:
        raise TaskListError(
            "task_not_found",
            f"There is no task #{entry_id[:20]} (task_not_found).",
            hint="TaskList shows which there are.",
        )
    return entry
