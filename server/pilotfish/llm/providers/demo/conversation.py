"""What the demo sees of a conversation.

Owns: finding the prompt, the calls since then and what came of them.
Does not own: what follows from it (the tasks).
"""

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise

from pilotfish.core.ids import ToolUseId
from pilotfish.core.messages import (
    AssistantMessage,
    Message,
    TextBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
    text_of,
)
from pilotfish.llm.demo_voice import Say, Voice, always_english
from pilotfish.llm.model import ModelRequest
from pilotfish.util.records import dataclass

_TAGGED = re.compile(r"<([a-z][\w-]*)[^>]*>.*?</\1>", re.DOTALL | re.IGNORECASE)
"""Context that the engine wraps in tags; it is not the user speaking."""

_NUMBERED = re.compile(r"^\s*\d+(?:\t|→)", re.MULTILINE)
"""A line as Read shows it."""

_CWD = re.compile(r"^\W*Working directory:\s*`?(?P<path>.+?)`?\s*$", re.MULTILINE)


@dataclass(frozen=True, kw_only=True, slots=True)
class Answer:
    """What came of one call."""

    call: ToolUseBlock
    text: str
    is_error: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What came of one reply that made calls."""

    answers: tuple[Answer, ...]
    """In the order of the calls."""
    notes: tuple[str, ...]
    """Texts that came with the results, e.g. new diagnostics."""


@dataclass(frozen=True, kw_only=True)
class Scene:
    """Everything a task may look at."""

    prompt: str
    """What the user asked for, without context blocks."""
    cwd: str
    """The session's folder; empty when the system prompt does not name it."""
    tools: frozenset[str]
    """Names of the tools on offer."""
    outcomes: tuple[Outcome, ...]
    """Replies since the prompt that made calls, oldest first."""
    reads: Mapping[str, str]
    """Newest text that Read gave for each path, in the whole conversation."""
    say: Say
    """Puts what people read into their language."""

    def path(self, relative: str) -> str:
        """Return a path of the workspace as an absolute one."""
        if not self.cwd or is_absolute(relative):
            return relative
        return f"{self.cwd.rstrip('/')}/{relative.removeprefix('./')}"

    def relative(self, path: str) -> str:
        """Return a path as it is shown: relative to the session's folder."""
        return path.removeprefix(self.cwd.rstrip("/") + "/") if self.cwd else path


def is_absolute(path: str) -> bool:
    """Tell whether a path is absolute on any system."""
    return path.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", path) is not None


def read_scene(request: ModelRequest, voice: Voice = always_english) -> Scene:
    """Find out what was asked last and what has happened since."""
    messages = request.messages
    start = _prompt_index(messages)
    prompt = _spoken(messages[start]) if messages else ""
    found = _CWD.search("\n".join(request.system))
    return Scene(
        prompt=prompt,
        cwd=found["path"] if found else "",
        tools=frozenset(tool.name for tool in request.tools),
        outcomes=_outcomes(messages[start + 1 :]),
        reads=_reads(messages),
        say=voice(prompt),
    )


def prompts(messages: Sequence[Message]) -> list[str]:
    """Return everything the user has asked, oldest first."""
    spoken = (_spoken(message) for message in messages if _is_prompt(message))
    return [text for text in spoken if text]


def _prompt_index(messages: Sequence[Message]) -> int:
    for index in range(len(messages) - 1, -1, -1):
        if _is_prompt(messages[index]) and _spoken(messages[index]):
            return index
    return 0


def _is_prompt(message: Message) -> bool:
    return isinstance(message, UserMessage) and not any(
        isinstance(block, ToolResultBlock) for block in message.content
    )


def _spoken(message: Message) -> str:
    return _TAGGED.sub("", text_of(message.content)).strip()


def _outcomes(messages: Sequence[Message]) -> tuple[Outcome, ...]:
    outcomes: list[Outcome] = []
    for message, following in pairwise(messages):
        if isinstance(message, AssistantMessage) and isinstance(following, UserMessage):
            outcome = _outcome(message, following)
            if outcome.answers:
                outcomes.append(outcome)
    return tuple(outcomes)


def _outcome(reply: AssistantMessage, following: UserMessage) -> Outcome:
    results: dict[ToolUseId, ToolResultBlock] = {
        block.tool_use_id: block
        for block in following.content
        if isinstance(block, ToolResultBlock)
    }
    calls = [block for block in reply.content if isinstance(block, ToolUseBlock)]
    return Outcome(
        answers=tuple(
            Answer(
                call=call,
                text=text_of(results[call.id].content),
                is_error=results[call.id].is_error,
            )
            for call in calls
            if call.id in results
        ),
        notes=tuple(block.text for block in following.content if isinstance(block, TextBlock)),
    )


def _reads(messages: Sequence[Message]) -> dict[str, str]:
    reads: dict[str, str] = {}
    for outcome in _outcomes(messages):
        for answer in outcome.answers:
            path = answer.call.input.get("file_path")
            # A repeated Read of an unchanged file only points back to the first; numbered lines
            # tell the two apart.
            if (
                answer.call.name == "Read"
                and isinstance(path, str)
                and _NUMBERED.search(answer.text)
            ):
                reads[path] = answer.text
    return reads
