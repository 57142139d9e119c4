"""Asking once more: the same prompt, or one with other words, in place of an earlier one.

What an earlier prompt held can be looked up on its own, for a client that writes it anew.

Owns: finding the earlier prompt with all that belonged to it.
Does not own: going back (``Session.replace``), files (``session.edit_review``).
"""

from dataclasses import replace

from pilotfish.core.errors import SessionError
from pilotfish.core.events import PromptSubmitted
from pilotfish.core.ids import MessageId, new_message_id
from pilotfish.session.log import EventLog
from pilotfish.session.prompt_queue import with_words
from pilotfish.session.session import Session


async def resend(session: Session, prompt: MessageId, text: str | None) -> MessageId:
    """Make the model forget a prompt and what followed, and ask that prompt once more.

    A running turn is stopped; what waits for it goes on waiting.

    Args:
        session: Whose prompt it is.
        prompt: Which one.
        text: Words in place of the earlier ones; None for the same. What was attached stays.

    Returns:
        The id of the prompt that was sent in its place.

    Raises:
        SessionError: The model does not know the prompt any more, or nothing would be left of it.
    """
    if not session.log.conversation.can_go_back_to(prompt):
        raise SessionError("That prompt is not part of the conversation.")
    found = await find_prompt(session.log, prompt)
    content = found.content if text is None else with_words(found.content, text)
    again = replace(found, message_id=new_message_id(), content=content)
    await session.replace(prompt, again)
    return again.message_id


async def find_prompt(log: EventLog, prompt: MessageId) -> PromptSubmitted:
    """Look for a prompt from the end of the transcript on.

    Raises:
        SessionError: The session has no such prompt.
    """
    before: int | None = None
    while True:
        page = await log.page(before=before)
        for record in reversed(page.records):
            event = record.event
            if isinstance(event, PromptSubmitted) and event.message_id == prompt:
                return event
        if not page.has_earlier:
            raise SessionError("That prompt is not part of the session.")
        before = page.records[0].seq
