"""The ``_pilotfish/tasks/*`` methods.

Owns: decoding, the calls into a session's background work, the answers.
"""

from collections.abc import Callable, Mapping

from pilotfish.core.background import BackgroundTask
from pilotfish.core.errors import SessionError
from pilotfish.core.ids import TaskId, ToolUseId
from pilotfish.edges.channel import Handler
from pilotfish.ports.background import BackgroundWork
from pilotfish.session.session import Session
from pilotfish.wire import methods
from pilotfish.wire import tasks as wire


class TaskMethods:
    """Serves one client."""

    def __init__(self, session: Callable[[str], Session]) -> None:
        self._session = session

    def handlers(self) -> Mapping[str, Handler]:
        """Return the table of methods."""
        return {
            methods.TASKS_OUTPUT.name: Handler(params=wire.TaskParams, call=self._output),
            methods.TASKS_STOP.name: Handler(params=wire.TaskParams, call=self._stop),
            methods.TASKS_KEEP.name: Handler(params=wire.TaskKeepParams, call=self._keep),
            methods.TASKS_BACKGROUND.name: Handler(
                params=wire.TaskBackgroundParams, call=self._background
            ),
        }

    async def _output(self, params: wire.TaskParams) -> wire.TaskOutputResponse:
        task, work = self._find(params)
        if work is None:
            return wire.TaskOutputResponse(status=task.status, text="")
        question = work.waits_for_input() if task.status == "running" else ""
        return wire.TaskOutputResponse(
            status=task.status, text=work.preview(), waits_for_input=question
        )

    async def _stop(self, params: wire.TaskParams) -> wire.TaskTakenResponse:
        task, work = self._find(params)
        if work is None or task.status != "running":
            return wire.TaskTakenResponse(taken=False)
        work.stop()
        return wire.TaskTakenResponse(taken=True)

    async def _keep(self, params: wire.TaskKeepParams) -> wire.TaskTakenResponse:
        background = self._session(params.session_id).workbench.background
        taken = background.keep(TaskId(params.task_id), kept=params.keep)
        return wire.TaskTakenResponse(taken=taken)

    async def _background(self, params: wire.TaskBackgroundParams) -> wire.TaskTakenResponse:
        background = self._session(params.session_id).workbench.background
        return wire.TaskTakenResponse(taken=background.move(ToolUseId(params.tool_call_id)))

    def _find(self, params: wire.TaskParams) -> tuple[BackgroundTask, BackgroundWork | None]:
        background = self._session(params.session_id).workbench.background
        found = background.find(TaskId(params.task_id))
        if found is None:
            raise SessionError(f"taskId: there is no background command {params.task_id!r}.")
        return found
