"""Closing a turn that an earlier process left open.

Owns: what becomes of calls without results, and of prompts that waited, when a transcript is loaded.
"""

from pilotfish.core.calls import text_outcome
from pilotfish.core.events import PromptDropped, QuestionResolved, ToolFinished, TurnEnded
from pilotfish.core.ids import MAIN_AGENT
from pilotfish.core.messages import ToolUseBlock
from pilotfish.session.log import EventLog

LOST_TEXT = (
    "Pilotfish ended while this call was running. Its effects are unknown; check before you go on."
)


def recover(log: EventLog) -> tuple[ToolUseBlock, ...]:
    """Bring a loaded session into a state that a new turn can start from.

    A turn that waited for the user is left open: its calls have done nothing yet and the question
    is put again. Any other open turn is closed, its running calls with a stand-in result.

    Returns:
        Calls that waited for the user or had not started: they can still be decided on.
    """
    data = log.data
    for prompt in tuple(data.queued):
        log.emit(PromptDropped(message_id=prompt, cause="lost"))
    for question in tuple(data.open_questions.values()):
        if question.agent_id != MAIN_AGENT:  # whoever asked has ended with its process
            log.emit(QuestionResolved(request_id=question.request_id, answer="withdrawn"))
    if data.open_turn is None:
        return ()
    log.turn_id = data.open_turn
    questions = tuple(data.open_questions.values())
    asked = {question.tool_use_id for question in questions}
    for question in questions:
        log.emit(QuestionResolved(request_id=question.request_id, answer="withdrawn"))
    for call in tuple(data.running_calls):
        if call not in asked:
            outcome = text_outcome(LOST_TEXT, status="interrupted")
            log.emit(ToolFinished(tool_use_id=call, status="interrupted", content=outcome.content))
    if asked:
        return log.conversation.unanswered()
    close_open_calls(log, LOST_TEXT)
    log.emit(
        TurnEnded(
            turn_id=data.open_turn,
            reason="interrupted",
            message="Pilotfish ended during this turn. Send a message to go on.",
        )
    )
    log.turn_id = None
    return ()


def close_open_calls(log: EventLog, text: str) -> None:
    """Complete the pair of every call that is still open, whatever went wrong.

    Args:
        log: The session's events.
        text: What the model gets as the result.
    """
    for block in log.conversation.unanswered():
        outcome = text_outcome(text, status="interrupted")
        log.emit(ToolFinished(tool_use_id=block.id, status=outcome.status, content=outcome.content))
