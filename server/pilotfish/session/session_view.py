"""A conversation as others look at it.

Owns: what views of a session, and of an agent that works for one, have in common to look at;
``session.session`` implements it.
"""

from typing import Protocol

from pilotfish.core.ids import SessionId
from pilotfish.core.reasons import SessionState
from pilotfish.session.live import LiveView
from pilotfish.session.log import EventLog
from pilotfish.session.prompt_queue import PromptQueue
from pilotfish.session.state import SessionData
from pilotfish.session.workbench import Workbench


class SessionView(Protocol):
    """Read only."""

    @property
    def id(self) -> SessionId:
        """Its id; an agent's is that of the session that it works for."""
        ...

    @property
    def data(self) -> SessionData:
        """The folded state."""
        ...

    @property
    def log(self) -> EventLog:
        """The event list."""
        ...

    @property
    def live(self) -> LiveView:
        """What is in no kept event yet."""
        ...

    @property
    def workbench(self) -> Workbench:
        """What turns are made of."""
        ...

    @property
    def state(self) -> SessionState:
        """What it is doing."""
        ...

    @property
    def waiting_for(self) -> str:
        """Title of the oldest open question; empty when there is none."""
        ...

    @property
    def queue(self) -> PromptQueue:
        """The prompts that wait for the running turn."""
        ...

    @property
    def turn_running(self) -> bool:
        """Whether a turn runs, which can be stopped and takes up what is sent."""
        ...
