"""Our request as parameters of the Messages API.

Owns: the shape of messages, tools and system prompt, and where the prompt cache may cut.
Does not own: sending (``anthropic``), reading the answer (``anthropic_stream``).

The same history gives the same bytes: nothing here depends on time, chance or order of hashing.
From one request to the next of a session only the message breakpoints move.
"""

from typing import assert_never

from pilotfish.core.messages import (
    AssistantBlock,
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

MIN_THINKING_TOKENS = 1_024
"""The smallest thinking budget that the API accepts."""

_THINKING_TYPES = frozenset({"thinking", "redacted_thinking"})


def messages_history() -> Histories:
    """Return an empty cache for messages in this API's shape."""
    return Histories(lambda message, facts: (_message(message, facts),), _tool)


def build_params(
    request: ModelRequest, facts: ModelFacts, histories: Histories | None = None
) -> Wire:
    """Return the parameters of one streaming call.

    At most four cache breakpoints: the last tool, the last system block, and the last block of
    the previous user message and of the last message.
    """
    params: Wire = {"model": facts.model, "max_tokens": request.max_tokens}
    thinking = _thinking(request, facts)
    if thinking is not None:
        params["thinking"] = thinking
    if request.effort is not None and request.effort in facts.efforts:
        params["output_config"] = {"effort": request.effort}
    cache = (histories or messages_history()).of(facts)
    tools = cache.tools(request.tools)
    if tools:
        if facts.cache:
            tools[-1] = _marked(tools[-1])
        params["tools"] = tools
    system = [_text(text) for text in request.system if text.strip()]
    if system:
        if facts.cache:
            system[-1] = _marked(system[-1])
        params["system"] = system
    messages = cache.to_wire(request.messages)
    _trim_end(messages)
    if facts.cache:
        _mark_messages(messages)
    params["messages"] = messages
    return params


def encode_body(request: ModelRequest, facts: ModelFacts, histories: Histories) -> bytes:
    """Return the body of one streaming call.

    The SDK would copy and encode the whole history for each call; here a call costs what is new.
    """
    params = build_params(request, facts, histories)
    if not request.in_one_piece:
        params["stream"] = True
    wires: list[Wire] = params.pop("messages")
    return histories.of(facts).body(params, wires, request.messages)


def _thinking(request: ModelRequest, facts: ModelFacts) -> Wire | None:
    wanted = request.thinking_budget_tokens > 0
    if facts.thinking == "none":
        return None
    if facts.thinking == "adaptive" and (wanted or facts.thinking_off == "impossible"):
        # Without "summarized" newer models send what they say between tool calls as empty blocks.
        return {"type": "adaptive", "display": "summarized"}
    if not wanted:
        return None if facts.thinking_off == "omit" else {"type": facts.thinking_off}
    budget = min(request.thinking_budget_tokens, request.max_tokens - 1)
    if budget < MIN_THINKING_TOKENS:
        return None
    return {"type": "enabled", "budget_tokens": budget}


def _tool(tool: ToolSchema) -> Wire:
    return {
        "name": tool.name,
        "description": clean(tool.description),
        "input_schema": clean_json(tool.input_schema),
    }


def _message(message: Message, facts: ModelFacts) -> Wire:
    if isinstance(message, UserMessage):
        return {"role": "user", "content": _user_content(message, facts)}
    return {"role": "assistant", "content": _assistant_content(message)}


def _user_content(message: UserMessage, facts: ModelFacts) -> list[Wire]:
    # The API wants results before anything else in the message that answers calls.
    results = [_tool_result(b, facts) for b in message.content if isinstance(b, ToolResultBlock)]
    others = [_said(b, facts) for b in message.content if not isinstance(b, ToolResultBlock)]
    kept = [block for block in results + others if not _is_blank(block)]
    return kept or [_text(NO_TEXT)]


def _said(block: TextBlock | ImageBlock | DocumentBlock, facts: ModelFacts) -> Wire:
    match block:
        case TextBlock():
            return _text(block.text)
        case ImageBlock():
            return _source("image", block) if facts.images else _text(IMAGE_LEFT_OUT)
        case DocumentBlock():
            if not facts.documents:
                return _text(DOCUMENT_LEFT_OUT.format(name=block.name))
            return {**_source("document", block), "title": clean(block.name)}
        case _:
            assert_never(block)


def _tool_result(block: ToolResultBlock, facts: ModelFacts) -> Wire:
    content = [_said(part, facts) for part in block.content]
    kept = [part for part in content if not _is_blank(part)]
    wire: Wire = {
        "type": "tool_result",
        "tool_use_id": block.tool_use_id,
        "content": kept or [_text(NO_OUTPUT)],
    }
    if block.is_error:
        wire["is_error"] = True
    return wire


def _assistant_content(message: AssistantMessage) -> list[Wire]:
    blocks = [_assistant_block(block) for block in message.content]
    kept = [block for block in blocks if block is not None and not _is_blank(block)]
    # The API refuses a message that ends with thinking, as one does that was stopped there.
    while kept and kept[-1]["type"] in _THINKING_TYPES:
        kept.pop()
    return kept or [_text(NO_TEXT)]


def _assistant_block(block: AssistantBlock) -> Wire | None:
    match block:
        case TextBlock():
            return _text(block.text)
        case ThinkingBlock():
            # Some servers think without signing, which is refused when replayed. Signed thinking goes
            # back also without text: the signature holds what the server did not show.
            if not block.signature or reasoning_field_of(block.signature):
                return None
            return {"type": "thinking", "thinking": block.text, "signature": block.signature}
        case RedactedThinkingBlock():
            return {"type": "redacted_thinking", "data": block.data}
        case ToolUseBlock():
            return {
                "type": "tool_use",
                "id": block.id,
                "name": block.name,
                "input": clean_json(block.input),
            }
        case _:
            assert_never(block)


def _text(text: str) -> Wire:
    return {"type": "text", "text": clean(text)}


def _source(kind: str, block: ImageBlock | DocumentBlock) -> Wire:
    source = {"type": "base64", "media_type": block.media_type, "data": block.data}
    return {"type": kind, "source": source}


def _is_blank(block: Wire) -> bool:
    return block["type"] == "text" and not block["text"].strip()


def _trim_end(messages: list[Wire]) -> None:
    """Drop white space at the end of a reply that is to be continued: the API refuses it."""
    if not messages or messages[-1]["role"] != "assistant":
        return
    *others, last = messages[-1]["content"]
    if last["type"] == "text" and last["text"] != last["text"].rstrip():
        trimmed = {**last, "text": last["text"].rstrip()}
        messages[-1] = {**messages[-1], "content": [*others, trimmed]}


def _mark_messages(messages: list[Wire]) -> None:
    """Replace the last message and the user message before it by marked ones."""
    last = len(messages) - 1
    previous = next((i for i in range(last - 1, -1, -1) if messages[i]["role"] == "user"), None)
    for index in (last, previous):
        if index is not None and index >= 0:
            messages[index] = _marked_message(messages[index])


def _marked_message(message: Wire) -> Wire:
    *others, last = message["content"]
    return {**message, "content": [*others, _marked(last)]}


def _marked(block: Wire) -> Wire:
    return {**block, "cache_control": {"type": "ephemeral"}}
