"""What is no message of JSON-RPC, and how that is said."""

from typing import Any

import pytest
from pilotfish.edges.channel import cancelled_id, envelope_problem, refusal_of

GOOD: list[dict[str, Any]] = [
    {"jsonrpc": "2.0", "id": 1, "method": "session/list"},
    {"jsonrpc": "2.0", "id": "a", "method": "session/list", "params": []},
    {"jsonrpc": "2.0", "method": "session/cancel", "params": {}},
    {"jsonrpc": "2.0", "id": 1, "result": None},
    {"jsonrpc": "2.0", "id": 0, "error": {"code": 1, "message": "m"}},
    {"jsonrpc": "2.0", "id": "", "error": None, "result": {"jsonrpc": "1.0"}},
]

BAD: list[tuple[dict[str, Any], str, Any]] = [
    ({}, "jsonrpc", None),
    ({"jsonrpc": "1.0", "id": 1, "method": "m"}, "jsonrpc", 1),
    ({"jsonrpc": 2.0, "method": "m"}, "jsonrpc", ...),
    ({"jsonrpc": "2.0"}, "method", None),
    ({"jsonrpc": "2.0", "method": None}, "method", ...),
    ({"jsonrpc": "2.0", "id": 1, "method": ["m"]}, "method", 1),
    ({"jsonrpc": "2.0", "id": None, "method": "m"}, "id", None),
    ({"jsonrpc": "2.0", "id": True, "method": "m"}, "id", None),
    ({"jsonrpc": "2.0", "id": 1.5, "method": "m"}, "id", None),
    ({"jsonrpc": "2.0", "id": [1], "method": "m"}, "id", None),
    ({"jsonrpc": "2.0", "id": {}, "result": None}, "id", ...),
    ({"jsonrpc": "2.0", "id": 1, "error": "broken"}, "error", ...),
]
"""Message, what is wrong with it, the id of the answer; ``...`` where no answer may come."""


@pytest.mark.parametrize("message", GOOD, ids=str)
def test_a_message_passes(message: dict[str, Any]) -> None:
    assert envelope_problem(message) == ""


@pytest.mark.parametrize(("message", "field", "answered"), BAD, ids=str)
def test_a_broken_message_is_refused_by_its_field(
    message: dict[str, Any], field: str, answered: Any
) -> None:
    problem = envelope_problem(message)
    assert problem.startswith(f"{field}:")
    refusal = refusal_of(message, problem)
    if answered is ...:
        assert refusal is None
    else:
        assert refusal is not None
        assert refusal["id"] == answered
        assert refusal["error"]["code"] == -32600
        assert field in refusal["error"]["message"]


@pytest.mark.parametrize(
    ("params", "wanted"),
    [
        ({"id": 3}, 3),
        ({"id": "x"}, "x"),
        ({"id": [3]}, None),
        ({}, None),
        ([3], None),
        (None, None),
    ],
)
def test_only_an_id_can_be_cancelled(params: Any, wanted: Any) -> None:
    assert cancelled_id({"method": "$/cancelRequest", "params": params}) == wanted
