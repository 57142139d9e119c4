"""Builders for requests, as short as the tables that use them need.

Owns: valid pieces of a request body, and the real client.
"""

import base64
from contextlib import AbstractAsyncContextManager
from typing import cast

import anthropic
from anthropic import AsyncAnthropic
from anthropic.types import MessageParam
from pydantic import JsonValue

from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.scenario import Rules
from tools.fake_model.validation import InvalidRequestError, RequestCheck

PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 8).decode()
MARK: JsonObject = {"type": "ephemeral"}
KEY = {"x-api-key": "secret", "anthropic-version": "2023-06-01"}
HELLO: list[MessageParam] = [{"role": "user", "content": "hi"}]


def tool(name: str = "Read", **fields: JsonValue) -> JsonObject:
    return {"name": name, "input_schema": {"type": "object"}, **fields}


def text(value: str = "text", **fields: JsonValue) -> JsonObject:
    return {"type": "text", "text": value, **fields}


def call(call_id: str = "t1", name: str = "Read", **fields: JsonValue) -> JsonObject:
    return {"type": "tool_use", "id": call_id, "name": name, "input": {}, **fields}


def result(call_id: str = "t1", content: JsonValue = "ok", **fields: JsonValue) -> JsonObject:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def thinking(value: str = "hm", signature: str = "sig", **fields: JsonValue) -> JsonObject:
    return {"type": "thinking", "thinking": value, "signature": signature, **fields}


def image(data: str = PNG, media_type: str = "image/png") -> JsonObject:
    return {
        "type": "image",
        "source": {"type": "base64", "media_type": media_type, "data": data},
    }


def user(*content: JsonObject | str) -> JsonObject:
    return {"role": "user", "content": _content(content)}


def assistant(*content: JsonObject | str) -> JsonObject:
    return {"role": "assistant", "content": _content(content)}


def request(*messages: JsonObject, **fields: JsonValue) -> JsonObject:
    """A valid request, unless ``messages`` or ``fields`` make it invalid."""
    return {
        "model": "m",
        "max_tokens": 4000,
        "tools": [tool()],
        "messages": [*messages] or [user("hi")],
        **fields,
    }


def tool_round(*results: JsonObject) -> JsonObject:
    """A request after one call of a tool; ``results`` replace the user's answer."""
    return request(user("hi"), assistant(call()), user(*(results or (result(),))))


def problem_of(
    body: JsonObject, rules: Rules | None = None, *, counting: bool = False
) -> str | None:
    """What the checks say about a body, None if nothing."""
    try:
        RequestCheck(rules or Rules()).run(body, counting=counting)
    except InvalidRequestError as error:
        return str(error)
    return None


def open_client(url: str, key: str = "key") -> AbstractAsyncContextManager[AsyncAnthropic]:
    """The real client, without its own retries and without the machine's proxy settings."""
    return AsyncAnthropic(
        api_key=key,
        base_url=url,
        max_retries=0,
        # Loading certificates would take longer than the test.
        http_client=anthropic.DefaultAsyncHttpxClient(trust_env=False, verify=False),
    )


def _content(content: tuple[JsonObject | str, ...]) -> JsonValue:
    if len(content) == 1 and isinstance(content[0], str):
        return content[0]
    return cast("JsonValue", list(content))
