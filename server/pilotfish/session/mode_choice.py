"""Which permission modes a session may be in.

Owns: why a mode is not available here, leaving one that the settings forbid from now on, and which one
a session goes on in.
"""

import logging

from pilotfish.config.modes import UNASKED_MODES
from pilotfish.config.schema import Settings
from pilotfish.core.events import ModeChanged, NoteAdded
from pilotfish.core.permission import PermissionMode
from pilotfish.session.services import Services
from pilotfish.session.session import Session

logger = logging.getLogger(__name__)


def why_unavailable(mode: PermissionMode, settings: Settings, services: Services) -> str:
    """Return why a mode cannot be chosen here; empty when it can."""
    if mode not in UNASKED_MODES:
        return ""
    if settings.permissions.bypass_disabled:
        return "Bypassing permissions is switched off by a settings file."
    if services.trusted_by_editor is False:
        return "Bypassing permissions needs a trusted workspace."
    return services.bypass_refusal


def starting_mode(settings: Settings, services: Services) -> PermissionMode:
    """Return the mode that a new session begins in."""
    wanted = settings.permissions.default_mode
    return "default" if why_unavailable(wanted, settings, services) else wanted


def leave_forbidden_mode(session: Session, problem: str) -> None:
    """Fall back to default when the settings no longer permit the mode (design 05 §7.8).

    Args:
        session: The session.
        problem: Why its mode is not available; empty when it is.
    """
    if not problem:
        return
    mode = session.data.mode
    logger.warning("the mode %s ends: %s", mode, problem)
    session.log.emit(ModeChanged(mode="default", previous=mode, cause="settings"))
    text = f"The permission mode is default now. {problem}"
    session.log.emit(NoteAdded(text=text, origin="mode"))


def restore_mode(session: Session) -> None:
    """Keep the mode of the earlier process unless it runs everything unasked (design 05 §7.8)."""
    mode, before_plan = session.data.mode, session.data.pre_plan_mode
    start = session.workbench.start_mode
    fallback: PermissionMode = "default" if start in UNASKED_MODES else start
    if mode in UNASKED_MODES or session.workbench.why_mode_unavailable(mode):
        session.log.emit(ModeChanged(mode=fallback, previous=mode, cause="resume"))
    elif mode == "plan" and before_plan in UNASKED_MODES:
        # What plan mode goes back to decides about reads outside the project.
        session.log.emit(ModeChanged(mode="default", previous=mode, cause="resume"))
        session.log.emit(ModeChanged(mode=mode, previous="default", cause="resume"))
