"""Identifiers. Each is a string on the wire and a type of its own here.

Owns: the id types and how a new one is made. Does not own: what they name.
"""

import secrets
from typing import NewType
from uuid import uuid4

SessionId = NewType("SessionId", str)
TurnId = NewType("TurnId", str)
AgentId = NewType("AgentId", str)
MessageId = NewType("MessageId", str)
ToolUseId = NewType("ToolUseId", str)
RequestId = NewType("RequestId", str)
CheckpointId = NewType("CheckpointId", str)
TaskId = NewType("TaskId", str)

MAIN_AGENT = AgentId("main")
"""The agent that talks with the user; sub-agents have ids of their own."""


def new_session_id() -> SessionId:
    """Return a fresh session id (UUID 4, the name of the transcript file)."""
    return SessionId(str(uuid4()))


def new_turn_id() -> TurnId:
    """Return a fresh turn id."""
    return TurnId("turn_" + secrets.token_hex(8))


def new_agent_id() -> AgentId:
    """Return a fresh id of a sub-agent; it is also part of file and branch names."""
    return AgentId("a" + secrets.token_hex(6))


def new_message_id() -> MessageId:
    """Return a fresh message id for messages that no provider named."""
    return MessageId("msg_" + secrets.token_hex(8))


def new_request_id() -> RequestId:
    """Return a fresh id for a question to the user."""
    return RequestId("ask_" + secrets.token_hex(8))


def new_tool_use_id() -> ToolUseId:
    """Return a fresh tool call id for calls that no provider named."""
    return ToolUseId("toolu_" + secrets.token_hex(8))


def new_checkpoint_id() -> CheckpointId:
    """Return a fresh checkpoint id."""
    return CheckpointId("ckpt_" + secrets.token_hex(8))
