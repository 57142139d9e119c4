"""Commands in the background.

What runs and what has ended travels in ``_meta.pilotfish.task`` of ``session/update``; these are
the methods to look into one and to steer it.
"""

from pilotfish.core.background import TaskStatus
from pilotfish.wire.base import WireModel


class TaskMeta(WireModel):
    """A background command, in ``_meta.pilotfish.task`` of an update of the kind ``task``."""

    task_id: str
    status: TaskStatus
    title: str = ""
    """The command; only when it began."""
    tool_call_id: str | None = None
    output_path: str | None = None
    kept: bool | None = None
    """Whether it goes on when its session is closed; None where that did not change."""
    outcome: str = ""
    """How it ended, such as ``exit code 1``; empty while it runs."""


class TaskParams(WireModel):
    """``_pilotfish/tasks/output`` and ``stop``: one background command."""

    session_id: str
    task_id: str


class TaskKeepParams(WireModel):
    """``_pilotfish/tasks/keep``: whether a command goes on when its session is closed."""

    session_id: str
    task_id: str
    keep: bool


class TaskOutputResponse(WireModel):
    """How it stands."""

    status: TaskStatus
    text: str
    """The last lines of its output; empty when an earlier process ran it."""
    waits_for_input: str = ""
    """A question that it seems to wait for an answer to, in vain."""


class TaskBackgroundParams(WireModel):
    """``_pilotfish/tasks/background``: let a running command go on in the background."""

    session_id: str
    tool_call_id: str


class TaskTakenResponse(WireModel):
    """Whether there was anything to do."""

    taken: bool
    """False when it had ended already, or cannot be moved."""
