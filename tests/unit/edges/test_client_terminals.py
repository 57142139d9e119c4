"""Clients that answer late, wrongly or not at all about their terminals."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pilotfish.core.errors import ProcessError
from pilotfish.core.ids import SessionId
from pilotfish.edges import terminals
from pilotfish.edges.channel import AgentChannel, ClientGoneError
from pilotfish.edges.terminals import ClientTerminals
from pilotfish.ports.processes import OutsideWatch, ProcessResult, ProcessSpec, ResourceLimits
from pilotfish.tools.shell_job import verdict_of

from tests.support.waiting import WAIT_S, until

SPEC = ProcessSpec(
    argv=("sleep", "300"),
    cwd=Path("/"),
    purpose="shell",
    label="sleep 300",
    env={},
    max_output_bytes=1_000,
)


def no_watch(
    _limits: ResourceLimits, _complain: Callable[[str], None], _written: Callable[[], int]
) -> OutsideWatch:
    """Watch nothing: no command runs."""
    return OutsideWatch(variables={}, close=lambda: None)


class SilentClient:
    """Hears every request; answers when a test says so."""

    def __init__(self) -> None:
        self.heard: list[dict[str, Any]] = []
        self.channel = AgentChannel(self.heard.append, {})
        self._terminals = ClientTerminals(self.channel, no_watch)

    def run(self) -> "asyncio.Task[ProcessResult]":
        """Run a command."""
        run = self._terminals.run(SessionId("s"), SPEC, timeout_s=300, on_open=lambda _: None)
        return asyncio.get_running_loop().create_task(run)

    async def request(self, method: str) -> dict[str, Any]:
        """Wait for a request."""
        await until(lambda: method in self.methods)
        return next(one for one in self.heard if one.get("method") == method)

    async def answer(self, method: str, result: object) -> None:
        """Answer a request once it has come."""
        request = await self.request(method)
        self.channel.receive({"jsonrpc": "2.0", "id": request["id"], "result": result})

    def answer_all(self, answers: dict[str, object]) -> None:
        """Answer whatever is asked that has an answer here, from now on."""

        def hear(message: dict[str, Any]) -> None:
            self.heard.append(message)
            if message.get("method") in answers:
                result = answers[message["method"]]
                answer = {"jsonrpc": "2.0", "id": message["id"], "result": result}
                asyncio.get_running_loop().call_soon(self.channel.receive, answer)

        self.channel = AgentChannel(hear, {})
        self._terminals = ClientTerminals(self.channel, no_watch)

    @property
    def methods(self) -> list[str]:
        return [one["method"] for one in self.heard]


@pytest.mark.parametrize("why", ["stopped", "too late"])
async def test_a_terminal_that_nobody_waits_for_any_more_is_ended_when_it_comes(
    why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why == "too late":
        monkeypatch.setattr(terminals, "ANSWER_S", 0.01)
    client = SilentClient()
    run = client.run()
    await client.request("terminal/create")
    if why == "stopped":
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    else:
        with pytest.raises(ProcessError, match="the client did not answer within"):
            await run
        monkeypatch.undo()
    await client.answer("terminal/create", {"terminalId": "t"})
    killed = await client.request("terminal/kill")
    assert killed["params"] == {"sessionId": "s", "terminalId": "t"}
    await client.answer("terminal/kill", {})
    released = await client.request("terminal/release")
    assert released["params"] == killed["params"]
    await client.channel.close()


async def test_a_client_that_has_gone_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminals, "ANSWER_S", 10 * WAIT_S)
    client = SilentClient()
    run = client.run()
    await client.answer("terminal/create", {"terminalId": "t"})
    await client.request("terminal/wait_for_exit")
    client.channel.hang_up()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(run, WAIT_S)
    assert client.methods[-2:] == ["terminal/kill", "terminal/release"]
    with pytest.raises(ClientGoneError):
        await client.channel.ask("terminal/output", {})


@pytest.mark.parametrize(
    ("status", "code", "number"),
    [
        ({"exitCode": 3}, 3, None),
        ({"exitCode": None, "signal": "SIGTERM"}, None, 15),
        ({"signal": "term"}, None, 15),
        ({"signal": "Terminated"}, None, 15),
        ({"signal": "9"}, None, 9),
        ({"signal": "no such signal"}, None, None),
        ({}, None, None),
    ],
)
async def test_how_a_command_ended_is_what_the_client_says_and_no_more(
    status: dict[str, Any], code: int | None, number: int | None
) -> None:
    client = SilentClient()
    client.answer_all(
        {
            "terminal/create": {"terminalId": "t"},
            "terminal/wait_for_exit": status,
            "terminal/output": {"output": ""},
            "terminal/release": {},
        }
    )
    ended = await client.run()
    assert (ended.exit_code, ended.signal) == (code, number)
    said = verdict_of(ended, lambda _: None).text
    assert ("nobody said" in said) == (code is None and number is None)
    await client.channel.close()
