"""What matching and templates may know about a request.

Owns: reading those facts, each at most once and only when asked for.
Does not own: whether the request is valid; every reader copes with malformed bodies, because
checking can be switched off.
"""

from functools import cached_property

from pydantic import JsonValue

from tools.fake_model.jsontypes import JsonObject, as_text, block_text, objects


class RequestFacts:
    """Facts of one request to the messages endpoint."""

    def __init__(self, body: JsonObject, *, api_key: str, size_bytes: int) -> None:
        self.body = body
        self.api_key = api_key
        self.size_bytes = size_bytes
        """Length of the body on the wire."""

    @property
    def model(self) -> str:
        """The model that is asked for."""
        return as_text(self.body.get("model"))

    @property
    def stream(self) -> bool:
        """Whether the reply is streamed."""
        return self.body.get("stream") is True

    @cached_property
    def messages(self) -> list[JsonObject]:
        """The messages of the request."""
        return list(objects(self.body.get("messages")))

    @cached_property
    def first_user_text(self) -> str:
        """Text of the first user message."""
        return next((block_text(m.get("content")) for m in self.messages if _is_user(m)), "")

    @cached_property
    def last_user_text(self) -> str:
        """Text of the newest user message that has any."""
        texts = (block_text(m.get("content")) for m in reversed(self.messages) if _is_user(m))
        return next((text for text in texts if text), "")

    @cached_property
    def system_text(self) -> str:
        """Text of the system prompt."""
        return block_text(self.body.get("system"))

    @cached_property
    def last_tool_result(self) -> str:
        """Text of the tool results in the last message, joined by lines."""
        last = self.messages[-1].get("content") if self.messages else None
        return "\n".join(
            block_text(block.get("content"))
            for block in objects(last)
            if block.get("type") == "tool_result"
        )

    @cached_property
    def tool_names(self) -> frozenset[str]:
        """Names of the tools that are offered."""
        return frozenset(as_text(tool.get("name")) for tool in objects(self.body.get("tools")))

    @cached_property
    def tool_rounds(self) -> int:
        """How many tool rounds the newest prompt has had.

        Counted back over user messages with tool results, up to the first one without; text
        beside the results does not end the count.
        """
        rounds = 0
        for message in reversed(self.messages):
            if not _is_user(message):
                continue
            if not any(b.get("type") == "tool_result" for b in objects(message.get("content"))):
                break
            rounds += 1
        return rounds

    def value(self, name: str) -> JsonValue:
        """The value of a built-in template name.

        Raises:
            KeyError: There is no such name.
        """
        match name:
            case "last_user_text":
                return self.last_user_text
            case "first_user_text":
                return self.first_user_text
            case "last_tool_result":
                return self.last_tool_result
            case "model":
                return self.model
            case _:
                raise KeyError(name)


def _is_user(message: JsonObject) -> bool:
    return message.get("role") == "user"
