"""What the user chooses for a session.

Owns: changing mode, model, effort and title: what is refused, and the events of it.
Does not own: what can be chosen (``session.workbench``), what holds when the session begins
(``session.mode_choice``).
"""

from collections.abc import Callable
from typing import Literal

from pilotfish.core.errors import SessionError
from pilotfish.core.events import EffortChanged, ModeChanged, ModelChanged, TitleChanged
from pilotfish.core.permission import PermissionMode
from pilotfish.session.log import EventLog
from pilotfish.session.workbench import Workbench


class SessionChoices:
    """The choices of one session; each is a fold of its events."""

    def __init__(self, log: EventLog, workbench: Callable[[], Workbench]) -> None:
        """Change what holds for a session.

        Args:
            log: Its events.
            workbench: Returns what knows the choices, once the session is ready.
        """
        self._log = log
        self._workbench = workbench

    def set_mode(
        self, mode: PermissionMode, *, cause: Literal["user", "dialog", "tool", "settings"] = "user"
    ) -> None:
        """Change the permission mode, effective with the next decision.

        Args:
            mode: The mode from now on.
            cause: Who changes it. A tool tells the model itself; else the model gets a note.

        Raises:
            SessionError: The mode is not available here.
        """
        if mode == self._log.data.mode:
            return
        problem = self._workbench().why_mode_unavailable(mode)
        if problem:
            raise SessionError(problem)
        note = (
            None if cause == "tool" else self._workbench().note_for_mode(self._log.data.mode, mode)
        )
        self._log.emit(ModeChanged(mode=mode, previous=self._log.data.mode, cause=cause))
        if note is not None:
            self._log.emit(note)

    def set_model(self, model: str) -> None:
        """Change the model, effective with the next turn.

        Raises:
            ModelError: It cannot be used here; says why and what to do.
        """
        chosen = self._workbench().require_model(model)
        if chosen != self._log.data.model:
            self._log.emit(ModelChanged(model=chosen))

    def set_effort(self, effort: str) -> None:
        """Change how hard the model is to try, effective with the next turn.

        Raises:
            SessionError: The model does not know such an effort.
        """
        known = [choice.value for choice in self._workbench().model_options().efforts]
        if effort not in known:
            offered = ", ".join(known) or "none for this model"
            raise SessionError(f"There is no effort {effort!r}.", hint=f"There is: {offered}.")
        if effort != self._log.data.effort:
            self._log.emit(EffortChanged(effort=effort))

    def set_title(self, title: str) -> None:
        """Give the session a name."""
        if title.strip() and title != self._log.data.title:
            self._log.emit(TitleChanged(title=title.strip()))
