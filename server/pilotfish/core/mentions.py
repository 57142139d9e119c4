"""What a prompt points at.

Owns: the record. Does not own: what the model is told of it (``session.prompt_mentions``).
"""

from pilotfish.util.records import dataclass

CHANGES_URI = "pilotfish:changes"
"""What has changed in the repository and is not committed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Mention:
    """A file, a folder, some lines or something of the editor that goes with a prompt."""

    uri: str
    """Where it is; lines stand behind ``#L``, from 1, both included."""
    name: str
    """How the prompt calls it, behind an ``@``."""
    embedded: bool = False
    """Whether its text came with the prompt, so that nothing is read."""
