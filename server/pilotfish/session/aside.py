"""A question of the user's beside the conversation.

Owns: what the model is told of such a question, and how long it may take.
Does not own: the run (``session.internal_fork``).
"""

from pilotfish.core.errors import SessionError
from pilotfish.session.internal_fork import ForkAnswer, ForkTask, InternalForks, OnText

ASIDE_LIMIT_S = 120.0
"""Longest wait for an answer."""

ASIDE_NOTE = (
    "The user asks a question on the side, while the work above goes on without it. Answer this "
    "question alone, briefly, from what you know of this conversation. You cannot use tools, you do "
    "not go on with the work, and nothing of question and answer becomes part of the conversation: "
    "promise nothing and announce nothing. If you cannot answer from what you know, say so."
)


async def ask_aside(forks: InternalForks, text: str, on_text: OnText | None = None) -> ForkAnswer:
    """Ask the model of a conversation something that the conversation never hears of.

    Raises:
        PilotfishError: The question is empty, or there is no answer; says why.
    """
    if not text.strip():
        raise SessionError("text: the question is empty.")
    task = ForkTask(purpose="aside", note=ASIDE_NOTE, text=text, limit_s=ASIDE_LIMIT_S)
    return await forks.run(task, on_text)
