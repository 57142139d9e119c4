"""What people do with prompts that wait for the running turn.

Owns: the events of a queue that is changed; that a prompt is queued, taken or dropped is in
``core.events``.
"""

from typing import Literal

from pilotfish.core.ids import MessageId
from pilotfish.util.records import dataclass


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptRevised:
    """A queued prompt got other words; what is attached to it stays."""

    message_id: MessageId
    text: str
    revision: int
    """How often it was revised, this time included."""
    type: Literal["prompt_revised"] = "prompt_revised"


@dataclass(frozen=True, kw_only=True, slots=True)
class PromptMoved:
    """A queued prompt got another place in the queue."""

    message_id: MessageId
    before: MessageId | None
    """The one that follows it from here on; None at the end."""
    type: Literal["prompt_moved"] = "prompt_moved"
