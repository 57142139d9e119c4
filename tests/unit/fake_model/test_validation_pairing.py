"""Rules about tool calls and their results, and about cache breakpoints."""

import pytest

from tests.unit.fake_model.conversations import (
    MARK,
    assistant,
    call,
    problem_of,
    request,
    result,
    text,
    thinking,
    tool,
    tool_round,
    user,
)
from tools.fake_model.jsontypes import JsonObject
from tools.fake_model.scenario import Rules
from tools.fake_model.validation import RequestCheck

HOUR: JsonObject = {"type": "ephemeral", "ttl": "1h"}
FIVE: JsonObject = {"type": "ephemeral", "ttl": "5m"}
TWO_CALLS = (user("a"), assistant(text(), call("t1"), call("t2")))


@pytest.mark.parametrize(
    "body",
    [
        tool_round(),
        tool_round(result(), text("and")),
        request(*TWO_CALLS, user(result("t2"), result("t1"))),
        request(user("a"), assistant(thinking(), call()), user(result()), assistant("b"), user("c")),
        request(
            user("a"), assistant(call("t1")), user(result("t1")),
            assistant(call("t2")), user(result("t2"), text()),
        ),
    ],
)  # fmt: skip
def test_calls_with_their_results_pass(body: JsonObject) -> None:
    assert problem_of(body) is None


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            request(user("a"), assistant(call()), user("b")),
            "messages.1: tool_use without a tool_result right at the start of the next message: t1",
        ),
        (request(user("a"), assistant(call())), "messages.1: tool_use without a tool_result"),
        (request(*TWO_CALLS, user(result("t1"))), "messages.1: tool_use without a tool_result"),
        (
            request(*TWO_CALLS, user(result("t1")), assistant("b"), user(result("t2"))),
            "messages.1: tool_use without a tool_result",
        ),
        (tool_round(result("t9")), "messages.2.content.0: no tool_use in the previous message"),
        (tool_round(result(), result()), "messages.2.content.1: `t1` has more than one"),
        (tool_round(text(), result()), "messages.2.content.1: tool_result blocks must come first"),
        (
            request(*TWO_CALLS, user(result("t1"), text(), result("t2"))),
            "messages.2.content.2: tool_result blocks must come first",
        ),
        (request(user(result())), "messages.0.content.0: no tool_use in the previous message"),
        (
            request(user("a"), assistant("b"), user(result())),
            "messages.2.content.0: no tool_use in the previous message",
        ),
        (
            request(user("a"), assistant(call(), call()), user(result())),
            "messages.1.content.1.id: tool_use ids must be unique, `t1` is not",
        ),
        (
            request(
                user("a"), assistant(call()), user(result()), assistant(call()), user(result())
            ),
            "messages.3.content.0.id: tool_use ids must be unique",
        ),
        (
            request(user("a"), assistant(call(name="Reed")), user(result())),
            "messages.1.content.0.name: no tool is named `Reed`",
        ),
        (
            tool_round(result(content=[{"type": "tool_reference", "tool_name": "X"}])),
            "messages.2.content.0.content.0.tool_name: no tool is named `X`",
        ),
        ({**tool_round(), "tools": []}, "tools: requests with tool_use or tool_result blocks"),
    ],
)
def test_calls_and_results_that_do_not_match_are_refused(body: JsonObject, problem: str) -> None:
    assert (problem_of(body) or "").startswith(problem)


def test_unknown_tools_in_the_history_may_be_allowed() -> None:
    body = request(user("a"), assistant(call(name="Gone")), user(result()))
    assert problem_of(body, Rules(known_tools=False)) is None
    RequestCheck(Rules(), invented={"Gone"}).run(body)


@pytest.mark.parametrize(
    "body",
    [
        request(user(text(cache_control=MARK)), cache_control=FIVE),
        request(user(text(cache_control=MARK)), tools=[tool(cache_control=HOUR)]),
        tool_round(result(content=[text(cache_control=MARK)], cache_control=MARK)),
        request(
            user(text(cache_control=MARK), text(cache_control=None)),
            tools=[tool(cache_control=MARK)],
            system=[text(cache_control=MARK), text(cache_control=MARK)],
        ),
    ],
)
def test_up_to_four_breakpoints_pass(body: JsonObject) -> None:
    assert problem_of(body) is None


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (
            request(user(*[text(cache_control=MARK)] * 5)),
            "messages.0.content.4.cache_control: at most 4 blocks may have cache_control, found 5",
        ),
        (
            request(
                user(*[text(cache_control=MARK)] * 2),
                tools=[tool(cache_control=MARK)],
                system=[text(cache_control=MARK)],
                cache_control=MARK,
            ),
            "cache_control: at most 4",
        ),
        (
            request(user(text(cache_control={"type": "forever"}))),
            "messages.0.content.0.cache_control.type: must be `ephemeral`",
        ),
        (
            request(system=[text(cache_control={"type": "ephemeral", "ttl": "2h"})]),
            "system.0.cache_control.ttl: must be `5m` or `1h`",
        ),
        (
            request(tools=[tool(cache_control={"type": "ephemeral", "scope": "global"})]),
            "tools.0.cache_control.scope: this field is not known",
        ),
        (request(cache_control=True), "cache_control: must be an object"),
        (
            request(user(text(cache_control=HOUR)), tools=[tool(cache_control=MARK)]),
            "messages.0.content.0.cache_control: a ttl of 1h must not come after",
        ),
    ],
)
def test_wrong_breakpoints_are_refused(body: JsonObject, problem: str) -> None:
    assert (problem_of(body) or "").startswith(problem)
