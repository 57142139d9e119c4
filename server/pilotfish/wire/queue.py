"""Prompts that wait for the running turn, prompts that are asked once more, and what prompts held."""

from typing import Literal

from pydantic import Field

from pilotfish.wire.base import WireModel
from pilotfish.wire.method import Method


class QueuedPrompt(WireModel):
    """A prompt that waits."""

    message_id: str
    text: str
    """What the user typed, in full."""
    attachments: list[str] = Field(default_factory=list[str])
    """Names of what goes along."""
    revision: int = 0
    """How often its words were changed."""


class QueueMeta(WireModel):
    """What became of a prompt in the queue; in an update of the kind ``queue``."""

    message_id: str
    change: Literal["revised", "moved"]
    text: str | None = None
    """Its words from here on; only when revised."""
    revision: int | None = None
    before: str | None = None
    """When moved: the prompt that follows it from here on; absent at the end."""


class QueueParams(WireModel):
    """``_pilotfish/session/queue``: look at what waits, or change it.

    ``update``: other words, meant to follow ``revision``. ``move``: to before another prompt, or to
    the end. ``send_now``: the running turn is stopped, and goes on with this prompt.
    """

    session_id: str
    change: Literal["list", "update", "remove", "move", "send_now"] = "list"
    message_id: str | None = None
    """Of the prompt; for all but ``list``."""
    text: str | None = None
    revision: int | None = None
    before: str | None = None


class QueueResponse(WireModel):
    """What came of it."""

    outcome: Literal["done", "gone", "changed"]
    """``gone``: a prompt that was named does not wait any more. ``changed``: somebody else has
    revised it; nothing was done."""
    items: list[QueuedPrompt] = Field(default_factory=list[QueuedPrompt])
    """For ``list`` all, in order; for ``changed`` the prompt as it is."""
    left_off: int = 0
    """Prompts at the end that did not fit the answer."""


class ResendParams(WireModel):
    """``_pilotfish/session/resend``: go back to before a prompt and ask it once more.

    A running turn is stopped; what waits for it goes on waiting. Files stay as they are.
    """

    session_id: str
    message_id: str
    text: str | None = None
    """Other words; without them the same. What was attached stays."""


class ResendResponse(WireModel):
    """The prompt was sent; its turn has begun."""

    message_id: str


class AttachedParams(WireModel):
    """``_pilotfish/session/attached``: what a prompt held beside its words.

    For a client that puts the prompt into its input again, also after going back to before it.
    """

    session_id: str
    message_id: str


class AttachedFile(WireModel):
    """A picture or a document, whole, as the model was given it."""

    name: str
    """Empty for one that has none."""
    mime_type: str
    data: str
    """Base64."""


class AttachedResponse(WireModel):
    """The pictures, then the documents."""

    files: list[AttachedFile]


QUEUE = Method(
    name="_pilotfish/session/queue",
    direction="client_to_server",
    kind="request",
    params=QueueParams,
    result=QueueResponse,
    doc="The prompts that wait for the running turn: list, change, take back, reorder, send now.",
)
RESEND = Method(
    name="_pilotfish/session/resend",
    direction="client_to_server",
    kind="request",
    params=ResendParams,
    result=ResendResponse,
    doc="Go back to before a prompt and ask it once more, in other words or the same.",
)

ATTACHED = Method(
    name="_pilotfish/session/attached",
    direction="client_to_server",
    kind="request",
    params=AttachedParams,
    result=AttachedResponse,
    doc="The pictures and documents that a prompt held.",
)

QUEUE_METHODS: tuple[Method, ...] = (QUEUE, RESEND, ATTACHED)
