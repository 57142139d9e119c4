"""Rules about messages and their blocks."""

import pytest

from tests.unit.fake_model.conversations import (
    PNG,
    assistant,
    call,
    image,
    problem_of,
    request,
    result,
    text,
    thinking,
    tool,
    tool_round,
    user,
)
from tools.fake_model.identity import sign
from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.scenario import Rules

PREFILL = Rules(prefill=True)
REDACTED: JsonObject = {"type": "redacted_thinking", "data": "x"}


def after(*content: JsonObject | str) -> JsonObject:
    """A request whose last message is from the assistant."""
    return request(user("hi"), assistant(*content))


@pytest.mark.parametrize(
    "body",
    [
        request(user("hi"), assistant("ho"), user("again")),
        request(user(text("a"), text("b", cache_control=None))),
        after("prefill"),
        after(thinking(), text()),
        after(REDACTED, text()),
        after(thinking("hm", sign("hm")), text()),
        after(text(citations=None)),
        request(user(image())),
        request(user(image("/9j/", "image/jpeg"))),
        request(user(image("R0lGODlh", "image/gif"))),
        request(user(image("UklGRgAAAABXRUJQ", "image/webp"))),
        request(user(image("AAAA"))),
        request(user({"type": "image", "source": {"type": "url", "url": "https://x/y.png"}})),
        request(user({"type": "image", "source": {"type": "file", "file_id": "f"}})),
        request(user({"type": "document", "source": {"type": "text", "data": "d"}, "title": "t"})),
        request(user({"type": "search_result", "source": "s", "title": "t", "content": []})),
        after({"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}, text()),
        tool_round(result(content="")),
        tool_round({"type": "tool_result", "tool_use_id": "t1"}),
        tool_round(result(content=[text(), image()])),
        tool_round(result(content="broken", is_error=True)),
        tool_round(result(content=[text()], is_error=True)),
        tool_round(result(content=[{"type": "tool_reference", "tool_name": "Read"}])),
    ],
)
def test_valid_messages_pass(body: JsonObject) -> None:
    assert problem_of(body, PREFILL) is None


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        ({**request(), "messages": []}, "messages: at least one message"),
        ({**request(), "messages": {}}, "messages: must be an array"),
        ({**request(), "messages": ["hi"]}, "messages.0: must be an object"),
        (request({"role": "tool", "content": "x"}), "messages.0.role: must be `user`"),
        (request({"role": "system", "content": "x"}), "messages.0.role: must be `user`"),
        (request({"role": "user"}), "messages.0.content: messages must have content"),
        (request(user("")), "messages.0.content: messages must have content"),
        (request(user()), "messages.0.content: messages must have content"),
        (after(), "messages.1.content: messages must have content"),
        (request({**user("hi"), "uuid": "1"}), "messages.0.uuid: this field is not known"),
        (request(assistant("ho")), "messages.0.role: the first message must be from the user"),
        (request(user("a"), user("b")), "messages.1.role: roles must alternate"),
        (
            request(user("a"), assistant("b"), assistant("c")),
            "messages.2.role: roles must alternate",
        ),
        (request(user(" \n")), "messages.0.content: text content blocks must contain more"),
        (request(user(text(), text(""))), "messages.0.content.1: text content blocks must not be"),
        (request(user(text(" "))), "messages.0.content.0: text content blocks must contain more"),
        (after(" \n"), "messages.1.content: text content blocks must contain more"),
        (after("so "), "messages.1.content: final assistant content must not end with white"),
        (after(text("so\n")), "messages.1.content.0: final assistant content must not end"),
        (after(text(), thinking()), "messages.1.content.1: the final block of an assistant"),
        (
            request(user("a"), assistant(thinking()), user("b")),
            "messages.1.content.0: the final block of an assistant message",
        ),
        (after(REDACTED), "messages.1.content.0: the final block"),
        (request(user({"text": "x"})), "messages.0.content.0.type: this field is required"),
        (request(user({"type": "audio"})), "messages.0.content.0.type: `audio` is no type"),
        (request(user(thinking())), "messages.0.content.0: `thinking` blocks must not be in"),
        (request(user(call())), "messages.0.content.0: `tool_use` blocks must not be in"),
        (after(result()), "messages.1.content.0: `tool_result` blocks must not be in"),
        (after(image()), "messages.1.content.0: `image` blocks must not be in"),
        (request(user(text(id="x"))), "messages.0.content.0.id: this field is not known"),
        (request(user({"type": "text"})), "messages.0.content.0.text: this field is required"),
        (request(user({"type": "document"})), "messages.0.content.0.source: this field is"),
        (after(thinking(cache_control=None)), "messages.1.content.0.cache_control: not allowed"),
        (
            after(thinking(cache_control={"type": "ephemeral"}), text()),
            "messages.1.content.0.cache_control: not allowed on `thinking` blocks",
        ),
        (
            after({**REDACTED, "cache_control": {"type": "ephemeral"}}, text()),
            "messages.1.content.0.cache_control: not allowed on `redacted_thinking` blocks",
        ),
        (after(thinking(signature="")), "messages.1.content.0.signature: must not be empty"),
        (after(thinking("changed", sign("hm")), text()), "messages.1.content.0.signature: does"),
        (after({"type": "redacted_thinking"}), "messages.1.content.0.data: this field is"),
        (after(call("a b")), "messages.1.content.0.id: must match"),
        (after(call(name="a b")), "messages.1.content.0.name: must match"),
        (after(call(input=[])), "messages.1.content.0.input: must be an object"),
        (after(call(input="{}")), "messages.1.content.0.input: must be an object"),
        (tool_round(result(is_error="no")), "messages.2.content.0.is_error: must be true or"),
        (tool_round(result(content="", is_error=True)), "messages.2.content.0.content: must not"),
        (
            tool_round(result(content=[image()], is_error=True)),
            "messages.2.content.0.content.0: all content must be text",
        ),
        (tool_round(result(content=3)), "messages.2.content.0.content: must be an array"),
        (
            tool_round(result(content=[text("")])),
            "messages.2.content.0.content.0: text content blocks must not be empty",
        ),
        (
            tool_round(result(content=[result()])),
            "messages.2.content.0.content.0.type: `tool_result` must not be in a tool_result",
        ),
        (tool_round(result(name="Read")), "messages.2.content.0.name: this field is not known"),
    ],
)
def test_invalid_messages_are_refused_with_their_path(body: JsonObject, problem: str) -> None:
    assert (problem_of(body, PREFILL) or "").startswith(problem)


@pytest.mark.parametrize(
    ("block", "problem"),
    [
        (image(media_type="image/bmp"), ".media_type: must be one of"),
        (image(PNG[:-1]), ".data: not valid base64"),
        (image("not base64!"), ".data: not valid base64"),
        (image(""), ".data: must not be empty"),
        (image(PNG, "image/jpeg"), ".data: the bytes are image/png, not image/jpeg"),
        ({"type": "image", "source": {"type": "url", "url": "file:///x"}}, ".url: must be"),
        ({"type": "image", "source": {"type": "path"}}, ".type: must be base64, url or file"),
        ({"type": "image"}, ": must be an object"),
    ],
)
def test_invalid_images_are_refused(block: JsonObject, problem: str) -> None:
    found = problem_of(request(user(block))) or ""
    assert found.startswith(f"messages.0.content.0.source{problem}")


def test_an_image_that_is_too_large_is_refused() -> None:
    body = request(user(image()))
    assert problem_of(body, Rules(max_image_bytes=16)) is None
    assert "16 bytes > 15 maximum" in (problem_of(body, Rules(max_image_bytes=15)) or "")


def test_neighbours_of_one_role_are_merged_when_that_is_allowed() -> None:
    rules = Rules(strict_roles=False)
    parts = (user("a"), user("b"), assistant(call("t1")), assistant(call("t2")))
    assert problem_of(request(*parts, user(result("t1")), user(result("t2"))), rules) is None
    assert problem_of(request(*parts, user(result("t1"))), rules) is not None
    assert problem_of(request(*parts, user("x"), user(result("t1"), result("t2"))), rules)


def test_a_running_tool_turn_begins_with_thinking_when_that_is_wanted() -> None:
    rules = Rules(thinking_first=True)
    enabled: JsonObject = {"type": "enabled", "budget_tokens": 1024}

    def problem(*content: JsonObject, kind: JsonObject = enabled) -> str | None:
        messages = (user("a"), assistant(*content), user(result()))
        return problem_of(request(*messages, thinking=kind), rules)

    assert problem(thinking(), call()) is None
    assert problem(REDACTED, call()) is None
    assert problem(call(), kind={"type": "adaptive"}) is None
    assert problem(text(), call()) == (
        "messages.1.content.0: expected thinking, found `text`, while thinking is enabled"
    )
    over = request(user("a"), assistant("b"), user("c"), thinking=enabled)
    assert problem_of(over, rules) is None


def test_a_conversation_ends_with_the_user_unless_prefill_is_allowed() -> None:
    problem = "messages.1: the conversation must end with a user message"
    assert problem_of(after("so")) == problem
    assert problem_of(after("so"), PREFILL) is None


def test_tool_definitions_do_not_matter_for_text() -> None:
    assert problem_of(request(user("hi"), tools=[tool("Other")])) is None
