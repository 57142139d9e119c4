"""One small question to a model, beside any conversation.

Owns: the request's shape, its bounds, and joining the answer's text.
Does not own: which model is asked and whose bill it is on (``session.side_calls``).
"""

import asyncio
from contextlib import aclosing

from pilotfish.core.messages import NO_USAGE, TextBlock, Usage, UserMessage
from pilotfish.llm.errors import ModelError
from pilotfish.llm.events import BlockCompleted, ReplyCompleted, ReplyStarted
from pilotfish.llm.model import Model, ModelRequest
from pilotfish.util.records import dataclass

SMALL_MAX_TOKENS = 1_024
"""Longest answer in tokens: a sentence, with room for a model that cannot help thinking first."""

SMALL_TIMEOUT_S = 20.0
"""Longest wait for the whole answer, further attempts included: nobody waits for a side remark."""

MAX_QUESTION_CHARS = 20_000
"""As much of a question as is sent."""


@dataclass(frozen=True, kw_only=True, slots=True)
class SmallQuestion:
    """A question that needs no tools and no history."""

    system: str
    """What the model is to do."""
    text: str
    """What it is to do it with; cut at ``MAX_QUESTION_CHARS``."""
    max_tokens: int = SMALL_MAX_TOKENS
    timeout_s: float = SMALL_TIMEOUT_S


@dataclass(frozen=True, kw_only=True, slots=True)
class SmallAnswer:
    """The answer, and what it used. ``text`` is trimmed and may be empty."""

    text: str
    model: str
    """The model that answered, as the server names it."""
    usage: Usage


async def ask_small(model: Model, model_id: str, question: SmallQuestion) -> SmallAnswer:
    """Ask once and return the whole answer.

    Raises:
        ModelError: The call failed, or took longer than the question's limit (``timeout``).
    """
    request = ModelRequest(
        model=model_id,
        system=(question.system,),
        tools=(),
        messages=(UserMessage(content=(TextBlock(text=question.text[:MAX_QUESTION_CHARS]),)),),
        max_tokens=question.max_tokens,
    )
    try:
        async with asyncio.timeout(question.timeout_s):
            return await _whole(model, request)
    except TimeoutError:
        raise ModelError(
            "timeout", f"{model_id} did not answer within {question.timeout_s:.0f} seconds."
        ) from None


async def _whole(model: Model, request: ModelRequest) -> SmallAnswer:
    texts: list[str] = []
    answered_by, usage = request.model, NO_USAGE
    async with aclosing(model.stream(request)) as events:
        async for event in events:
            match event:
                case ReplyStarted():
                    answered_by = event.model
                case BlockCompleted(block=TextBlock(text=text)):
                    texts.append(text)
                case ReplyCompleted():
                    usage = event.usage
                case _:
                    pass
    return SmallAnswer(text="\n".join(texts).strip(), model=answered_by, usage=usage)
