"""A scriptable server for the OpenAI chat completions API.

Plays the vendor and the servers that copy it, each with its habits: where reasoning stands, how calls
are cut, when counts come. Refuses with 400 what the strict ones refuse, and keeps every request.
"""

from tools.fake_chat.replies import Call, ChatBytes, ChatError, ChatReply, event
from tools.fake_chat.server import FakeChat

__all__ = ["Call", "ChatBytes", "ChatError", "ChatReply", "FakeChat", "event"]
