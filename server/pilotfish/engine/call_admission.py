"""Making a call of the model fit to be kept.

Owns: ids that are plain and unique in the conversation, names that every provider takes back, inputs
whose nesting has an end. Models and gateways send others, by mistake or by malice; each would make
every later request of the session fail, and an id also names files and rows of views.
Does not own: whether there is such a tool and whether its arguments are valid (``tooling``).
"""

import re
from collections.abc import Callable, Collection
from dataclasses import replace

from pilotfish.core.ids import ToolUseId, new_tool_use_id
from pilotfish.core.jsontypes import JsonValue
from pilotfish.core.messages import ToolUseBlock

MAX_INPUT_DEPTH = 100
"""Levels of objects and lists in an input; no tool has more than three, and what writes events to
disk and to the wire ends at about 250."""

MAX_NAME_CHARS = 64
"""Longest name that OpenAI takes; the Messages API takes twice as long ones. A tool's own name is never cut."""

MAX_ID_CHARS = 40
"""Longest id that OpenAI takes."""

_PLAIN_ID = re.compile(rf"[a-zA-Z0-9_-]{{1,{MAX_ID_CHARS}}}")
_NOT_IN_NAMES = re.compile(r"[^a-zA-Z0-9_-]")


def admit(
    block: ToolUseBlock, is_known: Callable[[ToolUseId], bool], tools: Collection[str] = ()
) -> ToolUseBlock:
    """Return a call as it may be kept: itself, or with what was unfit replaced.

    Args:
        block: The call as the provider sent it.
        is_known: Tells whether the conversation has a call of that id already.
        tools: Names of the tools that the model was offered: the provider took them as they are.
    """
    fit_id = _PLAIN_ID.fullmatch(block.id) is not None and not is_known(block.id)
    name = block.name
    if name not in tools:
        name = _NOT_IN_NAMES.sub("_", name)[:MAX_NAME_CHARS] or "unnamed"
    fit_input = is_shallow(block.input)
    return replace(
        block,
        id=block.id if fit_id else new_tool_use_id(),
        name=name,
        input=block.input if fit_input else {},
        input_error=block.input_error
        if fit_input
        else f"The input is nested deeper than {MAX_INPUT_DEPTH} levels",
    )


def is_shallow(value: JsonValue) -> bool:
    """Tell whether a value is nested no deeper than ``MAX_INPUT_DEPTH``; without recursion."""
    level: list[JsonValue] = [value]
    for _ in range(MAX_INPUT_DEPTH + 1):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
        ]
        if not level:
            return True
    return False
