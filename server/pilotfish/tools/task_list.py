"""The TaskCreate, TaskGet, TaskList and TaskUpdate tools.

Owns: what the model sees of the shared task list. Does not own: the list (``tasklist``).
See also: design 06 §12.
"""

import json
import re
from typing import Annotated, ClassVar, Literal

from pydantic import BeforeValidator, Field
from typing_extensions import override

from pilotfish.core.effects import Effects
from pilotfish.core.errors import WorkspaceError
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.core.jsontypes import JsonValue
from pilotfish.tasklist.model import (
    MAX_DESCRIPTION_CHARS,
    MAX_SUBJECT_CHARS,
    Entries,
    Entry,
    EntryChange,
    EntryId,
    NewEntry,
    TaskListError,
    open_blockers,
    require,
)
from pilotfish.tooling.context import CallContext, ToolContext
from pilotfish.tooling.spec import Tool, ToolArgs, ToolResult, ToolSpec, text_result
from pilotfish.tools.descriptions import load_description
from pilotfish.tools.todo_write import lacks_verification, verification_nudge


def _plain_id(value: object) -> object:
    """Take ``3`` and ``"#3"`` for ``"3"``: models write all of them."""
    text = str(value) if isinstance(value, int) else value
    return text.strip().removeprefix("#") if isinstance(text, str) else text


_Id = Annotated[EntryId, BeforeValidator(_plain_id)]
_Subject = Annotated[str, Field(min_length=1, max_length=MAX_SUBJECT_CHARS)]
_Description = Annotated[str, Field(max_length=MAX_DESCRIPTION_CHARS)]


class TaskCreateArgs(ToolArgs):
    """Arguments of TaskCreate."""

    subject: _Subject = Field(description="What to do, as a short order")
    description: _Description = Field(
        description="What is needed to do it: context, and when it counts as done"
    )
    activeForm: str = Field(  # noqa: N815 - the name that models know
        default="",
        max_length=MAX_SUBJECT_CHARS,
        description="The same while it is being done, for display",
    )
    metadata: dict[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue], description="Anything else worth keeping with it"
    )


class TaskGetArgs(ToolArgs):
    """Arguments of TaskGet."""

    taskId: _Id = Field(description="The task's number")  # noqa: N815


class TaskListArgs(ToolArgs):
    """TaskList has no arguments."""


class TaskUpdateArgs(ToolArgs):
    """Arguments of TaskUpdate."""

    taskId: _Id = Field(description="The task's number")  # noqa: N815
    status: Literal["pending", "in_progress", "completed", "deleted"] | None = Field(
        default=None, description="in_progress takes the task for you; deleted removes it for good"
    )
    subject: _Subject | None = None
    description: _Description | None = None
    activeForm: str | None = Field(default=None, max_length=MAX_SUBJECT_CHARS)  # noqa: N815
    owner: str | None = Field(
        default=None, max_length=100, description="Who is to do it; empty: nobody in particular"
    )
    addBlocks: tuple[_Id, ...] = Field(  # noqa: N815
        default=(), max_length=100, description="Tasks that must wait for this one"
    )
    addBlockedBy: tuple[_Id, ...] = Field(  # noqa: N815
        default=(), max_length=100, description="Tasks that this one must wait for"
    )
    metadata: dict[str, JsonValue] = Field(
        default_factory=dict[str, JsonValue], description="Keys to set; null removes a key"
    )


class TaskCreateTool(Tool[TaskCreateArgs]):
    """Adds a task."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="TaskCreate", description=load_description("task_create"), kind="think"
    )
    args_type = TaskCreateArgs

    @override
    def title(self, args: TaskCreateArgs, ctx: ToolContext) -> str:
        """Return what is to be done."""
        return f"New task: {args.subject}"

    @override
    async def effects(self, args: TaskCreateArgs, ctx: ToolContext) -> Effects:
        """State that only the session's own list changes."""
        return Effects(internal=True)

    async def run(self, args: TaskCreateArgs, ctx: CallContext) -> ToolResult:
        """Add it."""
        new = NewEntry(
            subject=args.subject,
            description=args.description,
            active_form=args.activeForm,
            metadata=args.metadata,
        )
        try:
            entry = await ctx.tools.tasks.create(new)
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        return text_result(f"Task #{entry.id} was created: {entry.subject}")


class TaskGetTool(Tool[TaskGetArgs]):
    """Shows one task."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="TaskGet",
        description=load_description("task_get"),
        kind="think",
        concurrency_safe=True,
    )
    args_type = TaskGetArgs

    @override
    def title(self, args: TaskGetArgs, ctx: ToolContext) -> str:
        """Return its number."""
        return f"Look at task #{args.taskId}"

    @override
    async def effects(self, args: TaskGetArgs, ctx: ToolContext) -> Effects:
        """State that nothing changes."""
        return Effects(internal=True, read_only=True)

    async def run(self, args: TaskGetArgs, ctx: CallContext) -> ToolResult:
        """Return all that is known of it."""
        try:
            entries = await ctx.tools.tasks.entries()
            entry = require(entries, args.taskId)
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        return text_result(_details(entry, entries))


class TaskListTool(Tool[TaskListArgs]):
    """Shows the list."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="TaskList",
        description=load_description("task_list"),
        kind="think",
        concurrency_safe=True,
    )
    args_type = TaskListArgs

    @override
    def title(self, args: TaskListArgs, ctx: ToolContext) -> str:
        """Say what is looked at."""
        return "Look at the task list"

    @override
    async def effects(self, args: TaskListArgs, ctx: ToolContext) -> Effects:
        """State that nothing changes."""
        return Effects(internal=True, read_only=True)

    @override
    async def run(self, args: TaskListArgs, ctx: CallContext) -> ToolResult:
        """Return a line for each task."""
        try:
            entries = await ctx.tools.tasks.entries()
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        lines = [_line(entry, entries) for entry in entries.values() if not entry.is_internal]
        return text_result("\n".join(lines) or "The task list is empty.")


class TaskUpdateTool(Tool[TaskUpdateArgs]):
    """Changes, takes, finishes or removes a task."""

    spec: ClassVar[ToolSpec] = ToolSpec(
        name="TaskUpdate", description=load_description("task_update"), kind="think"
    )
    args_type = TaskUpdateArgs

    @override
    def title(self, args: TaskUpdateArgs, ctx: ToolContext) -> str:
        """Return its number and what becomes of it."""
        if args.status is None:
            return f"Task #{args.taskId}"
        return f"Task #{args.taskId}: {args.status.replace('_', ' ')}"

    @override
    async def effects(self, args: TaskUpdateArgs, ctx: ToolContext) -> Effects:
        """State that only the session's own list changes."""
        return Effects(internal=True)

    async def run(self, args: TaskUpdateArgs, ctx: CallContext) -> ToolResult:
        """Do it; what is refused changes nothing."""
        desk = ctx.tools.tasks
        try:
            if args.status == "deleted":
                gone = await desk.delete(args.taskId)
                return text_result(f"Task #{gone.id} was deleted: {gone.subject}")
            entry, entries = await desk.update(args.taskId, _change(args), ctx.tools.agent_name)
        except TaskListError as error:
            return text_result(f"Nothing was changed. {error}", is_error=True)
        except WorkspaceError as error:
            return text_result(str(error), is_error=True)
        lines = [f"Task {_line(entry, entries)}"]
        if args.status == "completed":
            lines += _after_completion(entry, entries, ctx.tools)
        return text_result("\n".join(lines))


def _change(args: TaskUpdateArgs) -> EntryChange:
    return EntryChange(
        status=None if args.status == "deleted" else args.status,
        subject=args.subject,
        description=args.description,
        active_form=args.activeForm,
        owner=args.owner,
        add_blocks=args.addBlocks,
        add_blocked_by=args.addBlockedBy,
        metadata=args.metadata,
    )


def _after_completion(entry: Entry, entries: Entries, context: ToolContext) -> list[str]:
    """Say what a finished task makes possible."""
    shown = [each for each in entries.values() if not each.is_internal]
    if all(each.status == "completed" for each in shown):
        subjects = [each.subject for each in shown]
        missing = context.agent_id == MAIN_AGENT and lacks_verification(subjects)
        return ["All tasks are completed.", *([verification_nudge("task")] if missing else [])]
    freed = [
        f"#{each}"
        for each in entry.blocks
        if entries[each].status == "pending" and not open_blockers(entries[each], entries)
    ]
    news = [f"{', '.join(freed)} can begin now."] if freed else []
    return [*news, "Call TaskList to find what is next."]


def _line(entry: Entry, entries: Entries) -> str:
    notes = [f"owner: {entry.owner}"] if entry.owner else []
    waits_for = open_blockers(entry, entries)
    if waits_for and entry.status != "completed":
        notes.append(f"blocked by {_ids(waits_for)}")
    extra = f" ({'; '.join(notes)})" if notes else ""
    return f"#{entry.id} [{entry.status}] {_one_line(entry.subject)}{extra}"


def _details(entry: Entry, entries: Entries) -> str:
    lines = [_line(entry, entries)]
    if entry.active_form:
        lines.append(f"Active form: {_one_line(entry.active_form)}")
    if entry.blocked_by:
        lines.append(f"Waits for: {_ids(entry.blocked_by)}")
    if entry.blocks:
        lines.append(f"Is waited for by: {_ids(entry.blocks)}")
    metadata = {key: value for key, value in entry.metadata.items() if not key.startswith("_")}
    if metadata:
        lines.append(f"Metadata: {json.dumps(metadata, ensure_ascii=False)}")
    if entry.description:
        lines.append(f"Description:\n{entry.description}")
    return "\n".join(lines)


def _ids(ids: tuple[EntryId, ...]) -> str:
    return ", ".join(f"#{each}" for each in ids)


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()
