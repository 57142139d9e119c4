"""Our request as parameters of the chat completions API.

Owns: the shape of messages, tools and system prompt for OpenAI and the many servers that copy it.
Does not own: sending (``openai``), reading the answer (``openai_stream``).

The same history gives the same bytes, and a request begins with the bytes of the one before it: servers
cache by prefix on their own.
"""

import json
from collections.abc import Sequence
from typing import assert_never

from pilotfish.core.messages import (
    AssistantMessage,
    DocumentBlock,
    ImageBlock,
    Message,
    RedactedThinkingBlock,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
)
from pilotfish.llm.catalog import ModelFacts
from pilotfish.llm.model import ModelRequest, ToolSchema
from pilotfish.llm.providers.history_cache import Histories, Wire
from pilotfish.llm.providers.texts import (
    DOCUMENT_LEFT_OUT,
    IMAGE_LEFT_OUT,
    NO_OUTPUT,
    NO_TEXT,
    clean,
    clean_json,
)
from pilotfish.llm.reasoning import reasoning_field_of

_ERROR_MARK = "Error: "
"""Begins the result of a failed call: the API has no field for that."""

_IMAGE_OF_CALL = "Image from the result of tool call {call}:"
"""Introduces images of results: the API takes them in the user's messages only."""


def chat_history() -> Histories:
    """Return an empty cache for messages in this API's shape."""
    return Histories(_message, _tool)


def encode_chat_body(
    request: ModelRequest, facts: ModelFacts, history: Histories, *, is_openai: bool
) -> bytes:
    """Return the body of one call.

    Args:
        request: What is asked.
        facts: What the model can do; decides what is sent.
        history: Keeps converted messages from call to call.
        is_openai: Whether the vendor itself answers, whose newer models know only the newer name
            of the output limit. Other servers know the older one.
    """
    cache = history.of(facts)
    limit = "max_completion_tokens" if is_openai else "max_tokens"
    head: Wire = {"model": facts.model, limit: request.max_tokens}
    if not request.in_one_piece:
        head |= {"stream": True, "stream_options": {"include_usage": True}}
    if request.effort is not None and request.effort in facts.efforts:
        head["reasoning_effort"] = request.effort
    tools = cache.tools(request.tools)
    if tools:
        head["tools"] = tools
    wires = cache.to_wire(request.messages)
    system = "\n\n".join(clean(text) for text in request.system if text.strip())
    first: list[Wire] = [{"role": "system", "content": system}] if system else []
    return cache.body(head, wires, request.messages, first)


def _tool(tool: ToolSchema) -> Wire:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": clean(tool.description),
            "parameters": clean_json(tool.input_schema),
        },
    }


def _message(message: Message, facts: ModelFacts) -> list[Wire]:
    if isinstance(message, UserMessage):
        return _user(message, facts)
    return [_assistant(message)]


def _user(message: UserMessage, facts: ModelFacts) -> list[Wire]:
    """Convert a message of the user's side: one for each result, then one for the rest."""
    results = [block for block in message.content if isinstance(block, ToolResultBlock)]
    wires = [_result(block, images=facts.images) for block in results]
    parts: list[Wire] = []
    if facts.images:
        for block in results:
            parts += _pictures(block)
    for block in message.content:
        if isinstance(block, TextBlock) and block.text.strip():
            parts.append(_text(block.text))
        elif isinstance(block, ImageBlock):
            parts.append(_image(block) if facts.images else _text(IMAGE_LEFT_OUT))
        elif isinstance(block, DocumentBlock):
            parts.append(_document(block, taken=facts.documents))
    if parts or not wires:
        wires.append({"role": "user", "content": _content(parts)})
    return wires


def _result(block: ToolResultBlock, *, images: bool) -> Wire:
    texts = [part.text for part in block.content if isinstance(part, TextBlock)]
    if not images and any(isinstance(part, ImageBlock) for part in block.content):
        texts.append(IMAGE_LEFT_OUT)
    text = clean("\n".join(text for text in texts if text.strip())) or NO_OUTPUT
    return {
        "role": "tool",
        "tool_call_id": block.tool_use_id,
        "content": _ERROR_MARK + text if block.is_error else text,
    }


def _pictures(block: ToolResultBlock) -> list[Wire]:
    pictures = [_image(part) for part in block.content if isinstance(part, ImageBlock)]
    return [_text(_IMAGE_OF_CALL.format(call=block.tool_use_id)), *pictures] if pictures else []


def _content(parts: Sequence[Wire]) -> str | list[Wire]:
    """Return the content of a user's message: plain text where it can be, which all servers take."""
    if all(part["type"] == "text" for part in parts):
        return "\n\n".join(part["text"] for part in parts) or NO_TEXT
    return list(parts)


def _assistant(message: AssistantMessage) -> Wire:
    texts: list[str] = []
    calls: list[Wire] = []
    reasoning: dict[str, list[str]] = {}
    for block in message.content:
        match block:
            case TextBlock():
                texts.append(block.text)
            case ToolUseBlock():
                calls.append(_call(block))
            case ThinkingBlock():
                field = reasoning_field_of(block.signature)
                if field is not None:
                    reasoning.setdefault(field, []).append(block.text)
            case RedactedThinkingBlock():
                pass  # another vendor's
            case _:
                assert_never(block)
    text = clean("".join(texts))
    wire: Wire = {"role": "assistant", "content": text if text.strip() else None}
    if calls:
        wire["tool_calls"] = calls
        # Servers that think between calls want to have it back; after an answer they do not.
        wire |= {field: clean("".join(pieces)) for field, pieces in reasoning.items()}
    elif wire["content"] is None:
        wire["content"] = NO_TEXT
    return wire


def _call(block: ToolUseBlock) -> Wire:
    arguments = json.dumps(clean_json(block.input), ensure_ascii=False, separators=(",", ":"))
    return {
        "id": block.id,
        "type": "function",
        "function": {"name": block.name, "arguments": arguments},
    }


def _text(text: str) -> Wire:
    return {"type": "text", "text": clean(text)}


def _document(block: DocumentBlock, *, taken: bool) -> Wire:
    if not taken:
        return _text(DOCUMENT_LEFT_OUT.format(name=block.name))
    data = f"data:{block.media_type};base64,{block.data}"
    return {"type": "file", "file": {"filename": clean(block.name), "file_data": data}}


def _image(block: ImageBlock) -> Wire:
    url = f"data:{block.media_type};base64,{block.data}"
    return {"type": "image_url", "image_url": {"url": url}}
