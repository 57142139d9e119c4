"""The demo as a model.

Owns: choosing a task by the prompt, streaming its next move, plausible token counts.
Does not own: the tasks.
"""

import asyncio
import json
import re
from collections.abc import AsyncGenerator, Iterator
from typing import Literal

from pilotfish.core.ids import new_message_id, new_tool_use_id
from pilotfish.core.messages import (
    AssistantBlock,
    Message,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    Usage,
)
from pilotfish.llm.catalog import DEMO_MODEL
from pilotfish.llm.demo_voice import Voice, always_english
from pilotfish.llm.events import (
    BlockCompleted,
    DeltaReceived,
    ModelEvent,
    ReplyCompleted,
    ReplyStarted,
)
from pilotfish.llm.model import ModelRequest
from pilotfish.llm.providers.demo.add_function import add_function
from pilotfish.llm.providers.demo.conversation import prompts, read_scene
from pilotfish.llm.providers.demo.fix_test import fix_failing_test
from pilotfish.llm.providers.demo.play import Move, Task, next_move, spoken
from pilotfish.llm.providers.demo.rename import rename_everywhere
from pilotfish.llm.providers.demo.texts import HELP
from pilotfish.llm.rate_limits import NO_LIMITS, RateLimits

CHUNK_CHARS = 12
"""Length of a piece of streamed text, about a word or two."""

GAP_S = 0.012
"""Pause between two pieces, so that streaming can be seen."""

_CHARS_PER_TOKEN = 4
"""Rule of thumb behind the token counts (design 02 §5.2)."""

_TASKS: tuple[tuple[re.Pattern[str], Task], ...] = (
    (re.compile(r"\brenam(?:e|ing)\b", re.IGNORECASE), rename_everywhere),
    (
        re.compile(r"\b(?:add|write|create|implement)\b.*\b(?:function|points)\b", re.I | re.S),
        add_function,
    ),
    (re.compile(r"\b(?:fix|repair)\b.*\btests?\b", re.I | re.S), fix_failing_test),
)
"""The first pattern that the prompt matches decides."""


class DemoModel:
    """Plays the example's tasks; implements ``llm.model.WarmModel``. Keeps no state."""

    def __init__(
        self,
        *,
        chunk_chars: int = CHUNK_CHARS,
        gap_s: float = GAP_S,
        voice: Voice = always_english,
    ) -> None:
        self._chunk_chars = chunk_chars
        self._gap_s = gap_s
        self._voice = voice

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Stream the next move of the task that the prompt asks for."""
        move = _choose_move(request, self._voice)
        usage = Usage(input_tokens=_request_tokens(request))
        yield ReplyStarted(message_id=new_message_id(), model=DEMO_MODEL, usage=usage)
        output_chars = 0
        for index, block in enumerate(_blocks(move)):
            kind, text = _streamed(block)
            output_chars += len(text)
            for piece in _pieces(text, self._chunk_chars):
                await asyncio.sleep(self._gap_s)
                yield DeltaReceived(index=index, kind=kind, text=piece)
            yield BlockCompleted(index=index, block=block)
        yield ReplyCompleted(
            stop_reason="tool_use" if move.calls else "end_turn",
            usage=usage + Usage(output_tokens=_tokens(output_chars)),
        )

    async def warm_up(self) -> None:
        """Do nothing: there is nothing to load."""

    @property
    def limits(self) -> RateLimits:
        """None: it costs nothing."""
        return NO_LIMITS

    async def close(self) -> None:
        """Do nothing: there is no connection."""


def _choose_move(request: ModelRequest, voice: Voice) -> Move:
    if not request.tools:
        # Not a turn of the loop: a title or a summary is wanted.
        return Move(text=_summary(request))
    scene = read_scene(request, voice)
    for pattern, task in _TASKS:
        if pattern.search(scene.prompt):
            return spoken(next_move(task, scene), scene.say)
    return Move(text=scene.say(HELP))


def _summary(request: ModelRequest) -> str:
    asked = "; ".join(f"“{prompt}”" for prompt in prompts(request.messages)[:-1])
    return f"Pilotfish demo. The user asked: {asked}." if asked else "Pilotfish demo"


def _blocks(move: Move) -> list[AssistantBlock]:
    blocks: list[AssistantBlock] = [TextBlock(text=move.text)] if move.text else []
    return blocks + [
        ToolUseBlock(id=new_tool_use_id(), name=call.name, input=call.input) for call in move.calls
    ]


def _streamed(block: AssistantBlock) -> tuple[Literal["text", "input_json"], str]:
    if isinstance(block, ToolUseBlock):
        return "input_json", json.dumps(block.input, ensure_ascii=False)
    return "text", block.text if isinstance(block, TextBlock) else ""


def _pieces(text: str, size: int) -> Iterator[str]:
    for start in range(0, len(text), size):
        yield text[start : start + size]


def _request_tokens(request: ModelRequest) -> int:
    chars = sum(len(text) for text in request.system)
    chars += sum(len(tool.name) + len(tool.description) for tool in request.tools)
    chars += sum(_message_chars(message) for message in request.messages)
    return _tokens(chars)


def _message_chars(message: Message) -> int:
    chars = 0
    for block in message.content:
        if isinstance(block, TextBlock):
            chars += len(block.text)
        elif isinstance(block, ToolUseBlock):
            chars += len(block.name) + len(json.dumps(block.input))
        elif isinstance(block, ToolResultBlock):
            chars += sum(len(part.text) for part in block.content if isinstance(part, TextBlock))
    return chars


def _tokens(chars: int) -> int:
    return -(-chars // _CHARS_PER_TOKEN)
