"""Where the plans of sessions are, and what they are called.

Owns: the folder and the name of a session's plan, finding those that are kept of a session.
Does not own: what stands in a plan and when it may be written (``session.plan_mode``).
See also: design 05 §10.2.
"""

import re
from pathlib import Path

_FOLDER = "plans"

MAX_SLUG_CHARS = 40
"""A tab that is named by more hides the others."""


def plan_name(title: str, session_id: str) -> str:
    """Return the name of a session's plan: what the session is about, so that plans are told apart.

    Args:
        title: What the session was called first.
        session_id: The session, by which its plan is found again.
    """
    slug = re.sub(r"[\W_]+", "-", title.lower())[:MAX_SLUG_CHARS].strip("-")
    return f"{slug or 'plan'}.{session_id}.md"


def own_folder(state_folder: Path) -> Path:
    """Return the folder of all plans for which the settings name no other."""
    return state_folder / _FOLDER


def plans_of(folder: Path, session_id: str) -> list[Path]:
    """Return what is kept in a folder as the plan of a session, by whatever name; blocking for a moment."""
    found = folder.glob(f"*{session_id}.md")
    return sorted(each for each in found if each.stem.rpartition(".")[2] == session_id)


def plan_folder(chosen: Path | None, project: Path, state_folder: Path) -> Path:
    """Return the folder of the plans; blocking for a moment.

    Plan mode may write there, so a folder of the project whose links lead out of it is not taken.
    """
    own = own_folder(state_folder)
    if chosen is None:
        return own
    leads_out = chosen.is_relative_to(project) and not chosen.resolve().is_relative_to(
        project.resolve()
    )
    return own if leads_out else chosen
