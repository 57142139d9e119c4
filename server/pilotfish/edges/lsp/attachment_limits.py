"""What may be attached to a prompt, told to the client.

Owns: putting the limits together, each of which lives where it is enforced.
"""

from pilotfish.edges.content import MAX_ATTACHED_BASE64_CHARS, MAX_EMBEDDED_CHARS
from pilotfish.edges.oversized import MAX_MESSAGE_BYTES
from pilotfish.session.prompt_intake import MAX_DOCUMENTS, MAX_PICTURES
from pilotfish.wire.session import AttachmentLimits

ROOM_FOR_WORDS_BYTES = 700_000
"""Of a message with attachments, so much stays free for what the user typed and what names them."""


def attachment_limits() -> AttachmentLimits:
    """Return the limits as they are enforced."""
    return AttachmentLimits(
        blob_chars=MAX_ATTACHED_BASE64_CHARS,
        message_chars=MAX_MESSAGE_BYTES - ROOM_FOR_WORDS_BYTES,
        text_chars=MAX_EMBEDDED_CHARS,
        pictures=MAX_PICTURES,
        documents=MAX_DOCUMENTS,
    )
