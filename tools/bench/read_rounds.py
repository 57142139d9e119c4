"""Rounds of a session, as a transcript tells them.

Owns: the events of a reply that reads a file, and of what the file holds.
"""

from pilotfish.core.events import (
    BlockFinished,
    KeptEvent,
    ReplyFinished,
    ToolFinished,
    ToolStarted,
)
from pilotfish.core.ids import MessageId, ToolUseId
from pilotfish.core.messages import TextBlock, ToolUseBlock, Usage


def read_round(number: int, said: str, held: str) -> list[KeptEvent]:
    """Return a reply with a call, and the call's result.

    Args:
        number: Which one; no two of a session are the same.
        said: What the model says before it reads.
        held: What the file holds.
    """
    reply, call = MessageId(f"m{number}"), ToolUseId(f"toolu_{number}")
    path = {"file_path": f"/x/y{number}.py"}
    use = ToolUseBlock(id=call, name="Read", input=dict(path))
    return [
        BlockFinished(message_id=reply, block_index=0, block=TextBlock(text=said)),
        BlockFinished(message_id=reply, block_index=1, block=use),
        ReplyFinished(
            message_id=reply, model="m", stop_reason="tool_use", cost_usd=0.01,
            usage=Usage(input_tokens=300, output_tokens=20),
        ),
        ToolStarted(tool_use_id=call, tool="Read", title="y.py", kind="read", input=dict(path)),
        ToolFinished(tool_use_id=call, status="completed", content=(TextBlock(text=held),)),
    ]  # fmt: skip
