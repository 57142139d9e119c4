"""What the compiler behind ``typescript-language-server`` says of a file, and what is no answer of it."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
from pilotfish.codeintel.servers.judge import judge
from pilotfish.codeintel.servers.rpc import ServerFailure
from pilotfish.codeintel.servers.server import LanguageServer
from pilotfish.codeintel.servers.tsserver import ask_tsserver
from pilotfish.core.jsontypes import JsonMapping, JsonValue

FILE = Path("/work/shop/a.ts")

ONE: JsonValue = {
    "start": {"line": 3, "offset": 5},
    "end": {"line": 3, "offset": 9},
    "text": "No such name.",
    "code": 2304,
    "category": "error",
}


class Relay:
    """Answers for the compiler, in turn, and takes note of how long it might have taken."""

    def __init__(self, *answers: JsonValue) -> None:
        self._answers = iter(answers)
        self.limits_s: list[float] = []

    async def request(self, method: str, params: JsonMapping, limit_s: float) -> JsonValue:
        assert (method, params["command"]) == (
            "workspace/executeCommand",
            "typescript.tsserverRequest",
        )
        self.limits_s.append(limit_s)
        return next(self._answers)


class Judged:
    """Takes note of the files that count as judged."""

    def __init__(self) -> None:
        self.lists: list[JsonValue] = []

    def pulled(self, path: Path, items: JsonValue) -> None:
        assert path == FILE
        self.lists.append(items)


def server_with(relay: Relay, findings: Judged | None = None) -> LanguageServer:
    parts = {"rpc": relay, "findings": findings, "is_alive": True, "pulls": True}
    one = SimpleNamespace(
        **parts, asks_tsserver=True, TSSERVER_COMMAND="typescript.tsserverRequest"
    )
    return cast("LanguageServer", one)


async def test_both_lists_of_a_file_are_told_in_the_positions_of_the_protocol() -> None:
    relay = Relay({"type": "response", "body": []}, {"type": "response", "body": [ONE]})
    assert await ask_tsserver(server_with(relay), FILE, 2.0) == [
        {
            "range": {"start": {"line": 2, "character": 4}, "end": {"line": 2, "character": 8}},
            "severity": 1,
            "code": 2304,
            "source": "typescript",
            "message": "No such name.",
        }
    ]


NO_ANSWERS: list[JsonValue] = [
    {"type": "cancelled", "reason": "server errored"},
    {"type": "noServer"},
    {"type": "noContent"},
    {"type": "response", "success": False, "message": "No Project."},
    None,
]


@pytest.mark.parametrize("no_answer", NO_ANSWERS)
@pytest.mark.parametrize("before", [0, 1])
async def test_a_file_of_which_the_compiler_said_nothing_is_not_judged(
    no_answer: JsonValue, before: int
) -> None:
    clean: JsonValue = {"body": []}
    answers = [*([clean] * before), no_answer]
    with pytest.raises(ServerFailure, match="no answer to"):
        await ask_tsserver(server_with(Relay(*answers)), FILE, 2.0)
    findings = Judged()
    assert not await judge(server_with(Relay(*answers), findings), FILE, 1, 0, 2.0)
    assert findings.lists == []


async def test_one_limit_counts_for_both_questions() -> None:
    relay = Relay({"body": []}, {"body": []})
    await ask_tsserver(server_with(relay), FILE, 2.0)
    first_s, second_s = relay.limits_s
    assert second_s < first_s <= 2.0
