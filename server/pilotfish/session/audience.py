"""Who listens to a session, and what they can do for it.

Owns: how many views can put questions to the user, and noticing that the last one is gone.
Does not own: the views (edges), the events (``session.log``).
"""

from collections.abc import Callable

from pilotfish.session.log import EventLog, Listener


class Audience:
    """The views of one session."""

    def __init__(self, log: EventLog, on_nobody: Callable[[], None]) -> None:
        """Begin without any.

        Args:
            log: The session's events.
            on_nobody: Called when a view leaves and none is left that can ask the user.
        """
        self._log = log
        self._on_nobody = on_nobody
        self.answerers = 0
        """Views that can put questions to the user."""
        self.form_fillers = 0
        """Views that can show a form of several questions."""

    def attach(
        self, listener: Listener, *, can_answer: bool, can_fill_forms: bool
    ) -> Callable[[], None]:
        """Add a view; see ``Session.attach``."""
        remove = self._log.listen(listener)
        self.answerers += can_answer
        self.form_fillers += can_fill_forms
        attached = True

        def detach() -> None:
            nonlocal attached
            if not attached:
                return
            attached = False
            remove()
            self.answerers -= can_answer
            self.form_fillers -= can_fill_forms
            if self.answerers == 0:
                self._on_nobody()

        return detach
