"""The fake model under control of another process."""

import asyncio
import json
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from pydantic import JsonValue

from tests.unit.fake_model.conversations import KEY, request
from tools.fake_model import FakeModel, Stall, Turn
from tools.fake_model.jsontypes import JsonObject, as_object, objects

END_S = 60


async def call(method: str, url: str, body: JsonValue = None) -> tuple[int, JsonObject]:
    async with (
        aiohttp.ClientSession() as session,
        session.request(method, url, json=body, headers=KEY) as answer,
    ):
        return answer.status, await answer.json()


async def test_requests_can_be_read_over_http() -> None:
    async with FakeModel(["a"]) as fake:
        url = f"{fake.url}/__fake__/requests"
        assert await call("GET", url) == (200, {"requests": []})
        await call("POST", f"{fake.url}/v1/messages", request())
        await call("GET", f"{fake.url}/v1/models")
        _status, answer = await call("GET", f"{url}?count=1&ended=1")
        (record,) = objects(answer["requests"])
        assert record["body"] == request()
        assert "secret" not in json.dumps(answer)
        _status, answer = await call("GET", f"{url}?all=1&bodies=0")
        assert [item["path"] for item in objects(answer["requests"])] == [
            "/v1/messages",
            "/v1/models",
        ]
        assert not any("body" in item for item in objects(answer["requests"]))


async def test_another_process_can_wait_for_requests() -> None:
    async with FakeModel(["a"]) as fake, asyncio.TaskGroup() as group:
        url = f"{fake.url}/__fake__/requests"
        waiting = group.create_task(call("GET", f"{url}?ended=1"))
        group.create_task(call("POST", f"{fake.url}/v1/messages", request()))
        _status, answer = await waiting
        assert [item["outcome"] for item in objects(answer["requests"])] == ["complete"]
        status, _answer = await call("GET", f"{url}?count=9&timeout_s=0.01")
        assert status == 408
        status, _answer = await call("GET", f"{url}?count=many")
        assert status == 400


async def test_a_scenario_can_be_replaced_over_http() -> None:
    async with FakeModel() as fake:
        url = f"{fake.url}/__fake__"
        status, answer = await call("POST", f"{url}/scenario", {"turn": []})
        assert status == 400
        assert "turn" in str(answer["error"])
        assert (await call("POST", f"{url}/scenario", {"turns": ["b", "c"]}))[0] == 200
        _status, answer = await call("POST", f"{fake.url}/v1/messages", request())
        assert answer["content"] == [{"type": "text", "text": "b"}]
        _status, state = await call("GET", f"{url}/state")
        assert state == {"unused_turns": [1], "stalled": 0, "requests": 1}
        assert (await call("POST", f"{url}/reset"))[0] == 200
        _status, state = await call("GET", f"{url}/state")
        assert state == {"unused_turns": [0, 1], "stalled": 0, "requests": 0}


async def test_a_replaced_scenario_keeps_the_variables_of_the_server() -> None:
    async with FakeModel(variables={"cwd": "/w"}) as fake:
        scenario: JsonObject = {"turns": ["{{cwd}} {{own}}"], "variables": {"cwd": "x", "own": 1}}
        await call("POST", f"{fake.url}/__fake__/scenario", scenario)
        _status, answer = await call("POST", f"{fake.url}/v1/messages", request())
        assert answer["content"] == [{"type": "text", "text": "/w 1"}]


async def test_a_stall_can_be_released_over_http() -> None:
    turn = Turn("a", faults=[Stall(gate="g")])
    async with FakeModel([turn]) as fake, asyncio.TaskGroup() as group:
        asked = group.create_task(call("POST", f"{fake.url}/v1/messages", request()))
        await fake.wait_for_stall("g")
        _status, state = await call("GET", f"{fake.url}/__fake__/state?gate=g")
        assert state["stalled"] == 1
        assert (await call("POST", f"{fake.url}/__fake__/release?count=x"))[0] == 400
        assert (await call("POST", f"{fake.url}/__fake__/release?gate=g"))[0] == 200
        assert (await asked)[0] == 200


@asynccontextmanager
async def started(*arguments: str) -> AsyncGenerator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tools.fake_model", *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def ready(process: asyncio.subprocess.Process) -> JsonObject:
    assert process.stdout is not None
    async with asyncio.timeout(END_S):
        return as_object(json.loads(await process.stdout.readline()))


async def ended(process: asyncio.subprocess.Process) -> int:
    async with asyncio.timeout(END_S):
        return await process.wait()


async def test_the_process_says_where_it_is_and_ends_with_its_input(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    path.write_text('{"turns": ["in {{cwd}}, {{n2}}"]}', encoding="utf-8")
    arguments = ("--scenario", str(path), "--var", "cwd=/w", "--var", "n2=[1]")
    async with started(*arguments, "--exit-on-stdin-close") as process:
        said = await ready(process)
        assert said["pid"] == process.pid
        _status, answer = await call("POST", f"{said['url']}/v1/messages", request())
        assert answer["content"] == [{"type": "text", "text": "in /w, [1]"}]
        assert process.stdin is not None
        process.stdin.close()
        assert await ended(process) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signals of this kind")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_the_process_ends_on_a_signal(number: signal.Signals) -> None:
    async with started("--port", "0") as process:
        await ready(process)
        process.send_signal(number)
        assert await ended(process) == 0


async def test_a_bad_scenario_is_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "scenario.json"
    path.write_text('{"turn": []}', encoding="utf-8")
    async with started("--scenario", str(path)) as process:
        _out, err = await process.communicate()
        assert process.returncode == 2
        assert err.decode().startswith("fake_model: turn: ")
