"""The error tree.

::

    PilotfishError                      every failure that has a text for the user
    ├── SettingsError                   raised by config; the edge shows it, the file is left alone
    ├── InvalidField                    a field of a request cannot be; the edge answers InvalidParams
    ├── ModelNeeded                     no model can be used; ACP editors then offer ways to one
    ├── SessionError                    raised by session; the edge answers InvalidParams
    │   ├── UnknownSession              no transcript with that id
    │   ├── SessionBusy                 something needs an idle session
    │   └── AgentError                  a sub-agent cannot be started or reached; becomes a tool result
    └── WorkspaceError                  raised by workspace and the file tools; becomes a tool result
        ├── EditClash                   the file changed since it was read
        │   └── DocumentClosed          the editor closed it while it was being edited
        ├── ProcessError                a child could not be started
        └── WorktreeError               a worktree cannot be made, found or removed

Failures of a model are values of ``llm.errors``; a tool returns its failure as a result.
"""


class PilotfishError(Exception):
    """A failure with a text that a user can act on."""

    kind = ""
    """What a client can act on by itself; empty when the text says it all."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        """What happened, one sentence."""
        self.hint = hint
        """What to do about it; empty when the message says it all."""

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class SettingsError(PilotfishError):
    """A settings file or value cannot be used."""


class InvalidField(PilotfishError):  # noqa: N818 - reads as what happened
    """A field of a request holds something that cannot be used."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"{field}: {problem}")
        self.field = field
        """Path of the field, as ``rules.0``."""
        self.problem = problem


class ModelNeeded(PilotfishError):  # noqa: N818 - reads as what is the matter
    """There is no model that can be used: a key or an address is missing."""


class SessionError(PilotfishError):
    """A request does not fit the session."""


class UnknownSession(SessionError):  # noqa: N818 - reads as what happened
    """No session has that id."""


class SessionBusy(SessionError):  # noqa: N818
    """The request needs an idle session, or one that no other process has open."""

    kind = "session_busy"


class AgentError(SessionError):
    """A sub-agent cannot be started, or not be reached."""


class WorkspaceError(PilotfishError):
    """A file or process operation failed."""


class EditClash(WorkspaceError):  # noqa: N818
    """The file is not what it was when it was read."""


class DocumentClosed(EditClash):
    """The editor closed the document while it was being edited; nobody said no to the edit."""


class ProcessError(WorkspaceError):
    """A child process could not be started or reached."""


class WorktreeError(WorkspaceError):
    """A worktree cannot be made, found or removed; says why."""
