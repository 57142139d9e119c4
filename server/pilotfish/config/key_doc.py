"""The text for one key of a settings file.

Owns: its parts, who may set a key.
Does not own: the texts (``key_docs``, ``code_key_docs``).
"""

from typing import Literal

from pilotfish.util.records import dataclass

Audience = Literal["all", "tightening", "trusting", "personal", "user", "policy"]
"""Who may set a key.

``all``: every file; ``tightening``: every file, an untrusted project only so that less is permitted;
``trusting``: not an untrusted project; ``personal``: no project at all; ``user``: the user's own file
and the managed one; ``policy``: the managed file alone.
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class KeyDoc:
    """The text for one key."""

    meaning: str
    default: str = ""
    audience: Audience = "all"
    values: tuple[str, ...] = ()
    """What may stand there, as JSON without quotes, when that is a short list."""
    meanings: tuple[str, ...] = ()
    """What each of those values does, in the same order; empty where their names say it."""
