"""How the demo knows its example workspace.

Owns: by what file a folder is taken for it, and what can be played in a folder. Does not own: the
tasks, and how a play looks around in the folder of a session (``steps``).
"""

from pathlib import Path

from pilotfish.llm.providers.demo.texts import TASK_PROMPTS

PACKAGE = "quayside"
"""The example's package; its modules are how the example is recognised."""

LANDMARK = f"{PACKAGE}/pricing.py"


def playable(folder: Path | None) -> tuple[str, ...]:
    """Return the prompts of the tasks that can be played in a folder."""
    return TASK_PROMPTS if folder is not None and (folder / LANDMARK).is_file() else ()
